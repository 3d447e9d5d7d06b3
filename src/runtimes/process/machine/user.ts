/**
 * Decides the user and groups of a container.
 *
 *     podkeep is root      the user of the spec, else of the image, else the default user
 *     in a user namespace  the same numbers; outside of it, all of them are podkeep's user
 *     otherwise            podkeep's user only
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ContainerConfig } from '../../../ports/runtime/container-config.ts';
import { userNotPermitted } from '../errors.ts';
import type { Machine } from './machine.ts';
import { resolveInRoot } from './path-in-root.ts';
import type { RunAs } from '../container/records.ts';

export interface UserRequest {
  readonly config: ContainerConfig;
  readonly machine: Machine;
  /** The root whose /etc/passwd is read. */
  readonly root: string;
  /** As the image writes it: `1000`, `1000:1000`, `app`, `app:staff`. Empty: the image has no user. */
  readonly imageUser: string;
  readonly defaultUser: { readonly uid: number; readonly gid: number };
}

interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** The overflow user and group, which have these IDs on every system. */
export const NOBODY = { uid: 65_534, gid: 65_534 };

export function decideUser(request: UserRequest): RunAs {
  const { config, machine } = request;
  const { runAsUser, runAsGroup, supplementalGroups } = config.security;
  const fallback = machine.uid === 0 ? request.defaultUser : machine;
  const image = parseImageUser(request, fallback);
  const uid = runAsUser ?? image.uid;
  const account = uid === image.uid ? undefined : findAccount(request.root, String(uid));
  const gid = runAsGroup ?? (uid === image.uid ? image.gid : (account?.gid ?? fallback.gid));
  if (machine.isolation === 'none' && machine.uid !== 0)
    refuseOthers(config.name, machine, uid, gid);
  // The user namespace of an ordinary user has only one group, and files of volumes belong to it anyway.
  return { uid, gid, groups: machine.uid === 0 ? supplementalGroups : [] };
}

function refuseOthers(name: string, machine: Machine, uid: number, gid: number): void {
  if (uid === machine.uid && gid === machine.gid) return;
  throw userNotPermitted({
    name,
    wish: uid === machine.uid ? `group ${gid}` : `user ${uid}`,
    reason: `podkeep runs as user ${machine.uid} and cannot make user namespaces here`,
  });
}

function parseImageUser(
  { imageUser, root, config }: UserRequest,
  fallback: { readonly uid: number; readonly gid: number },
): { readonly uid: number; readonly gid: number } {
  if (imageUser === '') return fallback;
  const [user = '', group] = imageUser.split(':');
  const account = findAccount(root, user);
  if (account === undefined && !/^\d+$/.test(user)) {
    throw userNotPermitted({
      name: config.name,
      wish: user,
      reason: 'its image asks for this user, but has none of that name',
    });
  }
  const gid = group === undefined ? account?.gid : findGroup(root, group);
  return { uid: account?.uid ?? Number(user), gid: gid ?? 0 };
}

/** The home folder of a user, for the variable HOME. */
export function homeOf(root: string, uid: number): string {
  return findAccount(root, String(uid))?.home ?? '/';
}

/** Finds a user by number or by name. */
export function findAccount(root: string, user: string): Account | undefined {
  for (const [name = '', , uid = '', gid = '', , home = ''] of readTable(root, '/etc/passwd')) {
    if (uid === user || name === user) {
      return { name, uid: Number(uid), gid: Number(gid), home: home || '/' };
    }
  }
  return undefined;
}

function findGroup(root: string, group: string): number | undefined {
  if (/^\d+$/.test(group)) return Number(group);
  const row = readTable(root, '/etc/group').find(([name]) => name === group);
  return row?.[2] === undefined ? undefined : Number(row[2]);
}

function readTable(root: string, file: string): readonly (readonly string[])[] {
  try {
    const text = readFileSync(path.join(root, resolveInRoot(root, file)), 'utf8');
    return text.split('\n').map((line) => line.split(':'));
  } catch {
    return [];
  }
}
