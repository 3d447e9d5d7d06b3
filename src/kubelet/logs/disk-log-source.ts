/**
 * Reads the logs of containers from disk. The code that builds the paths validates names
 * (volumes/files/disk-pod-files.ts). In addition, no link is followed out of the log folder, and only regular
 * files are read: a user who can write into a log folder must not be able to make podkeep read other files.
 */
import { constants, watch, type Stats } from 'node:fs';
import { open, realpath, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { LogFile, LogSource } from '../../ports/pod/log-source.ts';
import type { ContainerRun, PodFiles } from '../../ports/pod/pod-files.ts';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export class DiskLogSource implements LogSource {
  readonly #files: Pick<PodFiles, 'logFolder' | 'logPath'>;

  constructor(files: Pick<PodFiles, 'logFolder' | 'logPath'>) {
    this.#files = files;
  }

  nameOf(run: ContainerRun): string {
    return path.join(this.#files.logFolder(run.pod), this.#files.logPath(run));
  }

  async open(run: ContainerRun): Promise<LogFile | null> {
    const file = this.nameOf(run);
    try {
      const root = await realpath(path.dirname(this.#files.logFolder(run.pod)));
      const folder = await realpath(path.dirname(file));
      if (!folder.startsWith(root + path.sep)) return null;
      const name = path.join(folder, path.basename(file));
      return await openPlain(name);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** A folder that cannot be watched is no problem, because readers poll, too. */
  watch(run: ContainerRun, changed: () => void): () => void {
    try {
      const watcher = watch(path.dirname(this.nameOf(run)), { persistent: false }, () => changed());
      watcher.on('error', () => watcher.close());
      return () => watcher.close();
    } catch {
      return () => {};
    }
  }
}

async function openPlain(name: string): Promise<LogFile | null> {
  const handle = await open(name, READ);
  try {
    const stats = await handle.stat();
    if (stats.isFile()) return new DiskLogFile(name, handle, stats);
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return null;
}

class DiskLogFile implements LogFile {
  readonly #name: string;
  readonly #handle: FileHandle;
  readonly #stats: Stats;

  constructor(name: string, handle: FileHandle, stats: Stats) {
    this.#name = name;
    this.#handle = handle;
    this.#stats = stats;
  }

  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const buffer = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const at = { offset: filled, length: length - filled, position: position + filled };
      const { bytesRead } = await this.#handle.read({ buffer, ...at });
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  }

  /** While the file is open, its inode number is not reused. */
  async isReplaced(): Promise<boolean> {
    try {
      const { ino, dev } = await stat(this.#name);
      return ino !== this.#stats.ino || dev !== this.#stats.dev;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ELOOP' || code === 'ENOTDIR' || code === 'ENXIO';
}
