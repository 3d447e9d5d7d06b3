/**
 * Decides what a KernelHand does to start a container: the same as the scripts and programs of
 * launch.ts, setup-script.ts and run-script.ts, as system calls.
 *
 *     namespaces ── control groups, root, mounts ── its root, its user ── its variables ── the command
 *
 * A terminal is left to those: script(1) makes it.
 */
import type { ContainerOrder } from '../../lib/kernel-hand/kernel-hand.ts';
import {
  idMapCalls,
  mountCalls,
  NAMESPACE,
  OWN_MOUNTS,
  type KernelCall,
} from '../../lib/kernel-hand/kernel-calls.ts';
import { keptCapabilities } from './capabilities.ts';
import { containerNotStarted } from './errors.ts';
import { namespaceFile } from './pod-namespaces.ts';
import type { Preparation } from './preparation.ts';
import type { RootPlan } from './root-plan.ts';
import { explanationOf } from './run-script.ts';

const ROOT = { uid: 0, gid: 0 };

export function containerOrder(preparation: Preparation, plan: RootPlan): ContainerOrder {
  const { record, folder, machine, initScript, joinedPid } = preparation;
  const namespaces = ownNamespaces(preparation);
  const isElsewhere = joinedPid !== undefined;
  return {
    folder,
    // Like the words of a command: that is how a guard finds it.
    title: `podkeep-init ${initScript} ${folder}`,
    bootId: machine.bootId,
    namespaces,
    through: isElsewhere ? joinCalls(joinedPid, machine.isolation === 'root') : [],
    setup: [
      ...podNamespaces(preparation),
      ...(isElsewhere ? [['unshare', namespaces] as const] : []),
      ...(machine.isolation === 'user' && !isElsewhere ? idMapCalls(ROOT, machine) : []),
      OWN_MOUNTS,
      ...groupCalls(preparation),
      ...optionalCalls(preparation),
      ...stdinCalls(preparation),
      ...rootCalls(plan),
    ],
    // Init stays outside of its groups: what it needs is not the container's, and it outlives their end.
    enter: [...joinGroups(preparation), ...enterCalls(preparation, plan)],
    env: record.env,
    command: record.argv,
    missing: explanationOf(record.argv[0] ?? ''),
  };
}

function ownNamespaces({ sandbox, machine, joinedPid }: Preparation): number {
  const { hostIpc, hostPid } = sandbox.config;
  const { kind } = sandbox.network;
  const isElsewhere = joinedPid !== undefined;
  let flags: number = NAMESPACE.mount;
  if (kind === 'loopback') flags |= NAMESPACE.uts;
  if (kind !== 'namespace' && !hostIpc) flags |= NAMESPACE.ipc;
  if (machine.hasProcesses && !hostPid && !isElsewhere) flags |= NAMESPACE.pid;
  if (machine.isolation === 'user' && !isElsewhere) flags |= NAMESPACE.user;
  return flags;
}

function joinCalls(pid: number, isRoot: boolean): readonly KernelCall[] {
  const user: KernelCall = ['join', `/proc/${pid}/ns/user`, NAMESPACE.user];
  return [...(isRoot ? [] : [user]), ['join', `/proc/${pid}/ns/pid`, NAMESPACE.pid]];
}

function podNamespaces({ sandbox }: Preparation): readonly KernelCall[] {
  const { network, config } = sandbox;
  if (network.kind !== 'namespace') return [];
  const kinds = config.hostIpc ? (['net', 'uts'] as const) : (['net', 'uts', 'ipc'] as const);
  return kinds.map((kind) => ['join', namespaceFile(network.files, kind), NAMESPACE[kind]]);
}

function groupCalls({ record, groupSettings }: Preparation): readonly KernelCall[] {
  return [
    ...record.cgroups.map((group): KernelCall => ['folder', group]),
    ...groupSettings.map(({ file, value, isOptional }): KernelCall => [
      isOptional ? '?write' : 'write',
      file,
      value,
    ]),
  ];
}

function joinGroups({ record }: Preparation): readonly KernelCall[] {
  return record.cgroups.map((group) => ['write', `${group}/cgroup.procs`, '0']);
}

/** What is good to have. A machine that refuses it still runs the container. */
function optionalCalls({ record, sandbox }: Preparation): readonly KernelCall[] {
  const { oomScoreAdjust } = record.config.resources;
  const { hostname } = sandbox.config;
  const calls: KernelCall[] = [];
  if (oomScoreAdjust !== undefined) {
    calls.push(['?write', '/proc/self/oom_score_adj', oomScoreAdjust]);
  }
  if (sandbox.network.kind === 'loopback' && hostname !== '') calls.push(['?hostname', hostname]);
  return calls;
}

/** Until the last of those who attached has gone, a program that reads finds nothing, not the end. */
function stdinCalls({ record, folder, machine }: Preparation): readonly KernelCall[] {
  if (!record.config.stdin) return [];
  const pipe = `${folder}/stdin`;
  return [
    ['holder', pipe, machine.tools.sleep ?? 'sleep', '2147483647'],
    ['input', pipe],
  ];
}

function rootCalls({ memory, template, table }: RootPlan): readonly KernelCall[] {
  const room = { source: 'tmpfs', target: memory, type: 'tmpfs' };
  return [
    ...mountCalls({ ...room, options: ['mode=755', 'nosuid', 'nodev'] }),
    ...folderCalls(memory, template.folders),
    ...template.files.map((file): KernelCall => ['file', file]),
    ...template.links.map(([target, file]): KernelCall => ['link', target, file]),
    ...template.looks.flatMap(({ folder, mode, owner }): readonly KernelCall[] => [
      // A change of owner takes setuid bits away, so the mode comes last.
      ...(owner ? [['owner', folder, owner.uid, owner.gid] as const] : []),
      ['mode', folder, mode],
    ]),
    ...table.flatMap(mountCalls),
  ];
}

/** Each once, and after the one that it is in. */
function folderCalls(memory: string, folders: readonly string[]): readonly KernelCall[] {
  const all = new Set<string>();
  const add = (folder: string): void => {
    if (folder === memory || all.has(folder)) return;
    add(folder.slice(0, folder.lastIndexOf('/')));
    all.add(folder);
  };
  for (const folder of folders) add(folder);
  return [...all].map((folder) => ['folder', folder]);
}

function enterCalls({ record, machine }: Preparation, plan: RootPlan): readonly KernelCall[] {
  const { user, workingDir, config } = record;
  const place: readonly KernelCall[] = [
    ['root', plan.root],
    ['go', workingDir],
  ];
  const strict: readonly KernelCall[] = config.security.noNewPrivileges ? [['strict']] : [];
  if (machine.isolation === 'user') {
    return [['unshare', NAMESPACE.user], ...idMapCalls(user, ROOT), ...place, ...strict];
  }
  const kept = keptCapabilities(config.security, (name) =>
    containerNotStarted({ name: config.name, reason: `no capability is called ${name}` }),
  );
  return [
    ...place,
    ['groups', ...user.groups],
    ...(kept === undefined ? [] : [['bound', ...kept] as const]),
    ['user', user.uid, user.gid],
    ...strict,
  ];
}
