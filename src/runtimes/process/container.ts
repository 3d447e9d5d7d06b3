/**
 * One container: what podkeep knows about it, and what it does to it.
 *
 *     created ──start──> running ──its exit is written down, its output is in the log──> exited
 *
 * The container is run by its monitor (lib/syscall-helper/program/container.pl), not by podkeep. This class observes:
 * the files that the monitor writes, which change at once, and once a second the process itself, because a monitor
 * that was killed writes nothing more. So it makes no difference whether this podkeep started it.
 *
 * Containers of the last version, and those that a shell has started, have an init in the place of a monitor, and
 * write their output into plain files, which podkeep brings into the log (log-pump.ts).
 *
 * 1. It is reported as exited only after its exit code and all of its output are in place.
 * 2. Signals go to processes that are known by their ID and their start.
 * 3. No exit code and no process means that it was killed: 137.
 */
import { watch, type FSWatcher } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { RuntimeContainerState } from '../../api/runtime-pod.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { Cancel } from '../../ports/clock.ts';
import type { RuntimeEvent } from '../../ports/runtime/pod-runtime.ts';
import { Changes } from './changes.ts';
import { keepResult, removeFiles } from './container-files.ts';
import type { ContainerWorld } from './container-world.ts';
import { containerNotStarted } from './errors.ts';
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
import { readJson, reasonOf, writeJson } from './json-file.ts';
import type { LogPump } from './log-pump.ts';
import { openPlainOutput } from './plain-output.ts';
import {
  isAlive,
  killFamily,
  readProcesses,
  signalProcess,
  type ProcessIdentity,
} from './proc-table.ts';
import { hasMonitor, type ContainerRecord, type ContainerResult } from './records.ts';
import { signalNumber } from './signals.ts';
import { reopenLog } from './monitor-client.ts';
import { judge } from './verdict.ts';

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
    const runningSinceMs = this.#state === 'running' ? this.#claim?.claimedAtMs : undefined;
    return this.#result ? this.#result.startedAtMs : runningSinceMs;
  }

  /** Where its root is, or what stands in for one. */
  get place(): string {
    const { machine, rootPlace } = this.#world;
    return machine.isolation === 'none' ? path.join(this.folder, 'root') : rootPlace;
  }

  /** The first process inside, from the moment it is known until it has ended. */
  get init(): ProcessIdentity | undefined {
    return this.#result ? undefined : (this.#notes.init ?? this.#claim?.init);
  }

  /** Its init was sent off, or is about to be, and has not been heard of yet. */
  get isStarting(): boolean {
    return this.#starting !== undefined && this.#state === 'created';
  }

  /** Which session its processes belong to, where nothing else tells. */
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

  /** Finds out what became of it while nobody looked. */
  async restore(): Promise<void> {
    this.#result = await readJson<ContainerResult>(path.join(this.folder, 'result.json'));
    if (this.#result) {
      this.#state = 'exited';
      return;
    }
    this.#readFiles();
    // One that has not come yet, and was sent by a podkeep that was killed, is waited for.
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
    const { name } = this.record.config;
    throw containerNotStarted({ name, reason: this.#result.message ?? 'it was ended' });
  }

  #fail(reason: string): void {
    this.#notes = { ...this.#notes, failure: reason };
    this.#ending ??= this.#end();
  }

  #observe(): void {
    if (this.#watcher || this.#pump) return;
    if (!hasMonitor(this.record))
      this.#pump = openPlainOutput(this.record, this.folder, this.#world);
    try {
      this.#watcher = watch(this.folder, (event, name) => this.#heard(event, name));
      this.#watcher.on('error', () => undefined);
    } catch (error) {
      // The system has no more watches to give. Once a second must do.
      this.#world.log.debug('a container is polled once a second', { reason: reasonOf(error) });
    }
  }

  /** A file that has come or gone is a `rename`; one that was written into, a `change`. */
  #heard(event: string, name: string | null): void {
    if (event === 'rename' && name !== 'state') return;
    if (name === 'stdout' || name === 'stderr') this.#pump?.wake(name);
    // Whoever has made a claim writes into this next.
    else if (name === 'state') this.#glance();
  }

  /** Looks at the files, and at the process. */
  look(): void {
    if (this.#result || this.#isClosed) return;
    this.#glance();
    if (!this.#watcher) this.#pump?.wakeAll();
    if (!this.#claim || this.#isAlive()) return;
    // It may have written its last line between the two looks.
    this.#glance();
    this.#ending ??= this.#end();
  }

  /** Whether its monitor, or what stands in its place, is there. */
  #isAlive(): boolean {
    if (!this.#claim) return false;
    const { bootId, isLinux } = this.#world.machine;
    return this.#claim.bootId === bootId && isAlive(this.#claim.init, isLinux);
  }

  #glance(): void {
    if (this.#result || this.#isClosed) return;
    this.#readFiles();
    if (this.#state === 'created' && this.#claim && this.#notes.isRunning) {
      this.#state = 'running';
      this.#tell('containerStarted');
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

  /** Writes down how it ended, once nothing of it is left. */
  async #end(): Promise<void> {
    let isDrained = false;
    try {
      await this.#gone();
      isDrained = (await this.#pump?.drain()) ?? true;
      // Whoever opens the folder next finds the rest of the output, and judges.
      if (this.#isClosed) return;
      const result = this.#judge();
      keepResult(this.folder, result);
      this.#result = result;
    } catch (error) {
      const [id, reason] = [this.record.id, reasonOf(error)];
      this.#world.log.error('the end of a container cannot be written down', { id, reason });
      this.#result = this.#judge();
    }
    this.#state = 'exited';
    this.#stop?.cancel();
    this.#tell('containerDied');
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

  #judge(): ContainerResult {
    const { exitCode } = this.#notes;
    const now = this.#world.clock.now();
    return judge({
      notes: this.#notes,
      finishedAtMs: (exitCode === undefined ? undefined : notesTimeMs(this.folder)) ?? now,
      startedAtMs: this.#claim?.claimedAtMs,
      wasOutOfMemory: this.#world.wasOutOfMemory(this),
      trouble: readTrouble(this.folder),
    });
  }

  /** Ends what is left, and returns when init is gone: until then somebody may still write. */
  async #gone(): Promise<void> {
    for (let step = 0; step < GONE_STEPS_MAX && this.#isAlive(); step++) {
      // An init that has written its last word needs no help; one that hangs does.
      if (step === GONE_STEPS_MAX / 4) this.kill();
      await this.#changes.until(() => !this.#isAlive(), { ms: GONE_STEP_MS });
    }
    if (!this.#hasOwnProcesses()) this.kill();
  }

  #hasOwnProcesses(): boolean {
    const { machine } = this.#world;
    return machine.isolation !== 'none' && machine.hasProcesses && this.record.processes === 'own';
  }

  /** Sees to it that it never begins. False: it has begun, or is about to. */
  renounce(): boolean {
    if (this.#state !== 'created' || this.#starting) return false;
    const now = this.#world.clock.now();
    if (!this.#claim && claimForRemoval(this.folder, now)) return true;
    this.#glance();
    return false;
  }

  /** Asks it to end, sees to it after the grace, and returns when it has ended. */
  async stop(graceSeconds: number, signal?: AbortSignal): Promise<void> {
    this.#glance();
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
   * Asks once, and only while there is time to answer. News of a file may come late, after a stop
   * without grace; a command that was asked then would end with a code of its own before it is killed.
   */
  #askToStop(): void {
    const { clock, machine } = this.#world;
    if (!this.#stop || this.#stop.deadlineMs <= clock.monotonic() || this.#isSignalled) return;
    const target = this.#notes.isRunning ? this.command : undefined;
    const number = signalNumber(this.record.stopSignal);
    if (target) this.#isSignalled = signalProcess(target, number, machine.isLinux);
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
    writeJson(path.join(this.folder, 'config.json'), record);
    this.#record = record;
  }

  /** Ends it if it runs, and takes away all but its log. */
  async remove(): Promise<void> {
    if (this.#state === 'created') claimForRemoval(this.folder, this.#world.clock.now());
    this.look();
    await this.stop(0);
    await this.#ending;
    await this.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Stops looking. The container goes on. */
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

  #tell(type: RuntimeEvent['type']): void {
    this.#world.emit({ podUid: this.record.podUid, type, containerId: this.record.id });
  }
}
