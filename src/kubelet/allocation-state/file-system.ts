/**
 * The file system operations of checkpoint files, behind an interface so that tests can make each of them
 * fail.
 *
 * Modes are those of Kubernetes' kubelet: folders are 0755 (KL-95), files 0600.
 *
 * Operations that wait for the disk are asynchronous: creating a file, renaming it, and syncing. All others
 * are fast (see exact-file.ts) and synchronous, because pods wait for them.
 */
import {
  closeSync,
  fsync,
  open,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

export interface FileSystem {
  /** Makes the folder and those above it. Returns the topmost that was missing, if any. */
  makeFolder(folder: string): Promise<string | undefined>;
  /** The names of its entries. */
  listFolder(folder: string): Promise<readonly string[]>;
  /** When it resolves, the names in the folder survive a power loss. */
  syncFolder(folder: string): Promise<void>;
  /** Undefined: there is no such file. */
  readFile(file: string): Promise<Uint8Array | undefined>;
  /** Fails if the name exists already, even as a dangling link. */
  createFile(file: string): Promise<NewFile>;
  /** Replaces `to` in one step: readers never see half of it. */
  rename(from: string, to: string): Promise<void>;
  /** A missing file is no error. */
  removeFile(file: string): Promise<void>;
}

export interface NewFile {
  /** Writes all of it, or fails. */
  write(content: Uint8Array): Promise<void>;
  /** When it resolves, the content survives a power loss. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const FOLDER_MODE = 0o755;
const FILE_MODE = 0o600;

/** Error codes of systems that cannot sync a folder. */
const NO_FOLDER_SYNC: ReadonlySet<unknown> = new Set(['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR']);

const synced = promisify(fsync);
const opened: (file: string, flags: string, mode: number) => Promise<number> = promisify(open);

export const nodeFileSystem: FileSystem = {
  makeFolder,
  listFolder: async (folder) => readdirSync(folder),
  syncFolder,
  readFile: readFileIfAny,
  createFile,
  rename,
  removeFile: async (file) => rmSync(file, { force: true }),
};

/** Checks first whether the folder exists, because it usually does, and a stat is cheaper than a mkdir. */
async function makeFolder(folder: string): Promise<string | undefined> {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  return mkdir(folder, { recursive: true, mode: FOLDER_MODE });
}

async function readFileIfAny(file: string): Promise<Uint8Array | undefined> {
  try {
    return readFileSync(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function createFile(file: string): Promise<NewFile> {
  const descriptor = await opened(file, 'wx', FILE_MODE);
  return {
    write: async (content) => writeFileSync(descriptor, content),
    sync: () => synced(descriptor),
    close: async () => closeSync(descriptor),
  };
}

async function syncFolder(folder: string): Promise<void> {
  try {
    const descriptor = openSync(folder, 'r');
    await synced(descriptor).finally(() => closeSync(descriptor));
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
