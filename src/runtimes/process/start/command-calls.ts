/**
 * Decides what the process that becomes a command gives up before: groups, capabilities, its user, the right
 * to gain any of them again, and system calls. The same for the command of a container, exec, probes and
 * hooks.
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
  /** A filter of system calls; absent: none. */
  readonly seccomp?: SeccompFilter | undefined;
}

export function commandCalls({ record, machine, seccomp }: CommandRights): readonly SystemCall[] {
  const { workingDir, config } = record;
  // Without any other boundary to the machine, it must not gain rights by setuid programs.
  const noNewPrivileges = config.security.noNewPrivileges || machine.isolation === 'none';
  const filter = seccompCalls(seccomp);
  return [
    // Without no_new_privs only a process with capabilities may filter its system calls.
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
  // Changing the user takes capabilities that the container need not have.
  const limited: readonly SystemCall[] = kept === undefined ? [] : [['capabilities', ...kept]];
  // In the user namespace of an ordinary user it already is the only user.
  if (isolation === 'user') return [...bound, ...limited];
  return [['groups', ...user.groups], ...bound, ['user', user.uid, user.gid], ...limited];
}

/** The calls of the first process of a container, or of a pod, which only waits. */
export function waitingCalls(seccomp: SeccompFilter | undefined): readonly SystemCall[] {
  return [['bound'], ['capabilities'], ['strict'], ...seccompCalls(seccomp)];
}

function seccompCalls(filter: SeccompFilter | undefined): readonly SystemCall[] {
  return filter ? [['seccomp', filter.program, filter.flags]] : [];
}
