/**
 * One container of the process runtime: observes its state, and starts, stops, kills and removes it.
 *
 *     created ──start──> running ──exit code recorded, output in the log──> exited
 *
 * A monitor process (lib/syscall-helper/program/container.pl) runs the container, not podkeep. This class
 * only observes: it watches the files that the monitor writes, and polls the process once a second, because a
 * monitor that was killed writes nothing more. So it does not matter which podkeep process started the
 * container.
 *
 * Containers that an earlier version or a shell started have an init instead of a monitor. They write their
 * output into plain files, which podkeep copies into the log (log-pump.ts).
 *
 * 1. A container is reported as exited only after its exit code and all of its output have been written.
 * 2. Signals go to processes that are identified by their ID and their start time.
 * 3. A container without an exit code and without a process was killed: its exit code is 137.
 */
import { watch, type FSWatcher } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { RuntimeContainerState } from '../../../api/runtime-pod.ts';
import { PodkeepError } from '../../../lib/errors.ts';
import type { Cancel } from '../../../ports/clock.ts';
import type { RuntimeEvent } from '../../../ports/runtime/pod-runtime.ts';
import { Changes } from './changes.ts';
import { keepResult, removeFiles } from './container-files.ts';
import type { ContainerWorld } from './container-world.ts';
import { containerNotStarted } from '../errors.ts';
import {
  claimForRemoval,
  isPrepared,
  readClaim,
  notesTimeMs,
  readNotes,
  readTrouble,
  type Claim,
  type Notes,
} from './init-notes.ts';
import { readJson, reasonOf } from '../json-file.ts';
import type { LogPump } from '../logs/log-pump.ts';
import { openPlainOutput } from './plain-output.ts';
import { isAlive, killFamily, readProcesses, signalProcess } from '../machine/proc-table.ts';
import type { ProcessIdentity } from '../machine/proc-table.ts';
import { forgetPrivatePart, writeRecord } from '../record-file.ts';
import { hasMonitor, type ContainerRecord, type ContainerResult } from './records.ts';
import { signalNumber } from './signals.ts';
import { reopenLog } from './monitor-client.ts';
import { exitResult } from './exit-result.ts';

const START_MS_MAX = 60_000;
const GONE_STEP_MS = 4;
const GONE_STEPS_MAX = 500;

/** Starts the monitor of a container. */
export type StartMonitor = (onExit: () => void, onError: (error: Error) => void) => void;

export class Container {
  readonly folder: string;
  readonly #world: ContainerWorld;
  readonly #changes: Changes;
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
    this.#changes = new Changes(world.clock);
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
    if (this.#result) return this.#result.startedAtMs;
    return this.#state === 'running' ? this.#claim?.claimedAtMs : undefined;
  }

  /** Where its root is mounted; without isolation, the folder of links to its volumes. */
  get place(): string {
    const { machine, rootPlace } = this.#world;
    return machine.isolation === 'none' ? path.join(this.folder, 'root') : rootPlace;
  }

  /** The first process inside. Undefined: not known yet, or the container has ended. */
  get init(): ProcessIdentity | undefined {
    return this.#result ? undefined : (this.#notes.init ?? this.#claim?.init);
  }

  /** The start is under way, and the container does not run yet. */
  get isStarting(): boolean {
    return this.#starting !== undefined && this.#state === 'created';
  }

