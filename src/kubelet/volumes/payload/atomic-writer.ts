/**
 * Writes the files of a ConfigMap, Secret, downward API or projected volume, and replaces all of them at once
 * when they change: a reader sees the old files or the new ones, never a mixture (as AtomicWriter of
 * Kubernetes' kubelet does).
 *
 *     key       -> ..data/key                    what users open
 *     ..data    -> ..2026_01_02_03_04_05.AbCdEf  the one link whose replacement switches everything
 *     ..2026_01_02_03_04_05.AbCdEf/key           the files themselves
 *
 * The switch is one rename. Links for new names are made after it, and links of removed names are removed
 * last. Files with the same content are not written again, whatever their mode. An interrupted writer leaves
 * a folder or a link, which the next writer removes.
 *
 * The files are small and mostly in memory, and a pod waits for them, so each step is synchronous (see
 * exact-file.ts). Only old folders, in which other processes may have put files, are removed asynchronously.
 */
import {
  chmodSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  type Dirent,
} from 'node:fs';
import path from 'node:path';
import { writeExactFile } from '../files/exact-file.ts';
import type { FileProjection, Payload } from './payload.ts';
import { removeTree } from '../teardown/tree-removal.ts';
import { codeOf, isMissing, volumeUnusable } from '../volume-errors.ts';

export interface AtomicWriteOptions {
  /** Wall time in milliseconds, for the name of the folder. */
  readonly nowMs: number;
  /** Sets owners and modes of the new files, before readers see them. */
  readonly finish?: (folder: string) => Promise<void>;
}

const DATA = '..data';
const NEXT_DATA = '..data_tmp';
const PATH_BYTES_MAX = 4096;
const NAME_BYTES_MAX = 255;
const FOLDER_MODE = 0o755;
const OWN_FOLDER = /^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\./;

/** Returns whether the files had to be written. */
export async function writeAtomically(
  folder: string,
  payload: Payload,
  options: AtomicWriteOptions,
): Promise<boolean> {
  const files = cleanPayload(payload);
  const current = currentFolder(folder);
  const isWritten = current === null || !isSame(path.join(folder, current), files);
  const shown = isWritten ? await exchange(folder, files, options) : current;
  const names = readdirSync(folder);
  makeVisible(folder, files, new Set(names));
  hideOthers(folder, files, names);
  // Removes the folder that this switch replaced, and those of interrupted writers.
  const left = names.filter((name) => OWN_FOLDER.test(name) && name !== shown);
  for (const name of left) await removeTree(path.join(folder, name));
  return isWritten;
}

/** Throws on a path that could leave the folder, or collide with the writer's own names in it. */
function cleanPayload(payload: Payload): Payload {
  return new Map(
    [...payload].map(([name, file]) => {
      checkPath(name);
      return [path.posix.normalize(name).replace(/\/$/, ''), file];
    }),
  );
}

function checkPath(name: string): void {
  if (name === '') throw invalid('must not be empty: ""');
  if (name.startsWith('/')) throw invalid(`must be relative path: ${name}`);
  if (Buffer.byteLength(name) > PATH_BYTES_MAX) {
    throw invalid(`must be less than or equal to ${PATH_BYTES_MAX} characters`);
  }
  const items = name.split('/');
  if (items.includes('..')) throw invalid(`must not contain '..': ${name}`);
  if (items.some((item) => Buffer.byteLength(item) > NAME_BYTES_MAX)) {
    throw invalid(`filenames must be less than or equal to ${NAME_BYTES_MAX} characters`);
  }
  const first = path.posix.normalize(name).split('/')[0] ?? '';
  if (first.startsWith('..')) throw invalid(`must not start with '..': ${name}`);
  if (first === '.' || name.includes('\0')) throw invalid(`must name a file: ${name}`);
}

function invalid(reason: string) {
  return volumeUnusable({ reason: `invalid path: ${reason}` });
}

