/**
 * A container runtime that takes its time and fails: starts that fail, stops that fail, hang or are
 * slow, containers that ignore SIGTERM, and containers that end by themselves.
 *
 * It outlives podkeep. An operation for a podkeep that has crashed meanwhile still takes effect, as far
 * as with a real runtime: no container starts in a sandbox that was stopped, and none twice under one
 * number.
 */
import type { Container, Pod } from '../../src/api/pod.ts';
import { isStaticPod } from '../../src/core/pod/pod-facts.ts';
import type { Cancel, Clock } from '../../src/ports/clock.ts';
import { networkNotReady } from '../../src/ports/pod/sync-failure.ts';
import type { EventJournal } from './event-journal.ts';
import type { Dice } from './dice.ts';
import { RuntimeRecords } from './runtime-records.ts';
import { reasonOf, wait } from './waits.ts';
import type { Weather } from './weather.ts';

/** The runtime's own timeout for a request. */
const REQUEST_TIMEOUT_MS = 120_000;

export interface RuntimeOptions {
  readonly clock: Clock;
  readonly dice: Dice;
  readonly weather: Weather;
  readonly journal: EventJournal;
}

export class Runtime {
  readonly records = new RuntimeRecords();
  readonly #options: RuntimeOptions;
  /** What is being started, so that nothing is started twice. */
  readonly #reserved = new Set<string>();
  readonly #waiters = new Map<string, Set<() => void>>();
  readonly #signalled = new Set<string>();
  #last = 0;
  /** A container begins to run. */
  onStart: (uid: string, name: string) => void = () => {};

  constructor(options: RuntimeOptions) {
    this.#options = options;
  }

  async createSandbox(pod: Pod, attempt: number): Promise<string> {
    const { uid = '', name = '', namespace = '' } = pod.metadata;
    const key = `${uid}/sandbox/${attempt}`;
    this.#reserve(key);
    try {
      await this.#work('runtime: sandbox fails', 5, 60);
      const { sandboxes } = this.#recordFor(pod, { uid, name, namespace });
      if (sandboxes.some((sandbox) => sandbox.attempt === attempt)) throw taken(key);
      const id = `sandbox-${this.#next()}`;
      const ip = `10.0.${this.#last >> 8}.${this.#last & 255}`;
      const sandbox = { id, attempt, ready: true, hostNetwork: false, ip };
      this.#notify(`${uid}: sandbox ${attempt} is ready`);
      this.records.change(uid, { sandboxes: [sandbox, ...sandboxes] });
      return id;
    } finally {
      this.#reserved.delete(key);
    }
  }

  async start(uid: string, sandboxID: string, spec: Container, attempt: number): Promise<void> {
    const { weather } = this.#options;
    const key = `${uid}/${spec.name}/${attempt}`;
    this.#reserve(key);
    try {
      if (weather.strikes('runtime: start is slow')) await this.#pause(500, 6000);
      await this.#work('runtime: start fails', 5, 60);
      const record = this.records.find(uid);
      const sandbox = record?.sandboxes.find(({ id }) => id === sandboxID);
      if (!record || sandbox?.ready !== true) throw new Error(`${key}: its sandbox is gone`);
      const same = record.containers.filter(({ name }) => name === spec.name);
      if (same.some(({ restartCount }) => restartCount === attempt)) throw taken(key);
      this.#run(uid, sandboxID, spec, attempt);
    } finally {
      this.#reserved.delete(key);
    }
  }

