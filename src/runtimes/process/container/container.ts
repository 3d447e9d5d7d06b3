/**
 * One container: its state, and the operations on it.
 *
 *     created ──start──> running ──its exit is recorded, its output is in the log──> exited
 *
 * The container is run by its monitor (lib/syscall-helper/program/container.pl), not by podkeep. This class
 * observes: it watches the files that the monitor writes, and polls the process once a second, because a
 * monitor that was killed writes nothing more. So it makes no difference whether this podkeep started it.
 *
 * Containers of the last version, and those that a shell has started, have an init instead of a monitor, and
 * write their output into plain files, which podkeep copies into the log (log-pump.ts).
 *
 * 1. It is reported as exited only after its exit code and all of its output are in place.
 * 2. Signals go to processes that are identified by their ID and their start time.
 * 3. No exit code and no process means that it was killed: 137.
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

  /** The folder of its root, or what stands in for one. */
  get place(): string {
    const { machine, rootPlace } = this.#world;
    return machine.isolation === 'none' ? path.join(this.folder, 'root') : rootPlace;
  }

  /** The first process inside, from the moment it is known until it has ended. */
  get init(): ProcessIdentity | undefined {
    return this.#result ? undefined : (this.#notes.init ?? this.#claim?.init);
  }

  /** Its init was started, or is about to be, and has not made its claim yet. */
  get isStarting(): boolean {
    return this.#starting !== undefined && this.#state === 'created';
  }

  /** The session of its processes, where no namespace identifies them. */
  get session(): number | undefined {
    if (this.#hasOwnProcesses()) return undefined;
    return this.#notes.init?.pid ?? this.#claim?.session;
  }

  /** What init started: the command, or in an old container with a terminal the program that made it. */
  get main(): ProcessIdentity | undefined {
    return this.#result ? undefined : this.#notes.main;
  }

  /** The command itself. */
  get command(): ProcessIdentity | undefined {
    const { main } = this;
    if (!main || !this.record.config.tty || hasMonitor(this.record)) return main;
    return readProcesses().find(({ parent }) => parent === main.pid) ?? main;
  }

  /** Finds out what happened to it while podkeep did not run. */
  async restore(): Promise<void> {
    this.#result = await readJson<ContainerResult>(path.join(this.folder, 'result.json'));
    if (this.#result) {
      this.#state = 'exited';
      return;
    }
    this.#readFiles();
    // An init that has not come yet, and was started by a podkeep that was killed, is waited for.
    if (!this.#claim && !isPrepared(this.folder)) return;
    if (this.#claim && this.#notes.isRunning) this.#state = 'running';
    this.#observe();
    await this.#pump?.catchUp();
    this.look();
    await this.#ending;
  }

  /** Returns when it runs; throws CONTAINER_NOT_STARTED when it never will. */
  start(prepare: () => Promise<StartMonitor>): Promise<void> {
    this.#starting ??= this.#start(prepare).catch((error: unknown) => {
      // What failed before anything ran can be tried again.
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
      // The system has no more watches. Polling once a second must do.
      this.#world.log.debug('cannot watch the files of the container; polling every second', {
        reason: reasonOf(error),
      });
    }
  }

  /** Creating or deleting a file is a `rename`; writing into it, a `change`. */
  #heard(event: string, name: string | null): void {
    if (event === 'rename' && name !== 'state') return;
    if (name === 'stdout' || name === 'stderr') this.#pump?.wake(name);
    // After its claim the monitor writes into this file.
    else if (name === 'state') this.#poll();
  }

  /** Reads the files, and checks the process. */
  look(): void {
    if (this.#result || this.#isClosed) return;
    this.#poll();
    if (!this.#watcher) this.#pump?.wakeAll();
    if (!this.#claim || this.#isAlive()) return;
    // It may have written its last line in between.
    this.#poll();
    this.#ending ??= this.#end();
  }

  /** Whether its monitor, or its init instead, is alive. */
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
    // A folder that is being deleted must not make us forget what we know.
    if (notes.init || notes.main || notes.failure !== undefined) this.#notes = notes;
  }

  /** Records how it ended, once nothing of it is left. */
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
      this.#world.log.error('failed to persist the exit status of a container', facts);
      this.#result = this.#exitResult();
    }
    this.#state = 'exited';
    this.#stop?.cancel();
    forgetPrivatePart(this.#record, this.#world.memory);
    this.#notify('containerDied');
    this.#changes.notify();
    await this.#release();
    // Lines that did not get into the log stay where they are, for a person to find.
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

  /** Ends what is left, and returns when init is gone: until then a process may still write. */
  async #gone(): Promise<void> {
    for (let step = 0; step < GONE_STEPS_MAX && this.#isAlive(); step++) {
      // An init that hangs has to be killed.
      if (step === GONE_STEPS_MAX / 4) this.kill();
      await this.#changes.until(() => !this.#isAlive(), { ms: GONE_STEP_MS });
    }
    if (!this.#hasOwnProcesses()) this.kill();
  }

  #hasOwnProcesses(): boolean {
    const { isolation, hasProcesses } = this.#world.machine;
    return isolation !== 'none' && hasProcesses && this.record.processes === 'own';
  }

  /** Makes sure that it never starts. False: it has started, or is about to. */
  renounce(): boolean {
    if (this.#state !== 'created' || this.#starting) return false;
    if (!this.#claim && claimForRemoval(this.folder, this.#world.clock.now())) return true;
    this.#poll();
    return false;
  }

  /** Signals it to end, kills it after the grace period, and returns when it has ended. */
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
   * Signals once, and only within the grace period. A file event may come late, after a stop without grace; a
   * command that got the signal then would exit with its own code before it is killed.
   */
  #askToStop(): void {
    const { clock, machine } = this.#world;
    if (!this.#stop || this.#stop.deadlineMs <= clock.monotonic() || this.#isSignalled) return;
    const target = this.#notes.isRunning ? this.command : undefined;
    const number = signalNumber(this.record.stopSignal);
    if (target) this.#isSignalled = signalProcess(target, number, machine.isLinux);
  }

  /** Kills, and again until it is seen to be gone. */
  #killSoon(): void {
    if (this.#result || this.#isClosed) return;
    this.kill();
    this.look();
    if (!this.#ending) this.#world.clock.after(GONE_STEP_MS, () => this.#killSoon());
  }

  /** Ends all of it, now. With a process namespace the kernel does, when init is gone. */
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

  /** Ends it if it runs, and removes all but its log. */
  async remove(): Promise<void> {
    if (this.#state === 'created') claimForRemoval(this.folder, this.#world.clock.now());
    this.look();
    await this.stop(0);
    await this.#ending;
    await this.close();
    forgetPrivatePart(this.#record, this.#world.memory);
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Stops observing. The container goes on. */
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
