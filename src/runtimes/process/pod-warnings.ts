/** Tells the users of a pod what it has to do without on this machine, as Warning events. */
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { PodReference } from '../../ports/pod-reference.ts';
import { isPortTaken } from './listening-ports.ts';
import type { Machine } from './machine.ts';
import type { Sandbox } from './sandbox.ts';

export function warnOfLosses(sandbox: Sandbox, machine: Machine, events: EventRecorder): void {
  const { config, network } = sandbox.record;
  const warn = (reason: string, message: string): void =>
    events.record(referenceOf(sandbox), 'Warning', reason, message);
  if (machine.isolation === 'none') {
    warn(
      'MountsUnavailable',
      `Containers see this machine as it is: ${machine.obstacle}. What the pod mounts is found ` +
        'under the folder that $PODKEEP_ROOT names.',
    );
  }
  if (network.kind === 'namespace') {
    const forwarded = config.hostPorts.filter(({ hostPort }) => hostPort > 0);
    for (const { hostPort, containerPort } of forwarded) {
      const instead = `connect to ${network.ip}:${containerPort}, or use hostNetwork`;
      warn('HostPortUnavailable', `Port ${hostPort} of the node is not forwarded: ${instead}.`);
    }
  } else if (Object.keys(config.sysctls).length > 0) {
    warn('SysctlsUnavailable', 'The pod has no network of its own, so its sysctls are not set.');
  }
}

/** Two pods in one network cannot listen on one port. The second one fails, and should know why. */
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
