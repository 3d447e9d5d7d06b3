/** Builds the runtime's container config from the spec and the resolved inputs. */
import type { Pod } from '../../../api/pod.ts';
import type { ContainerInputs } from '../../../ports/pod/container-inputs.ts';
import type { ContainerConfig, Mount } from '../../../ports/runtime/container-config.ts';
import { containerAnnotations, containerLabels } from '../../../core/pod/container-labels.ts';
import { containerSecurity } from './container-security.ts';
import { CONTAINER_SETTINGS_DEFAULT } from './container-settings.ts';
import { kernelResources, type KernelDeps } from './kernel-resources.ts';
import type { RunContainer } from '../../../api/run-spec.ts';

/** Where a container writes its termination message, unless its spec says otherwise. */
export const TERMINATION_MESSAGE_PATH = '/dev/termination-log';

export interface ContainerFrame extends KernelDeps {
  readonly attempt: number;
  readonly imageRef: string;
  readonly inputs: ContainerInputs;
  readonly logPath: string;
  /** On the host; absent: this container has no termination message file. */
  readonly terminationFile?: string;
  readonly targetContainerId?: string | undefined;
}

export function containerConfig(
  pod: Pod,
  container: RunContainer,
  frame: ContainerFrame,
): ContainerConfig {
  const { attempt, inputs, targetContainerId } = frame;
  const { containers: settings = CONTAINER_SETTINGS_DEFAULT } = frame;
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
    resources: kernelResources(pod, container, frame),
    security: containerSecurity(pod, container, {
      supplementalGroups,
      targetContainerId,
      settings,
    }),
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
      containerPath: containerPath.startsWith('/') ? containerPath : `/${containerPath}`,
      hostPath,
      isReadOnly: false,
      isRecursiveReadOnly: false,
      propagation: 'None',
    },
  ];
}
