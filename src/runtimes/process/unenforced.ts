/** Decides which settings of a pod this machine does not enforce. Each becomes one Warning event on the pod. */
import type { ContainerConfig } from '../../ports/runtime/container-config.ts';
import type { Machine } from './machine.ts';
import type { SandboxRecord } from './records.ts';

export interface Unenforced {
  /** Of the event. */
  readonly reason: string;
  readonly message: string;
}

export interface Enforcement {
  readonly machine: Pick<
    Machine,
    'isolation' | 'mapsUsers' | 'mapsTree' | 'isLinux' | 'obstacle' | 'uid'
  >;
  readonly limitsCpu: boolean;
  /** A limit of processes is configured, and nothing keeps it. */
  readonly lacksPidsLimit: boolean;
}

export function unenforcedForPod(
  { config, network, users }: SandboxRecord,
  { machine, lacksPidsLimit }: Enforcement,
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
  return found;
}

export function unenforcedForContainer(
  { name, security, resources }: ContainerConfig,
  { machine, limitsCpu }: Enforcement,
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
  return found;
}
