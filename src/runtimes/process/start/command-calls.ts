/**
 * Decides the system calls with which a process drops its rights before it becomes a command: groups,
 * capabilities, user, the right to regain them (no_new_privs), and system calls (seccomp). They are the same
 * for the command of a container, exec, probes and lifecycle hooks.
 */
import type { SystemCall } from '../../../lib/syscall-helper/calls.ts';
import { keptCapabilities } from '../machine/capabilities.ts';
import { containerNotStarted } from '../errors.ts';
import type { Machine } from '../machine/machine.ts';
import type { ContainerRecord } from '../container/records.ts';
import type { SeccompFilter } from './seccomp-filters.ts';

export interface CommandRights {
  readonly record: ContainerRecord;
  readonly machine: Pick<Machine, 'isolation' | 'uid'>;
  /** Absent: no seccomp filter. */
  readonly seccomp?: SeccompFilter | undefined;
}

export function commandCalls({ record, machine, seccomp }: CommandRights): readonly SystemCall[] {
  const { workingDir, config } = record;
  // Without isolation, the command must not gain rights by setuid programs of the machine.
  const noNewPrivileges = config.security.noNewPrivileges || machine.isolation === 'none';
  const filter = seccompCalls(seccomp);
  return [
    // Without no_new_privs a seccomp filter needs capabilities, so it is installed before they are dropped.
    ...(noNewPrivileges ? [] : filter),
    ...userCalls(record, machine),
    ['go', workingDir],
    ...(noNewPrivileges ? [['strict'] as const, ...filter] : []),
  ];
}

function userCalls(
  { user, config }: ContainerRecord,
  { isolation, uid }: CommandRights['machine'],
): readonly SystemCall[] {
  if (isolation === 'none' && uid !== 0) return [];
  const kept = keptCapabilities(config.security, (name) =>
    containerNotStarted({ name: config.name, reason: `no capability is called ${name}` }),
  );
  const bound: readonly SystemCall[] = kept === undefined ? [] : [['bound', ...kept]];
  // Capabilities are dropped last: changing the user needs some that the container may not have.
  const limited: readonly SystemCall[] = kept === undefined ? [] : [['capabilities', ...kept]];
  // The user namespace of an ordinary user has only this user.
  if (isolation === 'user') return [...bound, ...limited];
  return [['groups', ...user.groups], ...bound, ['user', user.uid, user.gid], ...limited];
}

/** The calls of a process of podkeep that only waits inside a container or pod: it drops all rights. */
export function waitingCalls(seccomp: SeccompFilter | undefined): readonly SystemCall[] {
  return [['bound'], ['capabilities'], ['strict'], ...seccompCalls(seccomp)];
}

function seccompCalls(filter: SeccompFilter | undefined): readonly SystemCall[] {
  return filter ? [['seccomp', filter.program, filter.flags]] : [];
}