  /** Resolves when the container no longer runs. */
  async stop(uid: string, id: string, graceMs: number, signal: AbortSignal): Promise<void> {
    const { weather } = this.#options;
    if (!this.#isRunning(uid, id)) return;
    if (weather.strikes('runtime: stop hangs until aborted')) {
      this.#notify(`${uid}: the stop of ${id} hangs`);
      await wait(this.#options.clock, REQUEST_TIMEOUT_MS, signal);
      throw new Error(`${id}: the stop took too long`);
    }
    if (weather.strikes('runtime: stop is slow')) {
      await wait(this.#options.clock, weather.takesMs(500, 8000), signal);
    }
    await this.#work('runtime: stop fails', 1, 5);
    if (this.#isRunning(uid, id)) await this.#untilDead(uid, id, graceMs, signal);
  }

  stopSandboxes(uid: string): void {
    const { sandboxes = [] } = this.records.find(uid) ?? {};
    if (!sandboxes.some(({ ready }) => ready)) return;
    for (const { id } of this.records.running(uid)) this.exit(uid, id, 137);
    this.#notify(`${uid}: sandboxes stopped`);
    this.records.change(uid, {
      sandboxes: sandboxes.map((sandbox) => ({ ...sandbox, ready: false })),
    });
  }

  /** A container ends, by itself or because it was stopped. */
  exit(uid: string, id: string, exitCode: number): void {
    if (!this.#isRunning(uid, id)) return;
    this.#notify(`${uid}: ${id} exited with ${exitCode}`);
    this.records.exits.set(id, exitCode);
    this.records.changeContainer(uid, id, {
      state: 'exited',
      exitCode,
      finishedAt: this.#now(),
      reason: exitCode === 0 ? 'Completed' : 'Error',
    });
    const waiters = this.#waiters.get(id);
    this.#waiters.delete(id);
    for (const resolve of waiters ?? []) resolve();
  }

  /** A pod that was started without podkeep, or whose spec was removed while podkeep was down. */
  addOrphan(pod: Pod): void {
    const { uid = '', name = '', namespace = '' } = pod.metadata;
    this.#recordFor(pod, { uid, name, namespace });
    const id = `sandbox-${this.#next()}`;
    this.records.change(uid, {
      sandboxes: [{ id, attempt: 0, ready: true, hostNetwork: false, ip: '10.9.9.9' }],
    });
    for (const spec of pod.spec.containers) this.#run(uid, id, spec, 0);
  }

  #run(uid: string, sandboxID: string, { name, image = '' }: Container, attempt: number): void {
    const { containers = [] } = this.records.find(uid) ?? {};
    const id = `sim://${name}-${this.#next()}`;
    const now = this.#now();
    this.onStart(uid, name);
    this.#notify(`${uid}: ${id} runs`);
    const container = {
      id,
      name,
      state: 'running' as const,
      sandboxID,
      restartCount: attempt,
      image,
      imageRef: `${image}@sha256:1`,
      createdAt: now,
      startedAt: now,
    };
    this.records.change(uid, { containers: [container, ...containers] });
    if (name === 'init') this.#endSoon(uid, id);
  }

  /** Init containers do their work and end; podkeep waits for that. */
  #endSoon(uid: string, id: string): void {
    const { clock, dice, weather } = this.#options;
    const exitCode = weather.strikes('runtime: init container fails') ? 1 : 0;
    clock.after(dice.between(20, 2000), () => this.exit(uid, id, exitCode));
  }

  /** SIGTERM immediately, SIGKILL after the grace period. An aborted stop kills nothing any more. */
  #untilDead(uid: string, id: string, graceMs: number, signal: AbortSignal): Promise<void> {
    const { clock, weather, dice } = this.#options;
    if (!this.#signalled.has(id)) {
      this.#signalled.add(id);
      const obeys = !weather.strikes('runtime: container ignores SIGTERM');
      const code = dice.oneOf(0, 143);
      if (obeys) clock.after(dice.between(5, 900), () => this.exit(uid, id, code));
    }
    return new Promise((resolve, reject) => {
      const cancelKill: Cancel = clock.after(graceMs, () => this.exit(uid, id, 137));
      const waiters = this.#waiters.get(id) ?? new Set();
      this.#waiters.set(id, waiters);
      const abort = (): void => {
        waiters.delete(died);
        cancelKill();
        reject(reasonOf(signal));
      };
      const died = (): void => {
        signal.removeEventListener('abort', abort);
        cancelKill();
        resolve();
      };
      waiters.add(died);
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    });
  }

  #recordFor(pod: Pod, reference: { uid: string; name: string; namespace: string }) {
    const { uid, name, namespace } = reference;
    this.records.add(reference, isStaticPod(pod) ? `${name}_${namespace}` : null);
    const record = this.records.find(uid);
    if (!record) throw new Error(`${uid}: no record`);
    return record;
  }

  async #work(
    fault: 'runtime: sandbox fails' | 'runtime: start fails' | 'runtime: stop fails',
    lowMs: number,
    highMs: number,
  ): Promise<void> {
    const { weather, dice, clock } = this.#options;
    await wait(clock, dice.between(lowMs, highMs));
    if (fault === 'runtime: sandbox fails' && weather.strikes('runtime: network not ready')) {
      throw networkNotReady({ reason: 'no plugin yet' });
    }
    if (weather.strikes(fault)) throw new Error(fault);
  }

  #pause(lowMs: number, highMs: number): Promise<void> {
    return wait(this.#options.clock, this.#options.dice.between(lowMs, highMs));
  }

  #isRunning(uid: string, id: string): boolean {
    return this.records.running(uid).some((container) => container.id === id);
  }

  #reserve(key: string): void {
    if (this.#reserved.has(key)) throw taken(key);
    this.#reserved.add(key);
  }

  #next(): number {
    this.#last += 1;
    return this.#last;
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }

  #notify(what: string): void {
    this.#options.journal.notify('runtime', what);
  }
}

function taken(key: string): Error {
  return new Error(`${key} is reserved`);
}
