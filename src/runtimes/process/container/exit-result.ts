/**
 * Decides the exit code and reason of a container, from the notes of its monitor and podkeep's observations.
 *
 *     never ran                       128, StartError, and the reason
 *     no exit code, and no process    137: init was killed, and the kernel killed the rest
 *     an exit code                    that code; OOMKilled if it exceeded its memory limit
 */
import type { Notes } from './init-notes.ts';
import type { ContainerResult } from './records.ts';

export interface Evidence {
  readonly notes: Notes;
  readonly finishedAtMs: number;
  readonly startedAtMs: number | undefined;
  readonly wasOutOfMemory: boolean;
  /** The output of the programs that ran before the command. */
  readonly trouble: string;
}

const KILLED = 137;
/** The exit code with which other runtimes report a command that could not be started. */
const NEVER_RAN = 128;

export function exitResult(evidence: Evidence): ContainerResult {
  const { notes, finishedAtMs, startedAtMs, wasOutOfMemory, trouble } = evidence;
  const { exitCode = KILLED, failure, isRunning } = notes;
  if (!isRunning && (failure !== undefined || notes.exitCode !== undefined)) {
    const message = failure || trouble || 'it ended before its command ran';
    return { exitCode: NEVER_RAN, finishedAtMs, reason: 'StartError', message };
  }
  const failed = wasOutOfMemory ? 'OOMKilled' : 'Error';
  return {
    exitCode,
    finishedAtMs,
    ...(startedAtMs === undefined ? {} : { startedAtMs }),
    reason: exitCode === 0 ? 'Completed' : failed,
  };
}
