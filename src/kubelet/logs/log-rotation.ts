/**
 * Rotates the logs of running containers to limit their size (containerLogMaxSize and containerLogMaxFiles of
 * KubeletConfiguration).
 *
 *     0.log ──> 0.log.20260102-030405 ──> 0.log.20260102-030405.gz ──> removed
 *
 * The newest rotated file stays uncompressed until the next rotation, because a client that follows the log
 * has possibly not read it to its end yet. Each rotation cleans up after an interrupted earlier one.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PodFiles } from '../../ports/pod/pod-files.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';

export interface LogRotationOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly runtime: Pick<PodRuntime, 'list' | 'reopenLog'>;
  readonly files: Pick<PodFiles, 'logFolder' | 'logPath'>;
  readonly maxBytes?: number;
  /** Including the current one. */
  readonly maxFiles?: number;
  readonly everyMs?: number;
}

const MAX_BYTES = 10 * 1024 * 1024;
const MAX_FILES = 5;
const EVERY_MS = 10_000;
const COMPRESSED = '.gz';
const UNFINISHED = '.tmp';

export class LogRotation {
  readonly #options: LogRotationOptions;
  #cancel: Cancel = () => {};
  #isStopped = false;

  constructor(options: LogRotationOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, everyMs = EVERY_MS } = this.#options;
    this.#cancel = clock.after(everyMs, () => {
      void this.rotate().finally(() => {
        if (!this.#isStopped) this.start();
      });
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** Checks the log of every running container. It never rejects. */
  async rotate(): Promise<void> {
    const { runtime, files, log } = this.#options;
    try {
      for (const entry of await runtime.list()) {
        const folder = files.logFolder(entry);
        for (const { id, name, state, restartCount } of entry.pod.containers) {
          if (state !== 'running') continue;
          const file = files.logPath({ container: name, attempt: restartCount });
          await this.#rotateOne(id, path.join(folder, file)).catch((error: unknown) => {
            log.warn('Failed to rotate log for container', {
              pod: entry,
              container: name,
              file,
              error,
            });
          });
        }
      }
    } catch (error) {
      log.warn('Failed to rotate container logs', { error });
    }
  }

  async #rotateOne(id: string, file: string): Promise<void> {
    const { runtime, clock, maxBytes = MAX_BYTES, maxFiles = MAX_FILES } = this.#options;
    const size = await sizeOf(file);
    // The file was removed: the container still writes into the unlinked file.
    if (size === null) return runtime.reopenLog(id);
    if (size < maxBytes) return;
    const kept = await removeExcess(await removeUnused(file), maxFiles);
    for (const old of kept) if (!old.endsWith(COMPRESSED)) await compress(old);
    const rotated = `${file}.${stampOf(clock.now())}`;
    await rename(file, rotated);
    try {
      await runtime.reopenLog(id);
    } catch (error) {
      await rename(rotated, file);
      throw error;
    }
  }
}

/** The rotated files of a log, oldest first, after removing what an earlier run has left unfinished. */
async function removeUnused(file: string): Promise<readonly string[]> {
  const folder = path.dirname(file);
  const names = await readdir(folder);
  const old = names
    .filter((name) => name.startsWith(`${path.basename(file)}.`))
    .map((name) => path.join(folder, name));
  const isUnused = (each: string): boolean =>
    each.endsWith(UNFINISHED) || old.includes(`${each}${COMPRESSED}`);
  for (const each of old.filter(isUnused)) await rm(each, { force: true });
  return old.filter((each) => !isUnused(each)).toSorted();
}

/** Leaves space for two more files: the one that is rotated now, and the new log. */
async function removeExcess(old: readonly string[], maxFiles: number): Promise<readonly string[]> {
  const excess = Math.max(old.length - Math.max(maxFiles - 2, 0), 0);
  for (const each of old.slice(0, excess)) await rm(each, { force: true });
  return old.slice(excess);
}

async function compress(file: string): Promise<void> {
  const { mode } = await stat(file);
  const unfinished = `${file}${UNFINISHED}`;
  try {
    await pipeline(createReadStream(file), createGzip(), createWriteStream(unfinished, { mode }));
    await rename(unfinished, `${file}${COMPRESSED}`);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await rm(file, { force: true });
}

async function sizeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** 20260102-030405, which sorts by time. */
function stampOf(ms: number): string {
  const digits = new Date(ms).toISOString().replaceAll(/[^0-9]/g, '');
  return `${digits.slice(0, 8)}-${digits.slice(8, 14)}`;
}
