/**
 * Applies the pod's fsGroup to a volume: sets the group of all files, lets the group read and write, and sets
 * setgid on folders.
 *
 * If podkeep has no permission to change the group, files stay as they are, and their owner can still use
 * them. The group of a link itself is changed; links are never followed.
 */
import { lchown } from 'node:fs/promises';
import path from 'node:path';
import { OpenFolder, type FileName } from '../open-folder.ts';
import { codeOf } from '../volume-errors.ts';

export interface OwnershipRequest {
  readonly folder: string;
  readonly group: number;
  readonly isReadOnly: boolean;
  /** Changes nothing if the folder of the volume already has the right group and mode (OnRootMismatch). */
  readonly onlyOnMismatch?: boolean;
}

const READ_WRITE = 0o660;
const READ_ONLY = 0o440;
const ENTER = 0o110;
const HAND_ON_GROUP = 0o2000;

/** Returns the number of failed changes. */
export async function giveToGroup(request: OwnershipRequest): Promise<number> {
  const { folder } = request;
  const parent = await OpenFolder.open(path.dirname(folder));
  try {
    if (request.onlyOnMismatch && (await isRight(folder, request))) return 0;
    return await giveName(parent, path.basename(folder), request);
  } finally {
    await parent.close();
  }
}

async function isRight(folder: string, { group, isReadOnly }: OwnershipRequest): Promise<boolean> {
  const open = await OpenFolder.open(folder);
  try {
    const { gid, mode } = await open.stat();
    const needed = (isReadOnly ? READ_ONLY : READ_WRITE) | ENTER | HAND_ON_GROUP;
    return gid === group && (mode & needed) === needed;
  } finally {
    await open.close();
  }
}

/** Changes the content of a folder before the folder itself: if a folder is right, so is everything in it. */
async function giveName(
  parent: OpenFolder,
  name: FileName,
  request: OwnershipRequest,
): Promise<number> {
  const stats = await parent.inspect(name);
  let failures = 0;
  if (stats.isDirectory()) {
    const folder = await parent.child(name);
    try {
      for (const inner of await folder.names()) failures += await giveName(folder, inner, request);
    } finally {
      await folder.close();
    }
  }
  const bits = request.isReadOnly ? READ_ONLY : READ_WRITE;
  const extra = stats.isDirectory() ? ENTER | HAND_ON_GROUP : 0;
  failures += await attempt(() => lchown(parent.at(name), -1, request.group));
  failures += await attempt(() => parent.changeMode(name, (mode) => mode | bits | extra));
  return failures;
}

async function attempt(act: () => Promise<void>): Promise<number> {
  try {
    await act();
    return 0;
  } catch (error) {
    if (codeOf(error) === 'EPERM' || codeOf(error) === 'EROFS') return 1;
    throw error;
  }
}
