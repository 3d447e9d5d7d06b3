/**
 * Removes a folder and everything in it, and nothing else.
 *
 * The removal never follows a link, and never enters another file system below the folder, because a mount
 * there is not podkeep's. A tree may be deeper than the number of files that can be open at once, so
 * folders that are too deep are first moved up.
 *
 * A container can leave thousands of nested folders, which have to be removed one after the other, and on a
 * busy node each step on another thread waits for the event loop. So the steps that only read are
 * synchronous, and those that write to the disk run on other threads: several files of a folder at once, and
 * folders one after the other.
 */
import { lstatSync } from 'node:fs';
import { rename, rmdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { FileName } from '../open-folder.ts';
import { codeOf, isMissing, volumeUnusable } from '../volume-errors.ts';
import { FolderDescriptor } from './folder-descriptor.ts';

const DEPTH_MAX = 32;
/** Without folders that were moved up, one round is enough unless a process goes on writing. */
const ROUNDS_MAX = 10;
/** Files that are removed at once: as many as there are other threads, and some that wait for one. */
const FILES_MAX = 8;

interface Removal {
  readonly top: FolderDescriptor;
  readonly device: number;
  moved: number;
}

/** A missing target is no error. */
export async function removeTree(target: string): Promise<void> {
  const parent = openIfThere(path.dirname(target));
  if (!parent) return;
  try {
    await removeName(parent, path.basename(target));
  } catch (error) {
    if (!isMissing(error)) throw error;
  } finally {
    parent.close();
  }
}

async function removeName(parent: FolderDescriptor, name: string): Promise<void> {
  const { device } = parent;
  if (!isFolder(parent, name)) {
    await unlink(parent.at(name));
    return;
  }
  const top = parent.child(name);
  try {
    const removal: Removal = { top, device, moved: 0 };
    // Folders that were moved up in one round are removed in the next.
    for (let rounds = 0; top.names().length > 0; rounds += 1) {
      if (rounds >= removal.moved + ROUNDS_MAX) {
        throw volumeUnusable({ reason: `${top.path} is written to while it is removed` });
      }
      await empty(top, removal, 0);
    }
  } finally {
    top.close();
  }
  await rmdir(parent.at(name));
}

async function empty(folder: FolderDescriptor, removal: Removal, depth: number): Promise<void> {
  if (folder.device !== removal.device) {
    throw volumeUnusable({ reason: `${folder.path} is mounted, and is not removed` });
  }
  let files: FileName[] = [];
  for (const name of folder.names()) {
    if (!isFolder(folder, name)) files.push(name);
    else if (depth < DEPTH_MAX) await removeFolder(folder, name, removal, depth);
    else await moveUp(folder, name, removal);
    if (files.length < FILES_MAX) continue;
    await removeFiles(folder, files);
    files = [];
  }
  await removeFiles(folder, files);
}

async function removeFiles(folder: FolderDescriptor, names: readonly FileName[]): Promise<void> {
  await Promise.all(names.map((name) => withRightToWrite(folder, () => unlink(folder.at(name)))));
}

async function removeFolder(
  folder: FolderDescriptor,
  name: FileName,
  removal: Removal,
  depth: number,
): Promise<void> {
  const inner = folder.child(name);
  try {
    await empty(inner, removal, depth + 1);
  } finally {
    inner.close();
  }
  await withRightToWrite(folder, () => rmdir(folder.at(name)));
}

async function moveUp(folder: FolderDescriptor, name: FileName, removal: Removal): Promise<void> {
  let newName: string;
  do {
    removal.moved += 1;
    newName = `..removed-${removal.moved}`;
    // A container may have used that very name.
  } while (lstatSync(removal.top.at(newName), { throwIfNoEntry: false }));
  await withRightToWrite(folder, () => rename(folder.at(name), removal.top.at(newName)));
}

function isFolder(folder: FolderDescriptor, name: FileName): boolean {
  return lstatSync(folder.at(name)).isDirectory();
}

/** A container can leave a folder that its owner may not write to. */
async function withRightToWrite(folder: FolderDescriptor, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error;
    folder.makeWritable();
    await act();
  }
}

function openIfThere(folder: string): FolderDescriptor | null {
  try {
    return FolderDescriptor.open(folder);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
