/**
 * Tries in throw-away processes whether this machine allows the system calls that containers and pods need.
 */
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import {
  idMapCalls,
  INSIDE_PID,
  MOUNT,
  NAMESPACE,
  type SystemCall,
} from '../../../lib/syscall-helper/calls.ts';
import type { SyscallHelper } from '../../../lib/syscall-helper/syscall-helper.ts';
import { reasonOf } from '../json-file.ts';
import { IDS_PER_POD } from './users/id-ranges.ts';

export type Ability = 'mounts' | 'layers' | 'processes' | 'users' | 'tree';

export interface Trial {
  readonly can: ReadonlySet<Ability>;
  /** The first error. Empty: everything works. */
  readonly obstacle: string;
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

const ROOT = { uid: 0, gid: 0 };
const SECONDS_MAX = 5;
/** An arbitrary ID: no file is created with it. */
const SOME_ID = 0x7000_0000;

export async function tryMachine(
  helper: SyscallHelper,
  folder: string,
  user: User,
): Promise<Trial> {
  const can = new Set<Ability>();
  const obstacles: string[] = [];
  const attempt = async (ability: Ability, step: () => Promise<void>): Promise<void> => {
    try {
      await step();
      can.add(ability);
    } catch (error) {
      obstacles.push(reasonOf(error));
    }
  };
  const place = path.join(folder, 'probe');
  mkdirSync(place, { recursive: true });
  const perform = (calls: readonly SystemCall[]): Promise<void> =>
    helper.perform([...namespaceCalls(user), ...calls], SECONDS_MAX);
  await attempt('mounts', () => perform(mountCalls(place)));
  if (can.has('mounts')) {
    await attempt('layers', () => perform([...mountCalls(place), ...layerCalls(user)]));
    await attempt('processes', () => tryProcesses(helper, place, user));
  }
  if (can.has('mounts') && user.uid === 0) {
    await attempt('users', () => tryMapping(helper, folder, place));
    if (can.has('users')) await attempt('tree', () => tryMapping(helper, '/usr', place));
  }
  rmSync(place, { recursive: true, force: true });
  return { can, obstacle: obstacles[0] ?? '' };
}

function namespaceCalls(user: User): readonly SystemCall[] {
  const users: readonly SystemCall[] =
    user.uid === 0
      ? [['unshare', NAMESPACE.mount]]
      : [['unshare', NAMESPACE.mount | NAMESPACE.user], ...idMapCalls(ROOT, user)];
  return [...users, ['mount', 'none', '/', 'none', MOUNT.recursive | MOUNT.slave, '']];
}

function mountCalls(place: string): readonly SystemCall[] {
  return [
    ['mount', 'tmpfs', place, 'tmpfs', MOUNT.noSuid | MOUNT.noDevices, 'mode=755'],
    ['cd', place],
    ...['r', 'l', 'u', 'w', 'p'].map((name): SystemCall => ['folder', name]),
    ['tree', 'lower', '/usr', 0],
    ['attributes', 'lower', 0, 0, 0, MOUNT.private, ''],
    ['show', 'lower', 'l'],
  ];
}

function layerCalls({ uid }: User): readonly SystemCall[] {
  const options = `lowerdir=l,upperdir=u,workdir=w${uid === 0 ? '' : ',userxattr'}`;
  return [['mount', 'overlay', 'r', 'overlay', 0, options]];
}

/** Only the children of a process enter its new process namespace, so a child mounts /proc. */
async function tryProcesses(helper: SyscallHelper, place: string, user: User): Promise<void> {
  const isRoot = user.uid === 0;
  await helper.perform([
    ['unshare', NAMESPACE.pid | NAMESPACE.mount | (isRoot ? 0 : NAMESPACE.user)],
    ...(isRoot ? [] : idMapCalls(ROOT, user)),
    ['mount', 'none', '/', 'none', MOUNT.recursive | MOUNT.slave, ''],
    ['in_child', 'proc', place],
  ]);
}

/** Both the disk's file system and tmpfs must support ID-mapped mounts. */
async function tryMapping(helper: SyscallHelper, folder: string, place: string): Promise<void> {
  const map = `0 ${SOME_ID} ${IDS_PER_POD}`;
  const mapped = (name: string, source: string): readonly SystemCall[] => [
    ['tree', name, source, 0],
    ['attributes', name, 0, 0, 0, MOUNT.private, 'users'],
  ];
  await helper.makeNamespaces({
    unshare: [['unshare', NAMESPACE.user]],
    outside: [
      ['write', `/proc/${INSIDE_PID}/uid_map`, map],
      ['write', `/proc/${INSIDE_PID}/gid_map`, map],
      ['keep', 'users', `/proc/${INSIDE_PID}/ns/user`],
      ['unshare', NAMESPACE.mount],
      ['mount', 'none', '/', 'none', MOUNT.recursive | MOUNT.private, ''],
      ...mapped('disk', folder),
      ['mount', 'tmpfs', place, 'tmpfs', 0, ''],
      ...mapped('memory', place),
    ],
    inside: [],
    after: [],
  });
}
