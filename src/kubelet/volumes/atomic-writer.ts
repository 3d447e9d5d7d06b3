/**
 * Shows a set of files in a folder, and later another set, such that a reader sees one of the two and
 * never a mixture.
 *
 *     key       -> ..data/key                    what users open
 *     ..data    -> ..2026_01_02_03_04_05.AbCdEf  the one link whose exchange changes everything
 *     ..2026_01_02_03_04_05.AbCdEf/key           the files themselves
 *
 * The exchange is one rename. Links for new names are made after it, and those of names that are gone are
 * removed last. What is the same already is not written again, whatever its mode. A writer that was cut
 * short leaves a folder or a link behind, which the next one removes.
 */
import {
  chmod,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import type { FileProjection, Payload } from './payload.ts';
import { removeTree } from './tree-removal.ts';
import { codeOf, isMissing, volumeUnusable } from './volume-errors.ts';

export interface AtomicWriteOptions {
  /** Wall time in milliseconds, for the name of the folder. */
  readonly nowMs: number;
  /** Sets owners and modes of what was written, before anybody sees it. */
  readonly finish?: (folder: string) => Promise<void>;
}

const DATA = '..data';
const NEXT_DATA = '..data_tmp';
const PATH_BYTES_MAX = 4096;
const NAME_BYTES_MAX = 255;
const FOLDER_MODE = 0o755;
const OWN_FOLDER = /^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\./;

/** Says whether the files had to be written. */
export async function writeAtomically(
  folder: string,
  payload: Payload,
  options: AtomicWriteOptions,
): Promise<boolean> {
  const files = cleanPayload(payload);
  const current = await currentFolder(folder);
  const old = current === null ? null : await treeOf(path.join(folder, current));
  const isWritten = old === null || !(await isSame(path.join(folder, current ?? ''), old, files));
  if (isWritten) await exchange(folder, files, options);
  await makeVisible(folder, files);
  await hideOthers(folder, files);
  await sweep(folder);
  return isWritten;
}

/** Throws on a path that could leave the folder, or meet our own names in it. */
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

/** Null: nothing was written yet, or what is there is none of ours. */
async function currentFolder(folder: string): Promise<string | null> {
  try {
    const target = await readlink(path.join(folder, DATA));
    return OWN_FOLDER.test(target) && !target.includes('/') ? target : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** All paths below the folder, with folders among them. Links are not followed. Null: it is gone. */
async function treeOf(folder: string): Promise<ReadonlySet<string> | null> {
  const found = new Set<string>();
  const visit = async (below: string): Promise<void> => {
    for (const entry of await readdir(path.join(folder, below), { withFileTypes: true })) {
      const name = path.posix.join(below, entry.name);
      found.add(name);
      if (entry.isDirectory()) await visit(name);
    }
  };
  try {
    await visit('');
    return found;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function isSame(folder: string, old: ReadonlySet<string>, files: Payload): Promise<boolean> {
  const wanted = new Set([...files.keys()].flatMap(stepsOf));
  if (wanted.size !== old.size || [...old].some((name) => !wanted.has(name))) return false;
  for (const [name, { data }] of files) {
    const file = path.join(folder, name);
    if (!(await lstat(file)).isFile() || !(await readFile(file)).equals(data)) return false;
  }
  return true;
}

/** `a/b/c` is reached by `a`, `a/b` and `a/b/c`. */
function stepsOf(name: string): readonly string[] {
  const items = name.split('/');
  return items.map((_, index) => items.slice(0, index + 1).join('/'));
}

async function exchange(
  folder: string,
  files: Payload,
  { nowMs, finish }: AtomicWriteOptions,
): Promise<void> {
  const made = await mkdtemp(path.join(folder, `..${stampOf(nowMs)}.`));
  try {
    await chmod(made, FOLDER_MODE);
    for (const [name, file] of files) await writeProjection(made, name, file);
    await finish?.(made);
    await unlink(path.join(folder, NEXT_DATA)).catch(ignoreMissing);
    await symlink(path.basename(made), path.join(folder, NEXT_DATA));
    await rename(path.join(folder, NEXT_DATA), path.join(folder, DATA));
  } catch (error) {
    await removeTree(made).catch(() => undefined);
    throw error;
  }
}

async function writeProjection(
  folder: string,
  name: string,
  { data, mode, user }: FileProjection,
): Promise<void> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  // Closed to others until its own mode is set: the mode of a new file is cut by podkeep's mask.
  await writeFile(file, data, { mode: 0o600, flag: 'wx' });
  await chmod(file, mode);
  if (user !== undefined) await giveTo(user, file);
}

/**
 * Whoever may not give files away keeps them: all users of containers are that one user then, outside
 * of their namespaces.
 */
async function giveTo(user: number, file: string): Promise<void> {
  try {
    await lchown(file, user, -1);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error;
  }
}

async function makeVisible(folder: string, files: Payload): Promise<void> {
  const owners = new Map([...files].map(([name, { user }]) => [stepsOf(name)[0] ?? name, user]));
  for (const [name, user] of owners) {
    const link = path.join(folder, name);
    try {
      await symlink(path.posix.join(DATA, name), link);
      if (user !== undefined) await giveTo(user, link);
    } catch (error) {
      // A link that is there already points to the same; a folder is the place of a nested mount.
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

/** Also those that a writer before us had no time to remove. */
async function hideOthers(folder: string, files: Payload): Promise<void> {
  const wanted = new Set([...files.keys()].map((name) => stepsOf(name)[0]));
  for (const name of await readdir(folder)) {
    if (wanted.has(name) || name.startsWith('..')) continue;
    const link = path.join(folder, name);
    const target = await readlink(link).catch(() => '');
    if (target === path.posix.join(DATA, name)) await unlink(link);
  }
}

/** What the exchange has left, now or when it was once cut short. */
async function sweep(folder: string): Promise<void> {
  const current = await currentFolder(folder);
  const names = await readdir(folder);
  for (const name of names) {
    if (OWN_FOLDER.test(name) && name !== current) await removeTree(path.join(folder, name));
  }
}

function stampOf(nowMs: number): string {
  const [date = '', time = ''] = new Date(nowMs).toISOString().split(/[T.]/);
  return `${date.replaceAll('-', '_')}_${time.replaceAll(':', '_')}`;
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
