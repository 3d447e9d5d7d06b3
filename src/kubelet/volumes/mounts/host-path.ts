/**
 * Checks the path of a hostPath volume against its type, and creates a missing path if the type allows that
 * (DirectoryOrCreate, FileOrCreate or no type). podkeep never removes the path.
 */
import { mkdir, open, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import type { HostPathSource } from '../volume-spec.ts';
import { codeOf, isMissing, volumeUnusable } from '../volume-errors.ts';

interface TypeRule {
  readonly fits: (stats: Stats) => boolean;
  readonly title: string;
  readonly make?: (path: string) => Promise<void>;
}

const RULES: ReadonlyMap<string, TypeRule> = new Map([
  ['Directory', { fits: (stats) => stats.isDirectory(), title: 'a directory' }],
  [
    'DirectoryOrCreate',
    { fits: (stats) => stats.isDirectory(), title: 'a directory', make: makeFolder },
  ],
  ['File', { fits: (stats) => stats.isFile(), title: 'a file' }],
  ['FileOrCreate', { fits: (stats) => stats.isFile(), title: 'a file', make: makeFile }],
  ['Socket', { fits: (stats) => stats.isSocket(), title: 'a socket file' }],
  ['CharDevice', { fits: (stats) => stats.isCharacterDevice(), title: 'a character device' }],
  ['BlockDevice', { fits: (stats) => stats.isBlockDevice(), title: 'a block device' }],
] satisfies readonly (readonly [string, TypeRule])[]);

export async function checkHostPath({ path, type = '' }: HostPathSource): Promise<void> {
  if (path.split('/').includes('..')) {
    throw volumeUnusable({ reason: `invalid HostPath \`${path}\`: must not contain '..'` });
  }
  const stats = await inspect(path);
  if (type === '') {
    // The pod requests no check. Some container runtimes then create a missing folder, so podkeep creates it
    // for all of them.
    if (!stats) await makeFolder(path);
    return;
  }
  const rule = RULES.get(type);
  if (!rule) throw volumeUnusable({ reason: `${type} is an invalid volume type` });
  if (!stats && rule.make) {
    await rule.make(path);
  } else if (!stats || !rule.fits(stats)) {
    throw volumeUnusable({ reason: `hostPath type check failed: ${path} is not ${rule.title}` });
  }
}

/** Undefined: the path does not exist. */
async function inspect(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error) || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/**
 * Creates the folders one by one: Node's recursive mkdir never returns where none can be created, as below
 * /proc.
 */
async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path);
  if (parent !== path && !(await inspect(parent))) await makeFolder(parent);
  await mkdir(path, { mode: 0o755 }).catch(async (error: unknown) => {
    const wasSlower = codeOf(error) === 'EEXIST' && (await inspect(path))?.isDirectory();
    if (!wasSlower) throw error;
  });
}

async function makeFile(path: string): Promise<void> {
  const handle = await open(path, 'a', 0o644);
  await handle.close();
}
