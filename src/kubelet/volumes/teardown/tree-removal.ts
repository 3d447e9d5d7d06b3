/**
 * Removes a folder and everything in it, and nothing else.
 *
 * The removal never follows a link, and never enters another file system below the folder, because a mount
 * there is not podkeep's. A tree may be deeper than the number of files that can be open at once, so
 * folders that are too deep are first moved up.
 *
 * The steps are synchronous: a container can leave thousands of nested folders, which have to be opened one
 * after the other, and on a busy node each step on another thread would wait for the event loop. After
 * STEPS_PER_TURN steps the removal lets the rest of podkeep have its turn. Only large files are removed on
 * another thread, because the disk takes its time to free their space.
 */
import { constants, lstatSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import path from 'node:path';
import type { Turn } from '../../../ports/clock.ts';
import type { FileName } from '../open-folder.ts';
import { codeOf, isMissing, volumeUnusable } from '../volume-errors.ts';
import { FolderDescriptor } from './folder-descriptor.ts';

const DEPTH_MAX = 32;
const STEPS_PER_TURN = 128;
const LARGE_BYTES = 1_048_576;
const BYTES_PER_BLOCK = 512;

/** One step was made; a path: the file to remove next, on another thread. */
type Step = string | Buffer | null;

interface Removal {
  readonly top: FolderDescriptor;
  readonly device: number;
  moved: number;
}

/** A missing target is no error. `turn` absent: nothing else runs in this process. */
export async function removeTree(target: string, turn?: Turn): Promise<void> {
  let count = 0;
  for (const file of removeTarget(target)) {
    if (file !== null) await unlink(file);
    count += 1;
    if (count % STEPS_PER_TURN === 0) await turn?.();
  }
}

function* removeTarget(target: string): Generator<Step> {
  const parent = openIfThere(path.dirname(target));
  if (!parent) return;
  try {
    yield* removeName(parent, path.basename(target));
  } catch (error) {
    if (!isMissing(error)) throw error;
  } finally {
    parent.close();
  }
}

function* removeName(parent: FolderDescriptor, name: string): Generator<Step> {
  const { device } = parent;
  if (!lstatSync(parent.at(name)).isDirectory()) {
    unlinkSync(parent.at(name));
    return;
  }
  const top = parent.child(name);
  try {
    const removal: Removal = { top, device, moved: 0 };
    // Folders that were moved up in one round are removed in the next.
    while (top.names().length > 0) yield* empty(top, removal, 0);
  } finally {
    top.close();
  }
  rmdirSync(parent.at(name));
}

function* empty(folder: FolderDescriptor, removal: Removal, depth: number): Generator<Step> {
  if (folder.device !== removal.device) {
    throw volumeUnusable({ reason: `${folder.path} is mounted, and is not removed` });
  }
  for (const name of folder.names()) {
    const { mode, blocks } = lstatSync(folder.at(name));
    if ((mode & constants.S_IFMT) !== constants.S_IFDIR) {
      if (blocks * BYTES_PER_BLOCK >= LARGE_BYTES) {
        folder.makeWritable();
        yield folder.at(name);
      } else withRightToWrite(folder, () => unlinkSync(folder.at(name)));
    } else if (depth < DEPTH_MAX) yield* removeFolder(folder, name, removal, depth);
    else moveUp(folder, name, removal);
    yield null;
  }
}

function* removeFolder(
  folder: FolderDescriptor,
  name: FileName,
  removal: Removal,
  depth: number,
): Generator<Step> {
  const inner = folder.child(name);
  try {
    yield* empty(inner, removal, depth + 1);
  } finally {
    inner.close();
  }
  withRightToWrite(folder, () => rmdirSync(folder.at(name)));
}

function moveUp(folder: FolderDescriptor, name: FileName, removal: Removal): void {
  let newName: string;
  do {
    removal.moved += 1;
    newName = `..removed-${removal.moved}`;
    // A container may have used that very name.
  } while (lstatSync(removal.top.at(newName), { throwIfNoEntry: false }));
  withRightToWrite(folder, () => renameSync(folder.at(name), removal.top.at(newName)));
}

/** A container can leave a folder that its owner may not write to. */
function withRightToWrite(folder: FolderDescriptor, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error;
    folder.makeWritable();
    act();
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
