/**
 * Decides which settings of a pod this machine does not enforce. podkeep records each as a Warning Event on
 * the pod.
 */
import type { ContainerConfig } from '../../../ports/runtime/container-config.ts';
import { keptNames } from '../machine/capabilities.ts';
import type { Machine } from '../machine/machine.ts';
import type { SandboxRecord } from '../container/records.ts';

export interface Unenforced {
  /** The reason of the Event. */
  readonly reason: string;
  readonly message: string;
}

export interface Enforcement {
  readonly machine: Pick<
    Machine,
    'isolation' | 'mapsUsers' | 'mapsTree' | 'isLinux' | 'obstacle' | 'uid'
  >;
  readonly limitsCpu: boolean;
  /** podPidsLimit is set, but this machine cannot enforce it. */
  readonly lacksPidsLimit: boolean;
  /** The machine has no file system in memory for the environment of containers. */
  readonly lacksMemory: boolean;
  /** Pods with a network namespace cannot reach other networks. */
  readonly lacksRoute: boolean;
}

export const NO_ROUTE =
  'The pod reaches other pods and this machine, but no other network: podkeep runs without --pod-masquerade.';

export function unenforcedForPod(
  { config, network, users }: SandboxRecord,
  { machine, lacksPidsLimit, lacksMemory, lacksRoute }: Enforcement,
): readonly Unenforced[] {
  const found: Unenforced[] = [];
  const add = (reason: string, message: string): number => found.push({ reason, message });
  const { hostNetwork, hostPid, hostIpc, hostUsers } = config;
  if (machine.isolation === 'none') {
    add(
      'NoBoundary',
      `Nothing keeps the containers of this pod apart from the machine: ${machine.obstacle}.`,
    );
    add(
      'MountsUnavailable',
      'Containers see this machine as it is. What the pod mounts is found under the folder that ' +
        '$PODKEEP_ROOT names.',
    );
  }
  const sharesMachine = hostNetwork || hostPid || hostIpc || hostUsers === true;
  if (machine.isolation === 'root' && !machine.mapsUsers && !sharesMachine) {
    add(
      'UserNamespacesUnavailable',
      `The users of this pod are the machine's, because its volumes cannot be mapped to others: ${machine.obstacle}.`,
    );
  }
  if (users !== undefined && !machine.mapsTree) {
    add('MachineTreeReadOnly', `Folders of the machine are read-only here: ${machine.obstacle}.`);
  }
  if (network.kind !== 'namespace' && Object.keys(config.sysctls).length > 0) {
    add('SysctlsUnavailable', 'The pod has no network of its own, so its sysctls are not set.');
  }
  if (lacksPidsLimit) {
    add(
      'PidsLimitUnavailable',
      'The number of processes of this pod is not limited on this machine.',
    );
  }
  if (lacksMemory) {
    add(
      'SecretsOnDisk',
      'The environment of its containers is on the disk of this node, readable by one user only: ' +
        'there is no file system in memory that podkeep may write.',
    );
  }
  if (lacksRoute && network.kind === 'namespace') add('RouteUnavailable', NO_ROUTE);
  return found;
}

/** `users`: the ID range of the pod. Absent: the pod has the machine's users. */
export function unenforcedForContainer(
  { name, security, resources }: ContainerConfig,
  { machine, limitsCpu }: Enforcement,
  users: SandboxRecord['users'],
): readonly Unenforced[] {
  const found: Unenforced[] = [];
  const add = (reason: string, message: string): number =>
    found.push({ reason, message: `Container ${name}: ${message}` });
  const { appArmor, seLinux, seccomp, supplementalGroups, addedCapabilities } = security;
  if (appArmor !== undefined && appArmor !== 'unconfined') {
    add('ProfileUnavailable', 'AppArmor profiles are not applied to processes of the machine.');
  }
  if (seLinux !== undefined) {
    add('ProfileUnavailable', 'SELinux labels are not applied to processes of the machine.');
  }
  if (!machine.isLinux && seccomp !== undefined && seccomp !== 'unconfined') {
    add('ProfileUnavailable', 'system calls are filtered on Linux only.');
  }
  if (!limitsCpu && (resources.cpuQuota ?? 0) > 0) {
    add(
      'CpuLimitUnavailable',
      'its CPU limit is not enforced: podkeep may not write control groups.',
    );
  }
  if (machine.uid !== 0 && supplementalGroups.length > 0) {
    add('GroupsUnavailable', 'only root can give it the groups that the pod names.');
  }
  if (machine.isolation === 'none' && machine.uid !== 0 && addedCapabilities.length > 0) {
    add('CapabilitiesUnavailable', 'only root can give it the capabilities that it names.');
  }
  // While processes of podkeep enter the container they still have all rights, and SYS_PTRACE is enough to
  // trace them.
  const canTrace = keptNames(security)?.includes('sys_ptrace') ?? false;
  if (machine.isolation === 'root' && users === undefined && canTrace) {
    add(
      'TracingUnconfined',
      "with SYS_PTRACE and the machine's users it can control processes that podkeep starts in its pod, and so " +
        'the machine. In a pod with users of its own (without hostUsers: true) it cannot.',
    );
  }
  return found;
}

/**
 * Finds ports below `first`: where pods share the machine's network, only root may listen on them, so the
 * program would fail. The warning comes before that failure.
 */
export function forbiddenPorts(
  ports: readonly { readonly containerPort: number }[],
  first: number,
): readonly Unenforced[] {
  return ports
    .filter(({ containerPort }) => containerPort < first)
    .map(({ containerPort }) => ({
      reason: 'PortUnavailable',
      message:
        `Port ${containerPort} cannot be listened on: pods share the machine's network here, where ports ` +
        `below ${first} are for root. Choose a port from ${first} on, or start podkeep as root.`,
    }));
}
