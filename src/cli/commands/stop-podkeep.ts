/**
 * `podkeep down`: stops the podkeep that uses a data folder, and then the pods that it left running.
 *
 * The PID comes from the lock of the store. The operating system releases the lock when the process ends, so
 * the PID never belongs to a later process with the same number.
 */
import { existsSync } from 'node:fs';
import { lockOwnersOf } from '../../apiserver/store/lmdb/owner-lock.ts';
import { defineError } from '../../lib/errors.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import { locateDataFolder } from '../data-folder.ts';
import type { Io } from '../io.ts';
import { isTemporaryFolder, removeTemporaryFolder } from '../temporary-cluster.ts';
import { supervisorOf } from '../supervision/supervisor-process.ts';
import { stopRunningPods } from './running-pods.ts';

export interface DownOptions {
  readonly dataDir?: string;
}

const LOOK_MS = 50;
/** Long enough for the grace periods of pods. */
const END_MS_MAX = 120_000;

const stopRefused = defineError<{ pid: number; reason: string }>({
  code: 'STOP_REFUSED',
  retry: 'never',
  message: ({ pid, reason }) => `process ${pid} cannot be stopped: ${reason}`,
  hint: () => 'Run podkeep down as the user who started it.',
});

const stopOverdue = defineError<{ pid: number; seconds: number }>({
  code: 'STOP_OVERDUE',
  retry: 'never',
  message: ({ pid, seconds }) =>
    `process ${pid} was asked to stop, but still runs after ${seconds} s`,
  hint: ({ pid }) =>
    `Run podkeep down again, which ends it immediately, or check what process ${pid} does.`,
});

export async function stopPodkeep(
  { dataDir }: DownOptions,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const folder = locateDataFolder(dataDir, io.env);
  const owners = existsSync(folder.store) ? await lockOwnersOf(folder.store) : [];
  const supervisor = supervisorOf(folder.root);
  if (supervisor !== null) requestStop(supervisor);
  // While its supervisor restarts it, no podkeep runs; then podkeep down waits for the supervisor.
  const waited = owners.length === 0 && supervisor !== null ? [supervisor] : owners;
  for (const pid of waited) {
    // With a supervisor, the supervisor forwards the signal.
    if (supervisor === null) requestStop(pid);
    await ended(pid, signal);
    if (supervisor !== null) await ended(supervisor, signal);
    io.out(`podkeep on ${folder.root} has ended (process ${pid})\n`);
  }
  const kept = await stopRunningPods(folder, io);
  for (const pod of kept) io.out(`stopped ${pod}\n`);
  if (waited.length + kept.length === 0) io.out(`nothing runs on ${folder.root}\n`);
  // A podkeep that was killed could not remove its temporary folder.
  if (isTemporaryFolder(folder) && existsSync(folder.root)) await removeTemporaryFolder(folder, io);
  return 0;
}

function requestStop(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return; // it ended just now
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