  /** The session of its processes. Undefined: its process namespace identifies them. */
  get session(): number | undefined {
    if (this.#hasOwnProcesses()) return undefined;
    return this.#notes.init?.pid ?? this.#claim?.session;
  }

  /** The process that init started: the command, or the program that opened an old container's terminal. */
  get main(): ProcessIdentity | undefined {
    return this.#result ? undefined : this.#notes.main;
  }

  /** The command itself. */
  get command(): ProcessIdentity | undefined {
    const { main } = this;
    if (!main || !this.record.config.tty || hasMonitor(this.record)) return main;
    return readProcesses().find(({ parent }) => parent === main.pid) ?? main;
  }

  /** Reads from its files what happened to the container while podkeep was not running. */
  async restore(): Promise<void> {
    this.#result = await readJson<ContainerResult>(path.join(this.folder, 'result.json'));
    if (this.#result) {
      this.#state = 'exited';
      return;
    }
    this.#readFiles();
    // A killed podkeep may have started an init that has not claimed the container yet: observe it.
    if (!this.#claim && !isPrepared(this.folder)) return;
    if (this.#claim && this.#notes.isRunning) this.#state = 'running';
    this.#observe();
    await this.#pump?.catchUp();
    this.look();
    await this.#ending;
  }

  /** Returns when the container runs. Throws CONTAINER_NOT_STARTED if the start failed. */
  start(prepare: () => Promise<StartMonitor>): Promise<void> {
    this.#starting ??= this.#start(prepare).catch((error: unknown) => {
      // A start that failed before any process ran can be retried.
      if (this.#state === 'created') this.#starting = undefined;
      if (error instanceof PodkeepError) throw error;
      throw containerNotStarted({ name: this.record.config.name, reason: reasonOf(error) }, error);
    });
    return this.#starting;
  }

  async #start(prepare: () => Promise<StartMonitor>): Promise<void> {
    if (this.#state === 'created') {
      if (!this.#claim) {
        const startMonitor = await prepare();
        this.#observe();
        startMonitor(
          () => this.look(),
          (error) => this.#fail(reasonOf(error)),
        );
      }
      const hasSettled = (): boolean => this.#state !== 'created';
      await this.#changes.until(hasSettled, { ms: START_MS_MAX });
      if (!hasSettled()) this.#fail(`it was not running after ${START_MS_MAX / 1000} s`);
      await (hasSettled() ? undefined : this.#ending);
    }
    if (this.#result?.reason !== 'StartError') return;
    const reason = this.#result.message ?? 'it was ended';
    throw containerNotStarted({ name: this.record.config.name, reason });
  }

  #fail(reason: string): void {
    this.#notes = { ...this.#notes, failure: reason };
    this.#ending ??= this.#end();
  }

  #observe(): void {
    if (this.#watcher || this.#pump) return;
    const { record, folder } = this;
    if (!hasMonitor(record)) this.#pump = openPlainOutput(record, folder, this.#world);
    try {
      this.#watcher = watch(this.folder, (event, name) => this.#heard(event, name));
      this.#watcher.on('error', () => undefined);
    } catch (error) {
      // The system has no more inotify watches, so only the poll once a second remains.
      this.#world.log.debug('Cannot watch the files of the container; polling every second', {
        reason: reasonOf(error),
      });
    }
  }

