/**
 * As much of a file system as a checkpoint needs, so that a test can let each step of it fail.
 *
 * Modes are those of the kubelet: folders are 0755 (KL-95), files 0600.
 */
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

export interface FileSystem {
  /** Makes the folder and those above it. Answers with the topmost that was missing, if any. */
  makeFolder(folder: string): Promise<string | undefined>;
  /** The names of what is in it. */
  listFolder(folder: string): Promise<readonly string[]>;
  /** When it resolves, the names in the folder outlive a power cut. */
  syncFolder(folder: string): Promise<void>;
  /** Undefined: there is no such file. */
  readFile(file: string): Promise<Uint8Array | undefined>;
  /** Fails if there is anything of that name already, be it a link to nowhere. */
  createFile(file: string): Promise<NewFile>;
  /** Replaces what is at `to` in one step: nobody ever sees half of it. */
  rename(from: string, to: string): Promise<void>;
  /** To remove what is not there is no error. */
  removeFile(file: string): Promise<void>;
}

export interface NewFile {
  /** Writes all of it, or fails. */
  write(content: Uint8Array): Promise<void>;
  /** When it resolves, the content outlives a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const FOLDER_MODE = 0o755;
const FILE_MODE = 0o600;

/** How systems say that they have no such thing as a folder to be synced. */
const NO_FOLDER_SYNC: ReadonlySet<unknown> = new Set(['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR']);

export const nodeFileSystem: FileSystem = {
  makeFolder: (folder) => mkdir(folder, { recursive: true, mode: FOLDER_MODE }),
  listFolder: (folder) => readdir(folder),
  syncFolder,
  readFile: readFileIfAny,
  createFile,
  rename,
  removeFile: (file) => rm(file, { force: true }),
};

async function readFileIfAny(file: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function createFile(file: string): Promise<NewFile> {
  const handle = await open(file, 'wx', FILE_MODE);
  return {
    write: (content) => handle.writeFile(content),
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!NO_FOLDER_SYNC.has(codeOf(error))) throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The folders from `top` down to `folder`, both included; the topmost comes first. */
export function foldersBetween(top: string, folder: string): readonly string[] {
  const parent = path.dirname(folder);
  if (folder === top || parent === folder) return [folder];
  return [...foldersBetween(top, parent), folder];
}
