/**
 * Removes a folder and all that is in it, and nothing else.
 *
 * Links are removed, never followed; another file system below the folder is never entered, because a mount
 * there is not podkeep's. A tree may be deeper than the number of files that can be open at once, so
 * folders that are too deep are first moved up.
 */
import { rename, rmdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import { OpenFolder, type FileName } from '../open-folder.ts';
import { codeOf, isMissing, volumeUnusable } from '../volume-errors.ts';

const DEPTH_MAX = 32;

interface Removal {
  readonly top: OpenFolder;
  readonly device: number;
  moved: number;
}

/** A missing target is no error. */
export async function removeTree(target: string): Promise<void> {
  const parent = await openIfThere(path.dirname(target));
  if (!parent) return;
  try {
    const { dev: device } = await parent.stat();
    await removeName(parent, path.basename(target), device);
  } finally {
    await parent.close();
  }
}

async function removeName(parent: OpenFolder, name: string, device: number): Promise<void> {
  try {
    if (!(await parent.inspect(name)).isDirectory()) {
      await unlink(parent.at(name));
      return;
    }
    const top = await parent.child(name);
    try {
      const removal: Removal = { top, device, moved: 0 };
      // Folders that were moved up meanwhile are seen by the next round.
      while ((await top.names()).length > 0) await empty(top, removal, 0);
    } finally {
      await top.close();
    }
    await rmdir(parent.at(name));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function empty(folder: OpenFolder, removal: Removal, depth: number): Promise<void> {
  const { dev } = await folder.stat();
  if (dev !== removal.device) {
    throw volumeUnusable({ reason: `${folder.path} is mounted, and is not removed` });
  }
  for (const name of await folder.names()) {
    const stats = await folder.inspect(name);
    if (!stats.isDirectory()) await withRightToWrite(folder, () => unlink(folder.at(name)));
    else if (depth < DEPTH_MAX) await removeFolder(folder, name, removal, depth);
    else await moveUp(folder, name, removal);
  }
}

async function removeFolder(
  folder: OpenFolder,
  name: FileName,
  removal: Removal,
  depth: number,
): Promise<void> {
  const inner = await folder.child(name);
  try {
    await empty(inner, removal, depth + 1);
  } finally {
    await inner.close();
  }
  await withRightToWrite(folder, () => rmdir(folder.at(name)));
}

async function moveUp(folder: OpenFolder, name: FileName, removal: Removal): Promise<void> {
  let place: string;
  do {
    removal.moved += 1;
    place = `..removed-${removal.moved}`;
    // A container may have used that very name.
  } while (await isThere(removal.top, place));
  await withRightToWrite(folder, () => rename(folder.at(name), removal.top.at(place)));
}

async function isThere(folder: OpenFolder, name: string): Promise<boolean> {
  return folder.inspect(name).then(
    () => true,
    () => false,
  );
}

/** A container can also leave a folder that its owner may not write to. */
async function withRightToWrite(folder: OpenFolder, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error;
    await folder.changeMode('.', (mode) => mode | 0o700);
    await act();
  }
}

async function openIfThere(folder: string): Promise<OpenFolder | null> {
  try {
    return await OpenFolder.open(folder);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
