/**
 * One container: what podkeep knows about it, and what it does to it.
 *
 *     created ──start──> running ──its exit is written down, its output is in the log──> exited
 *
 * The container is run by its init (scripts.ts), not by podkeep. Here is only somebody who looks: at
 * the files that init writes, which tell at once, and once a second at the process itself, for an init
 * that was killed writes nothing more. So it makes no difference whether this podkeep started it.
 *
 * 1. It is reported as exited only after its exit code and all of its output are in place.
 * 2. Signals go to processes that are known by their ID and their start.
 * 3. No exit code and no process means that it was killed: 137.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, statSync, watch, type FSWatcher } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { RuntimeContainerState } from '../../api/runtime-pod.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { RuntimeEvent } from '../../ports/runtime/pod-runtime.ts';
import { containerNotStarted } from './errors.ts';
import {
  parseClaim,
  readNotes,
  readText,
  readTrouble,
  type Claim,
  type Notes,
} from './init-notes.ts';
import { isMissing, readJson, reasonOf, writeJson } from './json-file.ts';
import { LogPump, type OutputListener } from './log-pump.ts';
import type { Machine } from './machine.ts';
import {
  familyOf,
  isAlive,
  readProcesses,
  signalProcess,
  type ProcessIdentity,
} from './proc-table.ts';
import type { ContainerRecord, ContainerResult } from './records.ts';
import { signalNumber } from './signals.ts';

/** What all containers of one runtime have in common. */
export interface ContainerWorld {
  readonly machine: Machine;
  readonly clock: Clock;
  readonly log: Log;
  readonly punch: (file: string, bytes: number) => void;
  /** Whether the kernel, or we, ended it for its memory. */
  readonly wasOutOfMemory: (container: Container) => boolean;
  readonly emit: (event: RuntimeEvent) => void;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const START_MS_MAX = 60_000;
const GONE_STEP_MS = 4;
const GONE_STEPS_MAX = 500;
const KILLED = 137;
/** What the other runtimes report for a command that could not be run. */
const NEVER_RAN = 128;

export class Container {
  readonly folder: string;
  readonly #world: ContainerWorld;
  readonly #waiters = new Set<() => void>();
  #record: ContainerRecord;
  #state: RuntimeContainerState = 'created';
  #claim: Claim | undefined;
  #notes: Notes = { isRunning: false };
  #result: ContainerResult | undefined;
  #pump: LogPump | undefined;
  #watcher: FSWatcher | undefined;
  #ending: Promise<void> | undefined;
  #starting: Promise<void> | undefined;
  #stop: { readonly deadlineMs: number; readonly cancel: Cancel } | undefined;
  #isSignalled = false;
  #isClosed = false;

  constructor(record: ContainerRecord, folder: string, world: ContainerWorld) {
    this.#record = record;
    this.folder = folder;
    this.#world = world;
  }

  get record(): ContainerRecord {
    return this.#record;
  }

  get state(): RuntimeContainerState {
    return this.#state;
  }

  get result(): ContainerResult | undefined {
    return this.#result;
  }

  get startedAtMs(): number | undefined {
    return this.#result ? this.#result.startedAtMs : this.#claim?.claimedAtMs;
  }

  /** The first process, from the moment it is known until it has ended. */
  get init(): ProcessIdentity | undefined {
    return this.#result ? undefined : this.#claim?.init;
  }

  /** The process that the command became. */
  get main(): ProcessIdentity | undefined {
    return this.#result ? undefined : this.#notes.main;
  }

