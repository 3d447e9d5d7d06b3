/**
 * Defines scripts: plain data that says how a simulated container behaves.
 *
 *     create ──createMs──> created ──startMs──> running ──lifeMs, or a stop──> exited
 *
 * `ContainerScripts` chooses the script when a container is created, by any rule: image, name, restart count.
 * Nothing here is random: the same scripts on the same clock give the same run.
 */
import type { ContainerConfig } from '../../ports/runtime/container-config.ts';

export interface ContainerScript {
  readonly createMs?: number;
  /** Creating the container fails with this error. */
  readonly createError?: string;
  readonly startMs?: number;
  /** Starting the container fails with this error, and the container ends with exit code 128. */
  readonly startError?: string;
  /** How long it runs by itself. Absent: until it is stopped. */
  readonly lifeMs?: number;
  readonly exitCode?: number;
  /** Absent: Completed if the exit code is 0, otherwise Error. */
  readonly exitReason?: string;
  readonly output?: readonly OutputLine[];
  /** Its working set while it runs. Absent: none is reported. */
  readonly memoryBytes?: number;
  /** What it writes into its file system. */
  readonly writes?: readonly ScriptedWrite[];
  /** The contents of its termination message file. */
  readonly terminationMessage?: string;
  /** How it reacts to a stop signal. Absent: it ends immediately, with 143. */
  readonly stop?: StopAnswer | 'ignored';
  /** How commands inside it end. Absent: immediately, with 0 and without output. */
  readonly exec?: (call: ExecCall) => ExecAnswer;
}

export interface OutputLine {
  /** Time after the start of the container. */
  readonly afterMs: number;
  readonly text: string;
  readonly stream?: 'stdout' | 'stderr';
  /** The line is written without a newline (`P` in the log). */
  readonly isPartial?: boolean;
}

export interface ScriptedWrite {
  /** Time after the start of the container. */
  readonly afterMs: number;
  readonly bytes: number;
}

export interface StopAnswer {
  readonly afterMs?: number;
  readonly exitCode?: number;
}

export interface ExecCall {
  readonly command: readonly string[];
  /** For how long the container has been running. */
  readonly runningMs: number;
}

export interface ExecAnswer {
  readonly afterMs?: number;
  readonly exitCode?: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** The container that a script is asked for. */
export interface ScriptedContainer {
  readonly podName: string;
  readonly namespace: string;
  readonly config: ContainerConfig;
}

export type ContainerScripts = (container: ScriptedContainer) => ContainerScript;

/** One script for all runs, or a list with one per run; the last one also applies to all later runs. */
export type Runs = ContainerScript | readonly ContainerScript[];

/**
 * Chooses scripts by container name, then by image. A container without a script runs until it is stopped.
 */
export function scriptsOf(scripts: {
  readonly containers?: Readonly<Record<string, Runs>>;
  readonly images?: Readonly<Record<string, Runs>>;
}): ContainerScripts {
  const { containers = {}, images = {} } = scripts;
  return ({ config: { name, image, attempt } }) =>
    scriptOfRun(own(containers, name) ?? own(images, image), attempt);
}

function scriptOfRun(runs: Runs | undefined, attempt: number): ContainerScript {
  if (runs === undefined) return {};
  if (!isList(runs)) return runs;
  return runs[Math.min(attempt, runs.length - 1)] ?? {};
}

function isList(runs: Runs): runs is readonly ContainerScript[] {
  return Array.isArray(runs);
}

function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
