/**
 * Scripts of simulated containers, as plain data.
 *
 *     create ──createMs──> created ──startMs──> running ──lifeMs, or a stop──> exited
 *
 * A script is chosen for every container when it is created, by any rule: its image, its name, how often it
 * ran before. Nothing here is random: the same scripts on the same clock give the same run.
 */
import type { ContainerConfig } from '../../ports/runtime/container-config.ts';

export interface ContainerScript {
  readonly createMs?: number;
  /** It cannot be created: the runtime's error. */
  readonly createError?: string;
  readonly startMs?: number;
  /** It cannot be started: the runtime's error; the container ends with 128. */
  readonly startError?: string;
  /** How long it runs by itself. Absent: until it is stopped. */
  readonly lifeMs?: number;
  readonly exitCode?: number;
  /** Absent: Completed or Error, as the exit code says. */
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
  /** After the start. */
  readonly afterMs: number;
  readonly text: string;
  readonly stream?: 'stdout' | 'stderr';
  /** The line has not ended yet. */
  readonly isPartial?: boolean;
}

export interface ScriptedWrite {
  /** After the start. */
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

/** One script for every run, or one for each; of those the last is for all further runs. */
export type Runs = ContainerScript | readonly ContainerScript[];

/** Scripts by container name or else by image. A container without a script runs until stopped. */
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
