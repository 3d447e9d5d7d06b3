/**
 * A lock file, so that only one builder runs at a time.
 *
 * The file holds the PID of the builder. A builder that was killed leaves its file behind; no process has
 * that PID then, and the next builder may take the lock. Two builders could notice this at the same time, so
 * the stale file is first renamed to a unique name: only one of them can rename it, and the other finds it
 * gone.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildLocked } from './errors.ts';

const POLL_MS = 500;
/** The file does not exist, or holds no PID. */
const NOBODY = 0;

export interface LockOptions {
  readonly patienceMs: number;
  readonly onWait?: (pid: number) => void;
}

/** Runs `work` while holding the lock, and always releases the lock. */
export async function withLock<T>(
  file: string,
  { patienceMs, onWait }: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  mkdirSync(path.dirname(file), { recursive: true });
  const deadline = Date.now() + patienceMs;
  let notified = false;
  while (!take(file)) {
    const pid = ownerOf(file);
    if (!isAlive(pid)) {
      discard(file, pid);
      continue;
    }
    if (!notified) onWait?.(pid);
    notified = true;
    if (Date.now() >= deadline) throw buildLocked({ file, pid });
    await sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** Written under a unique name and then linked, so that no process reads an incomplete PID. */
function take(file: string): boolean {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, `${process.pid}\n`);
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function ownerOf(file: string): number {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isNaN(pid) ? NOBODY : pid;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return NOBODY;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (pid === NOBODY) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists, and belongs to another user.
    return isCode(error, 'EPERM');
  }
}

/** Removes the stale file, if it still holds this PID. */
function discard(file: string, pid: number): void {
  const own = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, own);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  // Another builder has taken the lock in the meantime: restore its file.
  if (ownerOf(own) !== pid) renameSync(own, file);
  else rmSync(own, { force: true });
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
