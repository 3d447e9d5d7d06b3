/**
 * Builds the order for the syscall helper that runs a command in a running container, with exactly the
 * container's rights.
 */
import { NAMESPACE, type SystemCall } from '../../../lib/syscall-helper/calls.ts';
import type { CommandOrder } from '../../../lib/syscall-helper/orders.ts';
import type { Machine } from '../machine/machine.ts';
import { missingCommand, type ShownTree } from '../container/missing-command.ts';
import type { ProcessIdentity } from '../machine/proc-table.ts';
import type { ContainerRecord, SandboxRecord } from '../container/records.ts';
import { commandCalls } from './command-calls.ts';
import { groupName } from './container-order.ts';
import type { SeccompFilter } from './seccomp-filters.ts';

export interface ExecRequest {
  readonly record: ContainerRecord;
  readonly sandbox: SandboxRecord;
  readonly machine: Machine;
  /** The first process of the container. */
  readonly init: ProcessIdentity;
  /** The command of the container. */
  readonly main: ProcessIdentity;
  readonly command: readonly string[];
  readonly env: ContainerRecord['env'];
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly seccomp?: SeccompFilter | undefined;
  /**
   * The root of a container that an earlier version started, in its mount namespace. Absent: the container
   * has pivoted.
   */
  readonly oldRoot?: string | undefined;
  readonly shown: ShownTree;
}

const SHARED = ['net', 'uts', 'ipc', 'mount'] as const;
const NAMES = { net: 'net', uts: 'uts', ipc: 'ipc', mount: 'mnt', pid: 'pid' } as const;

export function execOrder(request: ExecRequest): CommandOrder {
  const { record, machine, command, env, stdin, tty, seccomp } = request;
  const isPlain = machine.isolation === 'none';
  return {
    through: isPlain ? keepGroups(record) : throughCalls(request),
    join: [
      ['?hidden'],
      // Optional: the group may be gone already, because the container is ending.
      ...record.cgroups.map((_, index): SystemCall => ['?put', groupName(index), '0']),
      ...(isPlain ? [] : joinCalls(request)),
    ],
    enter: commandCalls({ record, machine, seccomp }),
    env,
    command,
    missing: missingCommand({ ...record, argv: command }, machine, request.shown),
    stdin,
    tty,
    terminalOwner: machine.isolation === 'root' ? record.user.uid : undefined,
  };
}

function keepGroups(record: ContainerRecord): readonly SystemCall[] {
  return record.cgroups.map((group, index) => [
    '?keep',
    groupName(index),
    `${group}/cgroup.procs`,
    'write',
  ]);
}

/** Opens namespaces, root and control groups while this process still sees the machine's /proc. */
function throughCalls(request: ExecRequest): readonly SystemCall[] {
  const { record, machine, init, main } = request;
  const isUser = machine.isolation === 'user';
  const hasProcesses = machine.hasProcesses && record.processes !== 'host';
  const kinds = [...SHARED, ...(hasProcesses ? (['pid'] as const) : [])];
  return [
    ...keepGroups(record),
    ...kinds.map((kind): SystemCall => ['keep', kind, `/proc/${init.pid}/ns/${NAMES[kind]}`]),
    ['keep', 'root', `/proc/${init.pid}/root`, 'path'],
    ['keep', 'user', `/proc/${isUser ? main.pid : init.pid}/ns/user`],
    ...(isUser ? [['keep', 'outer user', `/proc/${init.pid}/ns/user`] as const] : []),
    // A reused process ID must not lead into another process's namespaces.
    ['same', init.pid, init.start],
    ['same', main.pid, main.start],
  ];
}

/** Joins the user namespace last: after that the process has no right to join the others. */
function joinCalls(request: ExecRequest): readonly SystemCall[] {
  const { record, machine, sandbox, oldRoot } = request;
  const isUser = machine.isolation === 'user';
  const hasProcesses = machine.hasProcesses && record.processes !== 'host';
  const kinds = isUser ? SHARED.filter((kind) => kind !== 'net') : SHARED;
  const hasPodUsers = sandbox.users !== undefined;
  return [
    // Without root, podkeep has the right to join only inside the user namespace that it created.
    ...(isUser ? [['join', 'outer user', NAMESPACE.user] as const] : []),
    ...(hasProcesses ? [['join', 'pid', NAMESPACE.pid] as const] : []),
    ...kinds.map((kind): SystemCall => ['join', kind, NAMESPACE[kind]]),
    ...(oldRoot === undefined
      ? []
      : [['keep', 'old root', oldRoot, 'path'] as const, ['root', 'old root'] as const]),
    ...(isUser || hasPodUsers ? [['join', 'user', NAMESPACE.user] as const] : []),
    ...(hasPodUsers ? [['groups'] as const, ['user', 0, 0] as const] : []),
  ];
}