  /** Finds out what became of it while nobody looked. */
  async restore(): Promise<void> {
    this.#result = await readJson<ContainerResult>(path.join(this.folder, 'result.json'));
    if (this.#result) {
      this.#state = 'exited';
      return;
    }
    this.#readFiles();
    if (!this.#claim) return;
    if (this.#notes.isRunning) this.#state = 'running';
    await this.#observe();
    await this.#pump?.catchUp();
    this.look();
    await this.#ending;
  }

  /** Returns when it runs; throws CONTAINER_NOT_STARTED when it never will. */
  start(launch: () => Promise<Launch>): Promise<void> {
    this.#starting ??= this.#start(launch);
    return this.#starting;
  }

  async #start(launch: () => Promise<Launch>): Promise<void> {
    if (this.#state === 'created') {
      if (!this.#claim) {
        const chain = await launch();
        await this.#observe();
        this.#spawn(chain);
      }
      const hasSettled = (): boolean => this.#state !== 'created';
      await this.#until(hasSettled, this.#world.clock, START_MS_MAX);
      if (!hasSettled()) this.#fail(`it was not running after ${START_MS_MAX / 1000} s`);
      await this.#ending;
    }
    if (this.#result?.reason === 'StartError') {
      const { name } = this.record.config;
      throw containerNotStarted({ name, reason: this.#result.message ?? 'it was ended' });
    }
  }

  /** The processes of a container keep what they are given here, so it is given by file. */
  #spawn({ command, args, env }: Launch): void {
    const files = ['stdout', 'stderr'].map((name) => openSync(path.join(this.folder, name), 'a', 0o600));
    try {
      const child = spawn(command, args, {
        cwd: '/',
        env,
        detached: true,
        stdio: ['ignore', ...files],
      });
      child.unref();
      child.on('exit', () => this.look());
      child.on('error', (error) => this.#fail(reasonOf(error)));
    } finally {
      for (const file of files) closeSync(file);
    }
  }

  #fail(reason: string): void {
    this.#notes = { ...this.#notes, failure: reason };
    this.#ending ??= this.#end();
  }

  async #observe(): Promise<void> {
    if (this.#pump) return;
    const { id, config, logFile } = this.record;
    const { log, punch } = this.#world;
    this.#pump = await LogPump.open({
      folder: this.folder,
      logFile,
      punch,
      onTrouble: (error) =>
        log.warn('a log cannot be written; its lines wait', {
          container: config.name,
          id,
          reason: reasonOf(error),
        }),
    });
    try {
      this.#watcher = watch(this.folder, (_, name) => this.#heard(name));
      this.#watcher.on('error', () => undefined);
    } catch (error) {
      // The system has no more watches to give. Once a second must do.
      log.debug('a container is looked at once a second', { id, reason: reasonOf(error) });
    }
  }

  #heard(name: string | null): void {
    if (name === 'stdout' || name === 'stderr') this.#pump?.wake(name);
    else if (name === 'state' || name === 'claim') this.#glance();
  }

  /** Looks at the files, and at the process. */
  look(): void {
    if (this.#result || this.#isClosed) return;
    this.#glance();
    if (!this.#watcher) for (const stream of ['stdout', 'stderr'] as const) this.#pump?.wake(stream);
    if (!this.#claim || this.#isInitAlive()) return;
    // It may have written its last word between the two looks.
    this.#glance();
    this.#ending ??= this.#end();
  }

  #isInitAlive(): boolean {
    if (!this.#claim) return false;
    const { machine } = this.#world;
    return this.#claim.bootId === machine.bootId && isAlive(this.#claim.init, machine.isLinux);
  }

  #glance(): void {
    if (this.#result || this.#isClosed) return;
    this.#readFiles();
    if (this.#state === 'created' && this.#claim && this.#notes.isRunning) {
      this.#state = 'running';
      this.#tell('containerStarted');
    }
    if (this.#stop) this.#askToStop();
    const { exitCode, failure } = this.#notes;
    if (exitCode !== undefined || failure !== undefined) this.#ending ??= this.#end();
    this.#changed();
  }

  #readFiles(): void {
    this.#claim ??= readClaim(path.join(this.folder, 'claim'));
    const notes = readNotes(this.folder);
    // A folder that is being deleted must not make us forget what we know.
    if (notes.isRunning || notes.main || notes.failure !== undefined) this.#notes = notes;
    else if (notes.exitCode !== undefined) this.#notes = notes;
  }

  /** Writes down how it ended, once nothing of it is left. */
  async #end(): Promise<void> {
    const { log } = this.#world;
    try {
      await this.#gone();
      await this.#pump?.drain();
      const result = this.#judge();
      await writeJson(path.join(this.folder, 'result.json'), result).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
      this.#result = result;
    } catch (error) {
      log.error('the end of a container cannot be written down', {
        id: this.record.id,
        reason: reasonOf(error),
      });
      this.#result = this.#judge();
    }
    this.#state = 'exited';
    this.#stop?.cancel();
    await this.#release();
    for (const name of ['stdout', 'stderr', 'position', 'stdin', 'root']) {
      await rm(path.join(this.folder, name), { recursive: true, force: true }).catch(() => undefined);
    }
    this.#tell('containerDied');
    this.#changed();
  }

  #judge(): ContainerResult {
    const { exitCode, failure, isRunning } = this.#notes;
    const finishedAtMs = exitCode === undefined ? this.#world.clock.now() : this.#notesTimeMs();
    const startedAtMs = this.#claim?.claimedAtMs;
    if (!isRunning && (failure !== undefined || exitCode !== undefined)) {
      const message = failure || readTrouble(this.folder) || this.#lastWords();
      return { exitCode: NEVER_RAN, finishedAtMs, reason: 'StartError', message };
    }
    const code = exitCode ?? KILLED;
    const isOutOfMemory = code !== 0 && this.#world.wasOutOfMemory(this);
    const reason = isOutOfMemory ? 'OOMKilled' : code === 0 ? 'Completed' : 'Error';
    return {
      exitCode: code,
      finishedAtMs,
      ...(startedAtMs === undefined ? {} : { startedAtMs }),
      reason,
    };
  }

  #notesTimeMs(): number {
    try {
      return statSync(path.join(this.folder, 'state')).mtimeMs;
    } catch {
      return this.#world.clock.now();
    }
  }

