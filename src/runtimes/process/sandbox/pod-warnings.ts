/** Records a Warning Event on a pod for each feature that the pod lacks on this machine. */
import type { EventRecorder } from '../../../ports/observe/event-recorder.ts';
import type { Log } from '../../../ports/log.ts';
import type { PodReference } from '../../../api/pod-reference.ts';
import type { ContainerConfig } from '../../../ports/runtime/container-config.ts';
import { isPortTaken, unprivilegedPortStart } from './listening-ports.ts';
import type { Machine } from '../machine/machine.ts';
import type { Sandbox } from './sandbox.ts';
import {
  forbiddenPorts,
  unenforcedForContainer,
  unenforcedForPod,
  type Enforcement,
  type Unenforced,
} from './unenforced.ts';

/** Logs features that all pods lack, for the operator. */
export function warnOfMachine(
  { isolation, obstacle }: Pick<Machine, 'isolation' | 'obstacle'>,
  limitsCpu: boolean,
  log: Log,
): void {
  if (isolation === 'none') {
    log.warn('Containers are not isolated from this machine', { reason: obstacle });
  }
  if (!limitsCpu)
    log.warn('CPU limits are not enforced: podkeep has no permission to write to cgroups');
}

/** Records each reason and message once per pod, however often its containers start. */
export class PodWarnings {
  readonly #events: EventRecorder;
  readonly #enforcement: Enforcement;
  readonly #recorded = new Map<string, Set<string>>();

  constructor(events: EventRecorder, enforcement: Enforcement) {
    this.#events = events;
    this.#enforcement = enforcement;
  }

  ofSandbox(sandbox: Sandbox): void {
    this.#record(sandbox, unenforcedForPod(sandbox.record, this.#enforcement));
    const { config, network } = sandbox.record;
    if (network.kind !== 'namespace') {
      const { machine } = this.#enforcement;
      const first = machine.isLinux && machine.uid !== 0 ? unprivilegedPortStart() : 0;
      this.#record(sandbox, forbiddenPorts(config.hostPorts, first));
      return;
    }
    const forwarded = config.hostPorts.filter(({ hostPort }) => hostPort > 0);
    for (const { hostPort, containerPort } of forwarded) {
      const instead = `connect to ${network.ip}:${containerPort}, or use hostNetwork`;
      const message = `Port ${hostPort} of the node is not forwarded: ${instead}.`;
      this.#record(sandbox, [{ reason: 'HostPortUnavailable', message }]);
    }
  }

  ofContainer(sandbox: Sandbox, config: ContainerConfig): void {
    const { users } = sandbox.record;
    this.#record(sandbox, unenforcedForContainer(config, this.#enforcement, users));
  }

  /** Warns of a container that an earlier version of podkeep started. */
  ofAdopted(sandbox: Sandbox, container: string): void {
    const message =
      `Container ${container} was started by an earlier version of podkeep, which keeps it less ` +
      'apart from the machine. Restart it.';
    this.#record(sandbox, [{ reason: 'OldBoundary', message }]);
  }

  forget(podUid: string): void {
    this.#recorded.delete(podUid);
  }

  #record(sandbox: Sandbox, found: readonly Unenforced[]): void {
    const { podUid } = sandbox.record.config;
    const recorded = this.#recorded.get(podUid) ?? new Set<string>();
    this.#recorded.set(podUid, recorded);
    for (const { reason, message } of found) {
      if (recorded.has(message)) continue;
      recorded.add(message);
      this.#events.record(referenceOf(sandbox), 'Warning', reason, message);
    }
  }
}

/**
 * Warns of ports that another pod or program of the same network uses already: the container would fail to
 * listen.
 */
export function warnOfClashes(
  sandbox: Sandbox,
  all: readonly Sandbox[],
  events: EventRecorder,
): void {
  const { config, network } = sandbox.record;
  if (network.kind === 'namespace') return;
  for (const { containerPort, protocol } of config.hostPorts) {
    if (protocol !== 'TCP' || !isPortTaken(containerPort, sandbox.ip)) continue;
    const other = all.find((each) => each !== sandbox && wantsPort(each, containerPort));
    const whose = other ? `pod ${nameOf(other)}` : 'another program of this machine';
    const message =
      `Port ${containerPort} is taken by ${whose}. Pods share the machine's network here; listen ` +
      `on ${sandbox.ip || 'another port'} only, or start podkeep as root to give each its own.`;
    events.record(referenceOf(sandbox), 'Warning', 'PortClash', message);
  }
}

function wantsPort({ record }: Sandbox, port: number): boolean {
  const { config, network, isReady } = record;
  if (!isReady || network.kind === 'namespace') return false;
  return config.hostPorts.some(({ containerPort }) => containerPort === port);
}

function nameOf({ record }: Sandbox): string {
  return `${record.config.namespace}/${record.config.podName}`;
}

function referenceOf({ record }: Sandbox): PodReference {
  const { podUid: uid, podName: name, namespace } = record.config;
  return { uid, name, namespace };
}
