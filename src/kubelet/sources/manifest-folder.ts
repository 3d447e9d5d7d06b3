/**
 * Reads manifests from disk: one file, or the files of a folder in the order of their names. Dot files are
 * ignored, and sub-folders are not read.
 */
import { constants } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { manifestUnreadable } from './manifest-errors.ts';

export interface FoundManifest {
  readonly file: string;
  /** The content, or why there is none. */
  readonly text: string | Error;
}

const MANIFEST_BYTES_MAX = 10 * 2 ** 20;

/** Null: there is nothing at that path. Throws MANIFEST_UNREADABLE if the path cannot be read. */
export async function readManifests(source: string): Promise<readonly FoundManifest[] | null> {
  const kind = await kindOf(source);
  if (kind === 'missing') return null;
  if (kind === 'folder') return readFolder(source);
  return [{ file: source, text: kind === 'file' ? await readText(source) : noFile(source) }];
}

async function readFolder(folder: string): Promise<readonly FoundManifest[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw unreadable(folder, error);
  });
  const found: FoundManifest[] = [];
  for (const name of names.filter((one) => !one.startsWith('.')).toSorted()) {
    const file = path.join(folder, name);
    const kind = await kindOf(file).catch(toError);
    if (kind === 'missing') continue; // removed since the folder was listed
    const text =
      kind instanceof Error ? kind : kind === 'file' ? await readText(file) : noFile(file);
    found.push({ file, text });
  }
  return found;
}

async function kindOf(file: string): Promise<'file' | 'folder' | 'other' | 'missing'> {
  try {
    const found = await stat(file);
    return found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other';
  } catch (error) {
    if (isMissing(error)) return 'missing';
    throw unreadable(file, error);
  }
}

/** Does not block if the path is a named pipe without a writer. */
async function readText(file: string): Promise<string | Error> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { size } = await handle.stat();
      if (size > MANIFEST_BYTES_MAX) {
        return manifestUnreadable({
          file,
          reason: `it is larger than ${MANIFEST_BYTES_MAX} bytes`,
        });
      }
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    return unreadable(file, error);
  }
}

function noFile(file: string): Error {
  return manifestUnreadable({ file, reason: 'it is neither a file nor the folder of manifests' });
}

function unreadable(file: string, error: unknown): Error {
  const { message: reason } = toError(error);
  return manifestUnreadable({ file, reason }, error);
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
