/**
 * Builds the order for the syscall helper that starts a container: lists of system calls.
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
/** More than any setup takes. A disk that does not answer must not block the start endlessly. */
const SETUP_SECONDS_MAX = 50;

export function containerOrder(preparation: Preparation): ContainerOrder {
  const { record, folder, machine, marker, log, seccomp } = preparation;
  const { config } = record;
  const isPlain = machine.isolation === 'none';
  const isElsewhere = preparation.joined !== undefined;
  const namespaces = isPlain ? 0 : ownNamespaces(preparation);
  return {
    folder,
    // The guard finds the process by this title, so it looks like a command line.
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

/** Creates a second user namespace, in which the only user of the first one has the container's UID. */
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
    // `hidden` keeps the container from inspecting the process that sets it up. Without root that process
    // must write its own ID maps, which a hidden process cannot; there a second user namespace separates the
    // container from it.
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

/**
 * Opens the pod's /dev/shm in the holder's namespaces. This comes before any join: only the user who created
 * those namespaces may enter them.
 */
function memoryCalls({ memoryHolder: holder }: Preparation): readonly SystemCall[] {
  if (holder === undefined) return [];
  // Optional: if the holder was killed, the container gets its own /dev/shm.
  return [['?borrow', 'shm', SHARED_MEMORY, holder.pid, holder.start]];
}

/**
 * Joins the process namespace of the pod or of the target container. Only children of the monitor are in it;
 * the monitor itself stays outside, except that it joins the user namespace.
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

/** Creates the control groups and keeps them open, so that the command can join them from inside. */
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