  /** fs.watch reports `rename` when a file is created or deleted, and `change` when it is written. */
  #heard(event: string, name: string | null): void {
    if (event === 'rename' && name !== 'state') return;
    if (name === 'stdout' || name === 'stderr') this.#pump?.wake(name);
    // The monitor writes into this file after its claim.
    else if (name === 'state') this.#poll();
  }

  /** Reads the files, and checks the process. */
  look(): void {
    if (this.#result || this.#isClosed) return;
    this.#poll();
    if (!this.#watcher) this.#pump?.wakeAll();
    if (!this.#claim || this.#isAlive()) return;
    // The monitor may have written its last note after the poll above.
    this.#poll();
    this.#ending ??= this.#end();
  }

  /** Whether its monitor is alive; in old containers, its init. */
  #isAlive(): boolean {
    if (!this.#claim) return false;
    const { bootId, isLinux } = this.#world.machine;
    return this.#claim.bootId === bootId && isAlive(this.#claim.init, isLinux);
  }

  #poll(): void {
    if (this.#result || this.#isClosed) return;
    this.#readFiles();
    if (this.#state === 'created' && this.#claim && this.#notes.isRunning) {
      this.#state = 'running';
      this.#notify('containerStarted');
    }
    this.#askToStop();
    const { exitCode, failure } = this.#notes;
    if (exitCode !== undefined || failure !== undefined) this.#ending ??= this.#end();
    this.#changes.notify();
  }

  #readFiles(): void {
    this.#claim ??= readClaim(this.folder);
    const notes = readNotes(this.folder);
    // Notes that are missing because the folder is being deleted must not replace the known ones.
    if (notes.init || notes.main || notes.failure !== undefined) this.#notes = notes;
  }

  /** Records the result, after all processes are gone and the output is in the log. */
  async #end(): Promise<void> {
    let isDrained = false;
    try {
      await this.#gone();
      isDrained = (await this.#pump?.drain()) ?? true;
      // The next podkeep that opens the folder finds the rest of the output, and decides the result.
      if (this.#isClosed) return;
      const result = this.#exitResult();
      keepResult(this.folder, result);
      this.#result = result;
    } catch (error) {
      const facts = { id: this.record.id, reason: reasonOf(error) };
      this.#world.log.error('Failed to persist the exit status of a container', facts);
      this.#result = this.#exitResult();
    }
    this.#state = 'exited';
    this.#stop?.cancel();
    forgetPrivatePart(this.#record, this.#world.memory);
    this.#notify('containerDied');
    this.#changes.notify();
    await this.#release();
    // Output that could not be copied into the log stays in these files, for a person to find.
    removeFiles(this.folder, [
      'attach',
      'stdin',
      'root',
      ...(isDrained ? ['stdout', 'stderr', 'position'] : []),
    ]);
  }

  #exitResult(): ContainerResult {
    const hasExited = this.#notes.exitCode !== undefined;
    return exitResult({
      notes: this.#notes,
      finishedAtMs: (hasExited ? notesTimeMs(this.folder) : undefined) ?? this.#world.clock.now(),
      startedAtMs: this.#claim?.claimedAtMs,
      wasOutOfMemory: this.#world.wasOutOfMemory(this),
      trouble: readTrouble(this.folder),
    });
  }

  /** Kills remaining processes, and returns when init is gone: until then a process may still write. */
  async #gone(): Promise<void> {
    for (let step = 0; step < GONE_STEPS_MAX && this.#isAlive(); step++) {
      // The init hangs.
      if (step === GONE_STEPS_MAX / 4) this.kill();
      await this.#changes.until(() => !this.#isAlive(), { ms: GONE_STEP_MS });
    }
    if (!this.#hasOwnProcesses()) this.kill();
  }

  #hasOwnProcesses(): boolean {
    const { isolation, hasProcesses } = this.#world.machine;
    return isolation !== 'none' && hasProcesses && this.record.processes === 'own';
  }

  /** Makes sure that the container never starts. False: it has started, or is about to. */
  renounce(): boolean {
    if (this.#state !== 'created' || this.#starting) return false;
    if (!this.#claim && claimForRemoval(this.folder, this.#world.clock.now())) return true;
    this.#poll();
    return false;
  }

  /** Sends the stop signal, kills after the grace period, and returns when the container has ended. */
  async stop(graceSeconds: number, signal?: AbortSignal): Promise<void> {
    this.#poll();
    if (this.#result || this.renounce() || (this.#state === 'created' && !this.#claim)) return;
    const { clock } = this.#world;
    const graceMs = Math.max(graceSeconds, 0) * 1000;
    const deadlineMs = clock.monotonic() + graceMs;
    if (!this.#stop || deadlineMs < this.#stop.deadlineMs) {
      this.#stop?.cancel();
      this.#stop = { deadlineMs, cancel: clock.after(graceMs, () => this.#killSoon()) };
    }
    this.#askToStop();
    await this.ended(signal);
  }

  /**
   * Sends the stop signal once, and only within the grace period. A file event may arrive late, after a stop
   * without grace; a command that got the signal then could exit with its own code before it is killed.
   */
  #askToStop(): void {
    const { clock, machine } = this.#world;
    if (!this.#stop || this.#stop.deadlineMs <= clock.monotonic() || this.#isSignalled) return;
    const target = this.#notes.isRunning ? this.command : undefined;
    const number = signalNumber(this.record.stopSignal);
    if (target) this.#isSignalled = signalProcess(target, number, machine.isLinux);
  }

  /** Kills the container, and repeats it until its processes are gone. */
  #killSoon(): void {
    if (this.#result || this.#isClosed) return;
    this.kill();
    this.look();
    if (!this.#ending) this.#world.clock.after(GONE_STEP_MS, () => this.#killSoon());
  }

  /** Kills all processes. In a process namespace the kernel kills the others when init dies. */
  kill(): void {
    const { isLinux, bootId } = this.#world.machine;
    if (!this.#claim || this.#claim.bootId !== bootId) return;
    const init = this.#notes.init ?? this.#claim.init;
    if (this.#hasOwnProcesses()) signalProcess(init, 'SIGKILL', isLinux);
    else killFamily({ init, session: this.session ?? 0 }, isLinux);
  }

  reopenLog(): Promise<void> {
    if (hasMonitor(this.record)) return reopenLog(this.folder);
    return this.#pump?.reopen() ?? Promise.resolve();
  }

  /** Resolves when it has exited. */
  ended(signal?: AbortSignal): Promise<void> {
    return this.#changes.until(() => this.#result !== undefined, { signal });
  }

  update(record: ContainerRecord): void {
    writeRecord(this.folder, record, this.#world.memory);
    this.#record = record;
  }

  /** Kills the container if it runs, and removes everything but its log. */
  async remove(): Promise<void> {
    if (this.#state === 'created') claimForRemoval(this.folder, this.#world.clock.now());
    this.look();
    await this.stop(0);
    await this.#ending;
    await this.close();
    forgetPrivatePart(this.#record, this.#world.memory);
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Stops observing. The container keeps running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop?.cancel();
    await this.#ending;
    await this.#release();
  }

  async #release(): Promise<void> {
    this.#watcher?.close();
    this.#watcher = undefined;
    await this.#pump?.close().catch(() => undefined);
    this.#pump = undefined;
  }

  #notify(type: RuntimeEvent['type']): void {
    this.#world.emit({ podUid: this.record.podUid, type, containerId: this.record.id });
  }
}