/** Null: nothing was written yet, or the link was not made by this writer. */
function currentFolder(folder: string): string | null {
  try {
    const target = readlinkSync(path.join(folder, DATA));
    return OWN_FOLDER.test(target) && !target.includes('/') ? target : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Whether the folder contains exactly these files. Links are not followed; a missing folder has no files. */
function isSame(folder: string, files: Payload): boolean {
  try {
    const wanted = new Set([...files.keys()].flatMap(stepsOf));
    const found = treeOf(folder);
    if (wanted.size !== found.size || [...wanted].some((name) => !found.has(name))) return false;
    return [...files].every(([name, { data }]) => {
      const isFile = found.get(name)?.isFile() ?? false;
      return isFile && readFileSync(path.join(folder, name)).equals(data);
    });
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** All paths below the folder, including folders. */
function treeOf(folder: string, below = ''): ReadonlyMap<string, Dirent> {
  const entries = readdirSync(path.join(folder, below), { withFileTypes: true });
  return new Map(
    entries.flatMap((entry): (readonly [string, Dirent])[] => {
      const name = path.posix.join(below, entry.name);
      return [[name, entry], ...(entry.isDirectory() ? treeOf(folder, name) : [])];
    }),
  );
}

/** For the file `a/b/c`: `a`, `a/b` and `a/b/c`. */
function stepsOf(name: string): readonly string[] {
  const items = name.split('/');
  return items.map((_, index) => items.slice(0, index + 1).join('/'));
}

/** Returns the folder that is shown now. */
async function exchange(
  folder: string,
  files: Payload,
  { nowMs, finish }: AtomicWriteOptions,
): Promise<string> {
  const made = mkdtempSync(path.join(folder, `..${stampOf(nowMs)}.`));
  try {
    chmodSync(made, FOLDER_MODE);
    for (const [name, file] of files) writeProjection(made, name, file);
    await finish?.(made);
    link(path.basename(made), path.join(folder, NEXT_DATA));
    renameSync(path.join(folder, NEXT_DATA), path.join(folder, DATA));
    return path.basename(made);
  } catch (error) {
    await removeTree(made).catch(() => undefined);
    throw error;
  }
}

function writeProjection(folder: string, name: string, { data, mode, user }: FileProjection): void {
  const file = path.join(folder, name);
  if (name.includes('/')) mkdirSync(path.dirname(file), { recursive: true });
  writeExactFile(file, 'wx', { content: data, mode });
  if (user !== undefined) giveTo(user, file);
}

/**
 * If podkeep may not change owners, it stays the owner of the files: without root, all users in containers
 * are podkeep's own user outside of their user namespaces.
 */
function giveTo(user: number, file: string): void {
  try {
    lchownSync(file, user, -1);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error;
  }
}

/** Replaces a link that an interrupted writer did not rename. */
function link(target: string, file: string): void {
  try {
    symlinkSync(target, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    unlinkSync(file);
    symlinkSync(target, file);
  }
}

/** If the name exists, it stays: a link has the same target, and a folder is the target of a nested mount. */
function makeVisible(folder: string, files: Payload, present: ReadonlySet<string>): void {
  const owners = new Map([...files].map(([name, { user }]) => [firstOf(name), user]));
  for (const [name, user] of owners) {
    if (present.has(name)) continue;
    symlinkSync(path.posix.join(DATA, name), path.join(folder, name));
    if (user !== undefined) giveTo(user, path.join(folder, name));
  }
}

/** Also removes names that an interrupted writer left. */
function hideOthers(folder: string, files: Payload, present: readonly string[]): void {
  const wanted = new Set([...files.keys()].map(firstOf));
  for (const name of present) {
    if (wanted.has(name) || name.startsWith('..')) continue;
    const file = path.join(folder, name);
    if (targetOf(file) === path.posix.join(DATA, name)) unlinkSync(file);
  }
}

/** Null: the path is not a link. */
function targetOf(file: string): string | null {
  try {
    return readlinkSync(file);
  } catch {
    return null;
  }
}

function firstOf(name: string): string {
  return name.split('/', 1)[0] ?? name;
}

function stampOf(nowMs: number): string {
  const [date = '', time = ''] = new Date(nowMs).toISOString().split(/[T.]/);
  return `${date.replaceAll('-', '_')}_${time.replaceAll(':', '_')}`;
}
