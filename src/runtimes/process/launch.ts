/**
 * Puts together the commands by which a container, or something in it, is started.
 *
 *     [nsenter: the pod's namespaces] unshare: its own ── sh init.sh ── unshare: its root ── setpriv:
 *     its user ── sh: its variables ── the command
 *
 * Each link of the chain replaces the one before it, but for init and the unshare that waits for it.
 */
import type { ContainerSecurity } from '../../ports/runtime/container-config.ts';
import { boundingSet } from './capabilities.ts';
import { namespaceOptions, type Machine } from './machine.ts';
import { namespaceFile } from './pod-namespaces.ts';
import type { RunAs, SandboxNetwork } from './records.ts';

export interface Namespaces {
  readonly network: SandboxNetwork;
  readonly hostIpc: boolean;
  readonly hostPid: boolean;
  /** A process whose process namespace is to be joined. */
  readonly joinedPid?: number | undefined;
}

export interface Inside {
  readonly machine: Machine;
  readonly root: string;
  readonly workingDir: string;
  readonly user: RunAs;
  readonly security: ContainerSecurity;
  /** An image may come without them. */
  readonly hasShell: boolean;
  readonly hasSetpriv: boolean;
}

/** Everything before `sh init.sh`. */
export function outerChain(machine: Machine, namespaces: Namespaces): readonly string[] {
  const { isolation, tools, hasProcesses } = machine;
  if (isolation === 'none') return [];
  const { network, hostIpc, hostPid, joinedPid } = namespaces;
  const isRoot = isolation === 'root';
  const joins: string[] = [];
  if (network.kind === 'namespace') {
    const kinds = hostIpc ? (['net', 'uts'] as const) : (['net', 'uts', 'ipc'] as const);
    joins.push(...kinds.map((kind) => `--${kind}=${namespaceFile(network.files, kind)}`));
  }
  if (joinedPid !== undefined) {
    joins.push(`--target=${joinedPid}`, '--pid');
    if (!isRoot) joins.push('--user', '--preserve-credentials');
  }
  const owns = ['--mount', '--propagation=slave'];
  if (network.kind === 'loopback') owns.push('--uts');
  if (network.kind !== 'namespace' && !hostIpc) owns.push('--ipc');
  const ownsPids = hasProcesses && !hostPid && joinedPid === undefined;
  if (ownsPids) owns.push('--pid', '--fork', '--kill-child');
  const user = joinedPid === undefined ? namespaceOptions(isRoot) : [];
  const enter = joins.length > 0 ? [toolOf(machine, 'nsenter'), ...joins, '--'] : [];
  return [...enter, tools.unshare ?? 'unshare', ...user, ...owns, '--'];
}

/** Into the namespaces of a container that runs: its init has all of them, and its own root. */
export function enteringChain(
  machine: Machine,
  init: number,
  hasOwnPids: boolean,
): readonly string[] {
  if (machine.isolation === 'none') return [];
  const options = [`--target=${init}`, '--mount', '--uts', '--ipc', '--net'];
  if (hasOwnPids) options.push('--pid');
  if (machine.isolation === 'user') {
    options.splice(options.indexOf('--net'), 1);
    options.push('--user', '--preserve-credentials');
  }
  return [toolOf(machine, 'nsenter'), ...options, '--'];
}

/**
 * From init's view of the world to a shell in a container that runs. In a user namespace it must be the
 * very one of the command, or the two could not see each other; the shell then finds its folder itself.
 */
export function joiningChain(inside: Inside, command: number): readonly string[] {
  const { machine, root, security, hasSetpriv } = inside;
  if (machine.isolation !== 'user') return innerChain(inside);
  const user = [`--user=/proc/${command}/ns/user`, '--preserve-credentials'];
  const enter = [toolOf(machine, 'nsenter'), ...user, `--root=${root}`, `--wd=${root}`, '--'];
  const strict = security.noNewPrivileges && hasSetpriv;
  return [...enter, ...(strict ? ['setpriv', '--no-new-privs', '--'] : []), '/bin/sh', '-s'];
}

/** From init's view of the world to a shell that reads its commands, in the container's. */
export function innerChain(inside: Inside): readonly string[] {
  const { machine, root, workingDir, user, security, hasShell, hasSetpriv } = inside;
  const shell = hasShell ? ['/bin/sh', '-s'] : [];
  if (machine.isolation === 'none') return [...plainUser(inside), toolOf(machine, 'sh'), '-s'];
  const unshare = [toolOf(machine, 'unshare'), `--root=${root}`, `--wd=${workingDir}`];
  if (machine.isolation === 'user') {
    const map = ['--user', `--map-user=${user.uid}`, `--map-group=${user.gid}`];
    const strict = security.noNewPrivileges && hasSetpriv;
    return [
      ...unshare,
      ...map,
      '--',
      ...(strict ? ['setpriv', '--no-new-privs', '--'] : []),
      ...shell,
    ];
  }
  if (hasSetpriv) return [...unshare, '--', ...setpriv('setpriv', inside), ...shell];
  // Without setpriv inside, rights are given up on the way in; and nothing may give them back.
  const ids = [`--setgid=${user.gid}`, `--setuid=${user.uid}`, '--'];
  const strict = [toolOf(machine, 'setpriv'), '--no-new-privs', '--'];
  return [...strict, ...unshare, ...ids, ...shell];
}

function plainUser(inside: Inside): readonly string[] {
  const { machine } = inside;
  if (machine.uid !== 0 || machine.tools.setpriv === undefined) return [];
  return setpriv(machine.tools.setpriv, inside);
}

function setpriv(tool: string, { user, security }: Inside): readonly string[] {
  const bounding = boundingSet(security);
  const groups =
    user.groups.length > 0 ? [`--groups=${user.groups.join(',')}`] : ['--clear-groups'];
  return [
    tool,
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    ...groups,
    ...(bounding === undefined ? [] : [`--bounding-set=${bounding}`, '--inh-caps=-all']),
    ...(security.noNewPrivileges ? ['--no-new-privs'] : []),
    '--',
  ];
}

function toolOf({ tools }: Machine, name: 'sh' | 'unshare' | 'nsenter' | 'setpriv'): string {
  return tools[name] ?? name;
}