  #lastWords(): string {
    return readText(path.join(this.folder, 'stderr')).trim().split('\n').slice(-2).join('; ');
  }

  /** Ends what is left, and returns when init is gone: until then somebody may still write. */
  async #gone(): Promise<void> {
    for (let step = 0; step < GONE_STEPS_MAX && this.#isInitAlive(); step++) {
      // An init that has written its last word needs no help; one that hangs does.
      if (step === GONE_STEPS_MAX / 4) this.kill();
      await this.#pause(GONE_STEP_MS);
    }
    if (!this.#hasOwnProcesses()) this.kill();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#world.clock.after(ms, resolve);
    });
  }

  #hasOwnProcesses(): boolean {
    const { machine } = this.#world;
    return machine.isolation !== 'none' && machine.hasProcesses && this.record.ownsProcesses;
  }

  /** Asks it to end, sees to it after the grace, and returns when it has ended. */
  async stop(graceSeconds: number, signal: AbortSignal): Promise<void> {
    if (this.#result || (this.#state === 'created' && !this.#claim)) return;
    const { clock } = this.#world;
    const graceMs = Math.max(graceSeconds, 0) * 1000;
    const deadlineMs = clock.monotonic() + graceMs;
    if (!this.#stop || deadlineMs < this.#stop.deadlineMs) {
      this.#stop?.cancel();
      this.#stop = { deadlineMs, cancel: clock.after(graceMs, () => this.#killSoon()) };
    }
    if (graceMs > 0) this.#askToStop();
    await this.#until(() => this.#result !== undefined, clock, Number.POSITIVE_INFINITY, signal);
  }

  #askToStop(): void {
    if (this.#isSignalled || !this.#notes.main || !this.#notes.isRunning) return;
    const number = signalNumber(this.record.stopSignal);
    this.#isSignalled = signalProcess(this.#notes.main, number, this.#world.machine.isLinux);
  }

  /** Kills, and looks again until it is seen to be gone. */
  #killSoon(): void {
    if (this.#result || this.#isClosed) return;
    this.kill();
    this.look();
    if (!this.#ending) this.#world.clock.after(GONE_STEP_MS, () => this.#killSoon());
  }

  /** Ends all of it, now. With a process namespace the kernel does, when init is gone. */
  kill(): void {
    const { machine } = this.#world;
    if (!this.#claim || this.#claim.bootId !== machine.bootId) return;
    const { init } = this.#claim;
    if (!this.#hasOwnProcesses()) {
      const family = machine.isLinux ? familyOf(init, readProcesses()) : [];
      for (const member of family) {
        if (member.pid !== init.pid) signalProcess(member, 'SIGKILL', machine.isLinux);
      }
    }
    signalProcess(init, 'SIGKILL', machine.isLinux);
  }

  async reopenLog(): Promise<void> {
    await this.#pump?.reopen();
  }

  listen(listener: OutputListener): () => void {
    return this.#pump?.listen(listener) ?? (() => undefined);
  }

  /** Resolves when it has exited. */
  ended(signal?: AbortSignal): Promise<void> {
    const { clock } = this.#world;
    return this.#until(() => this.#result !== undefined, clock, Number.POSITIVE_INFINITY, signal);
  }

  async update(record: ContainerRecord): Promise<void> {
    await writeJson(path.join(this.folder, 'config.json'), record);
    this.#record = record;
  }

  /** Stops looking. The container goes on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop?.cancel();
    await this.#release();
  }

  async #release(): Promise<void> {
    this.#watcher?.close();
    this.#watcher = undefined;
    await this.#pump?.close().catch(() => undefined);
    this.#pump = undefined;
  }

  #tell(type: RuntimeEvent['type']): void {
    this.#world.emit({ podUid: this.record.podUid, type, containerId: this.record.id });
  }

  #changed(): void {
    for (const waiter of this.#waiters) waiter();
  }

  /** Returns when something has become true; on a timeout as well. */
  #until(isTrue: () => boolean, clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
    if (isTrue()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        this.#waiters.delete(check);
        signal?.removeEventListener('abort', abort);
        cancel();
        then();
      };
      const check = (): void => {
        if (isTrue()) settle(resolve);
      };
      const abort = (): void => settle(() => reject(signal?.reason));
      const cancel = Number.isFinite(ms) ? clock.after(ms, () => settle(resolve)) : () => undefined;
      this.#waiters.add(check);
      signal?.addEventListener('abort', abort);
      if (signal?.aborted) abort();
    });
  }
}

function readClaim(file: string): Claim | undefined {
  const text = readText(file);
  return text === '' ? undefined : parseClaim(text, statSync(file).mtimeMs);
}
