/**
 * One builder at a time.
 *
 * The lock is a file with the PID of the process that created it. A builder that was killed leaves the
 * file behind; its PID then names no process, and the next one may take the lock. Between seeing that and
 * removing the file another one could have done the same, so the stale file is renamed to a unique name
 * first: only one of two can rename it, and the other one finds it gone.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildLocked } from './errors.ts';

const POLL_MS = 500;
/** The file is gone, or names no process. */
const NOBODY = 0;

export interface LockOptions {
  readonly patienceMs: number;
  readonly onWait?: (pid: number) => void;
}

/** Does the work while holding the lock, and releases the lock whatever happens. */
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

/** Written under a unique name and then linked, so that no process ever reads half a number. */
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
    // It is alive, and belongs to another user.
    return isCode(error, 'EPERM');
  }
}

/** Removes the file if it still is what we saw. */
function discard(file: string, pid: number): void {
  const own = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, own);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  // A living builder took the lock in between: give it back, unless a third one came meanwhile.
  if (ownerOf(own) !== pid) renameSync(own, file);
  else rmSync(own, { force: true });
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
