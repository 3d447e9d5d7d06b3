/** A container, as its spec and what was resolved for it describe it. */
import type { Pod } from '../../api/pod.ts';
import type { ContainerInputs } from '../../ports/container-inputs.ts';
import type { ContainerConfig, Mount } from '../../ports/runtime/container-config.ts';
import { containerAnnotations, containerLabels } from './container-labels.ts';
import { containerSecurity } from './container-security.ts';
import { kernelResources } from './kernel-resources.ts';
import type { RunContainer } from './run-spec.ts';

/** Where a container writes its last words, unless its spec says otherwise. */
export const TERMINATION_MESSAGE_PATH = '/dev/termination-log';

export interface ContainerFrame {
  readonly attempt: number;
  readonly imageRef: string;
  readonly inputs: ContainerInputs;
  readonly logPath: string;
  /** On the host; absent: this run has none. */
  readonly terminationFile?: string;
  readonly targetContainerId?: string | undefined;
  readonly memoryCapacityBytes: number;
}

export function containerConfig(
  pod: Pod,
  container: RunContainer,
  frame: ContainerFrame,
): ContainerConfig {
  const { attempt, inputs, targetContainerId } = frame;
  const { supplementalGroups } = inputs;
  return {
    name: container.name,
    attempt,
    image: container.image ?? '',
    imageRef: frame.imageRef,
    command: inputs.command,
    args: inputs.args,
    workingDir: container.workingDir ?? '',
    env: inputs.env,
    mounts: [...inputs.mounts, ...terminationMount(container, frame.terminationFile)],
    devices: inputs.devices,
    logPath: frame.logPath,
    stdin: container.stdin ?? false,
    stdinOnce: container.stdinOnce ?? false,
    tty: container.tty ?? false,
    labels: containerLabels(pod, container),
    annotations: containerAnnotations(pod, container, attempt),
    resources: kernelResources(pod, container, frame.memoryCapacityBytes),
    security: containerSecurity(pod, container, { supplementalGroups, targetContainerId }),
    stopSignal: container.lifecycle?.stopSignal ?? '',
  };
}

function terminationMount(
  { terminationMessagePath: containerPath = TERMINATION_MESSAGE_PATH }: RunContainer,
  hostPath: string | undefined,
): readonly Mount[] {
  if (hostPath === undefined || containerPath === '') return [];
  return [
    {
      containerPath,
      hostPath,
      isReadOnly: false,
      isRecursiveReadOnly: false,
      propagation: 'None',
    },
  ];
}
