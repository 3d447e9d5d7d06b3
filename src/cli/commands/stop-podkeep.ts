/**
 * `podkeep down`: ends the podkeep that has a data folder, and then the pods that it left running.
 *
 * Who has the folder is known from the lock of the store, which the system takes away with its process:
 * so the number is never that of somebody else who got it later.
 */
import { existsSync } from 'node:fs';
import { ownersOf } from '../../apiserver/store/lmdb/owner-lock.ts';
import { defineError } from '../../lib/errors.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import { locateDataFolder } from '../data-folder.ts';
import type { Io } from '../io.ts';
import { stopKeptPods } from './kept-pods.ts';

export interface DownOptions {
  readonly dataDir?: string;
}

const LOOK_MS = 50;
/** Pods have their grace periods first. */
const END_MS_MAX = 120_000;

const stopRefused = defineError<{ pid: number; reason: string }>({
  code: 'STOP_REFUSED',
  retry: 'never',
  message: ({ pid, reason }) => `process ${pid} cannot be told to stop: ${reason}`,
  hint: () => 'Run podkeep down as the user who started it.',
});

const stopOverdue = defineError<{ pid: number; seconds: number }>({
  code: 'STOP_OVERDUE',
  retry: 'never',
  message: ({ pid, seconds }) =>
    `process ${pid} was told to stop, but still runs after ${seconds} s`,
  hint: ({ pid }) =>
    `Run podkeep down again, which ends it at once, or look at what process ${pid} does.`,
});

export async function stopPodkeep(
  { dataDir }: DownOptions,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const folder = locateDataFolder(dataDir, io.env);
  const owners = existsSync(folder.store) ? await ownersOf(folder.store) : [];
  for (const pid of owners) {
    tellToStop(pid);
    await ended(pid, signal);
    io.out(`podkeep on ${folder.root} has ended (process ${pid})\n`);
  }
  const kept = await stopKeptPods(folder, io);
  for (const pod of kept) io.out(`stopped ${pod}\n`);
  if (owners.length + kept.length === 0) io.out(`nothing runs on ${folder.root}\n`);
  return 0;
}

function tellToStop(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return; // it ended in this moment
    throw stopRefused(
      { pid, reason: error instanceof Error ? error.message : String(error) },
      error,
    );
  }
}

async function ended(pid: number, signal: AbortSignal): Promise<void> {
  const since = clock.monotonic();
  while (isAlive(pid)) {
    signal.throwIfAborted();
    if (clock.monotonic() - since > END_MS_MAX) {
      throw stopOverdue({ pid, seconds: END_MS_MAX / 1000 });
    }
    await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
