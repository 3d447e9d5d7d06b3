/**
 * Decides the order by which the syscall helper starts a container.
 *
 *     namespaces ── control groups ── its root, its users ── the command's rights ── the command
 */
import { idMapCalls, NAMESPACE, type SystemCall } from '../../../lib/syscall-helper/calls.ts';
import type { ContainerOrder } from '../../../lib/syscall-helper/orders.ts';
import { missingCommand } from '../container/missing-command.ts';
import { namespaceFile } from '../sandbox/pod-namespaces.ts';
import { rootCalls } from '../root/root-calls.ts';
import { commandCalls, waitingCalls } from './command-calls.ts';
import { rootRequest, type Preparation } from './preparation.ts';

const ROOT = { uid: 0, gid: 0 };
const SHARED_MEMORY = '/dev/shm';
/** More than any setup takes; a disk that does not answer must not block the container endlessly. */
const SETUP_SECONDS_MAX = 50;

export function containerOrder(preparation: Preparation): ContainerOrder {
  const { record, folder, machine, marker, log, seccomp } = preparation;
  const { config } = record;
  const isPlain = machine.isolation === 'none';
  const isElsewhere = preparation.joined !== undefined;
  const namespaces = isPlain ? 0 : ownNamespaces(preparation);
  return {
    folder,
    // Looks like a command line: the guard finds the process by it.
    title: `podkeep-monitor ${marker} ${folder}`,
    bootId: machine.bootId,
    log: { file: record.logFile, ...log },
    namespaces: isElsewhere ? 0 : namespaces,
    through: [...memoryCalls(preparation), ...joinCalls(preparation)],
    setup: isPlain ? groupCalls(preparation) : setupCalls(preparation, namespaces, isElsewhere),
    enter: [
      ...record.cgroups.map((_, index): SystemCall => ['put', groupName(index), '0']),
      ...(machine.isolation === 'user' ? ownUserCalls(preparation) : []),
      ...commandCalls({ record, machine, seccomp }),
    ],
    rest: isPlain ? [] : waitingCalls(preparation.waitingSeccomp),
    setupSeconds: SETUP_SECONDS_MAX,
    env: preparation.env,
    command: record.argv,
    missing: missingCommand(record, machine, preparation.shown),
    stdin: config.stdin,
    tty: config.tty,
    terminalOwner: machine.isolation === 'root' ? record.user.uid : undefined,
  };
}

/** A second user namespace, in which the one user of the first has the UID that the container asks for. */
function ownUserCalls({ record }: Preparation): readonly SystemCall[] {
  return [['unshare', NAMESPACE.user], ...idMapCalls(record.user, ROOT), ['hidden']];
}

function setupCalls(
  preparation: Preparation,
  namespaces: number,
  isElsewhere: boolean,
): readonly SystemCall[] {
  const { machine } = preparation;
  const isOwnUser = machine.isolation === 'user' && !isElsewhere;
  return [
    // The container must not inspect the process that sets it up. An ordinary user has to write its own ID
    // maps, which such a process cannot; there a second user namespace keeps the container away from the
    // first.
    ...(machine.isolation === 'root' ? [['hidden'] as const] : []),
    ...(isOwnUser ? idMapCalls(ROOT, machine) : []),
    ...podNamespaceCalls(preparation),
    ...(isElsewhere ? [['unshare', namespaces] as const] : []),
    ...groupCalls(preparation),
    ...optionalCalls(preparation),
    ...rootCalls(rootRequest(preparation)),
    ['?keyring'],
  ];
}

function ownNamespaces({ sandbox, machine, joined }: Preparation): number {
  const { hostIpc, hostPid } = sandbox.config;
  const { kind } = sandbox.network;
  const isElsewhere = joined !== undefined;
  let flags: number = NAMESPACE.mount;
  if (kind === 'loopback') flags |= NAMESPACE.uts;
  if (kind !== 'namespace' && !hostIpc) flags |= NAMESPACE.ipc;
  if (machine.hasProcesses && !hostPid && !isElsewhere) flags |= NAMESPACE.pid;
  if (machine.isolation === 'user' && !isElsewhere) flags |= NAMESPACE.user;
  return flags;
}

/** Before anything is joined: only the user who created them may enter the namespaces of the pod's holder. */
function memoryCalls({ memoryHolder: holder }: Preparation): readonly SystemCall[] {
  if (holder === undefined) return [];
  // If the holder was killed, the container gets its own memory.
  return [['?borrow', 'shm', SHARED_MEMORY, holder.pid, holder.start]];
}

/**
 * The monitor itself stays outside, except for its user namespace: only its children are in another process
 * namespace.
 */
function joinCalls({ machine, joined }: Preparation): readonly SystemCall[] {
  if (joined === undefined || machine.isolation === 'none') return [];
  const isUser = machine.isolation === 'user';
  return [
    ['keep', 'pid', `/proc/${joined.pid}/ns/pid`],
    ...(isUser ? [['keep', 'user', `/proc/${joined.pid}/ns/user`] as const] : []),
    // A reused process ID must not lead into another process's namespaces.
    ['same', joined.pid, joined.start],
    ...(isUser ? [['join', 'user', NAMESPACE.user] as const] : []),
    ['join', 'pid', NAMESPACE.pid],
  ];
}

function podNamespaceCalls({ sandbox }: Preparation): readonly SystemCall[] {
  const { network, config } = sandbox;
  if (network.kind !== 'namespace') return [];
  const kinds = config.hostIpc ? (['net', 'uts'] as const) : (['net', 'uts', 'ipc'] as const);
  return kinds.flatMap((kind): readonly SystemCall[] => [
    ['keep', kind, namespaceFile(network.files, kind)],
    ['join', kind, NAMESPACE[kind]],
  ]);
}

export function groupName(index: number): string {
  return `cgroup ${index}`;
}

/** Its control groups are created now, and stay open for the command to join them from inside. */
function groupCalls({ record, groupSettings }: Preparation): readonly SystemCall[] {
  return [
    ...record.cgroups.map((group): SystemCall => ['folder', group]),
    ...groupSettings.map(({ file, value, isOptional }): SystemCall => [
      isOptional ? '?write' : 'write',
      file,
      value,
    ]),
    ...record.cgroups.map((group, index): SystemCall => [
      'keep',
      groupName(index),
      `${group}/cgroup.procs`,
      'write',
    ]),
  ];
}

/** Optional calls: a machine that refuses them still runs the container. */
function optionalCalls({ record, sandbox }: Preparation): readonly SystemCall[] {
  const { oomScoreAdjust } = record.config.resources;
  const { hostname } = sandbox.config;
  const calls: SystemCall[] = [];
  if (oomScoreAdjust !== undefined) {
    calls.push(['?write', '/proc/self/oom_score_adj', oomScoreAdjust]);
  }
  if (sandbox.network.kind === 'loopback' && hostname !== '') calls.push(['?hostname', hostname]);
  return calls;
}
