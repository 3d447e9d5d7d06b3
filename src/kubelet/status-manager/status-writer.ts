/**
 * Writes pod statuses to the API: takes pods from two lanes, and sends the requests that core/status-write
 * decides.
 *
 *     changed ──> lanes ──(window, client limit)──> admitted ──> request ──> settled ──┐
 *                   ▲                                                                  │
 *                   └──────────── again, or later after a failure ─────────────────────┘
 *
 * The work grows with the number of changes, not with the number of pods: a pod without a change costs
 * nothing. Several pods are written concurrently, each with one request at a time.
 *
 * Invariants:
 *   1. At most one request per pod and `window` requests in all are in flight.
 *   2. If a pod is forgotten during its request and changes again, it is written only after that request has
 *      ended.
 */
import * as statusWrite from '../../core/status-write/status-write.ts';
import type { WriteView } from '../../core/status-write/next-request.ts';
import { Lanes } from '../../lib/lanes.ts';
import { TokenBucket } from '../../lib/token-bucket.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import { DONE, writeOutcomeOf } from './outcome.ts';

export interface StatusWriterOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Concurrent requests. */
  readonly window: number;
  /** Requests per second, and burst; -1: no limit (kubeAPIQPS, kubeAPIBurst). */
  readonly qps: number;
  readonly burst: number;
  readonly requestTimeoutMs: number;
  /** The current facts about the pod. */
  readonly viewOf: (uid: string) => WriteView;
  /** Sends the request, and stores the object in its response before it resolves. */
  readonly perform: (uid: string, ask: statusWrite.Ask, signal: AbortSignal) => Promise<void>;
  readonly acknowledged: (uid: string, version: number) => void;
  readonly dropped: (uid: string, why: string) => void;
  /** Nothing more is written for this pod until its record is dropped. */
  readonly parked: (uid: string, error: unknown) => void;
  /** Called for every step, for the decision history. `error` is present if a request failed. */
  readonly stepped: (uid: string, step: Step) => void;
}

export interface Step {
  readonly from: statusWrite.State['phase'];
  readonly to: statusWrite.State['phase'];
  readonly event: statusWrite.Event;
  readonly error?: unknown;
  /** Present if the writer waits for a retry: how often the write failed in a row, and when the retry is due. */
  readonly retry?: { readonly failures: number; readonly afterMs: number };
}

interface Entry {
  state: statusWrite.State;
  cancelWake: Cancel;
  abort: AbortController | null;
  /** The pod was forgotten during its request; `again` is set if it has changed since. */
  forgotten: { again: statusWrite.Lane | null } | null;
  isParked: boolean;
}

/** Jitter of retries, as a part of their delay. */
const RETRY_JITTER = 0.5;

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #lanes = new Lanes<string>();
  readonly #bucket: TokenBucket;
  readonly #idleWaiters: (() => void)[] = [];
  #busy = 0;
  #isPumpDue = false;
  #cancelPump: Cancel = () => {};
  #stopped = false;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    const { qps, burst, clock } = options;
    this.#bucket = new TokenBucket(qps, burst, clock.monotonic());
  }

  /** This pod has something to write. */
  changed(uid: string, lane: statusWrite.Lane): void {
    const entry = this.#entryOf(uid);
    if (entry.forgotten)
      entry.forgotten.again = entry.forgotten.again === 'urgent' ? 'urgent' : lane;
    else this.#send(uid, entry, { type: 'changed', lane });
  }

  /** Another writer changed the status that podkeep had written. */
  overwritten(uid: string): void {
    const entry = this.#entryOf(uid);
    if (entry.forgotten) this.changed(uid, 'normal');
    else this.#send(uid, entry, { type: 'overwritten' });
  }

  /** As far as podkeep knows, the API has this pod. */
  seen(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry && !entry.forgotten) this.#send(uid, entry, { type: 'seen' });
  }

  /** The pod's API object has changed: if the old one could not be parsed, perhaps the new one can. */
  retryParked(uid: string): void {
    const entry = this.#entries.get(uid);
    if (!entry?.isParked || entry.forgotten || entry.state.phase === 'busy') return;
    this.#entries.delete(uid);
    this.changed(uid, 'normal');
  }

  /** Nothing is queued, in flight or waiting for a retry. */
  isIdle(uid: string): boolean {
    const entry = this.#entries.get(uid);
    return !entry || (entry.state.phase === 'idle' && !entry.forgotten);
  }

  /** The version that the API has under this UID; zero if it has none. */
  ackedVersion(uid: string, apiUid: string): number {
    const entry = this.#entries.get(uid);
    const acked = entry && !entry.forgotten ? entry.state.acked : null;
    return acked?.uid === apiUid ? acked.version : 0;
  }

  /** The pod's record is dropped, and with it the acknowledged version (V-1). */
  forget(uid: string): void {
    const entry = this.#entries.get(uid);
    if (!entry) return;
    entry.cancelWake();
    this.#lanes.delete(uid);
    if (entry.state.phase === 'busy') entry.forgotten = { again: null };
    else this.#entries.delete(uid);
    this.#notifyIdle();
  }

  /** Resolves when no pod waits for its turn and no request is in flight. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idleWaiters.push(resolve);
      this.#notifyIdle();
    });
  }

  /** Starts no more requests, and aborts those in flight. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelPump();
    for (const [uid, entry] of this.#entries) {
      entry.cancelWake();
      this.#lanes.delete(uid);
      entry.abort?.abort();
    }
    await this.idle();
  }

  #entryOf(uid: string): Entry {
    let entry = this.#entries.get(uid);
    if (!entry) {
      const { initial: state } = statusWrite;
      entry = { state, cancelWake: () => {}, abort: null, forgotten: null, isParked: false };
      this.#entries.set(uid, entry);
    }
    return entry;
  }

  #send(uid: string, entry: Entry, event: statusWrite.Event, error?: unknown): void {
    if (this.#stopped) return;
    const { phase: from } = entry.state;
    const decision = this.#decide(uid, entry, event);
    if (!decision) return;
    const { state, effects } = decision;
    entry.state = state;
    const afterMs = this.#retryAfterMs(effects);
    if (from !== state.phase || event.type === 'settled') {
      const retry = state.phase === 'waiting' && { failures: state.failures, afterMs };
      const step = { from, to: state.phase, event, ...(retry && { retry }) };
      this.#options.stepped(uid, error === undefined ? step : { ...step, error });
    }
    for (const effect of effects) this.#perform(uid, entry, effect, afterMs);
  }

  /** Zero: the decision has no retry. */
  #retryAfterMs(effects: readonly statusWrite.Effect[]): number {
    const wake = effects.find(({ type }) => type === 'wakeAfter');
    if (wake?.type !== 'wakeAfter') return 0;
    return wake.delayMs * (1 + RETRY_JITTER * this.#options.random.next());
  }

  /** A violated invariant, or an object that cannot be parsed, parks only this pod. */
  #decide(uid: string, entry: Entry, event: statusWrite.Event): statusWrite.Decision | null {
    if (entry.isParked) return null;
    try {
      return statusWrite.decide(entry.state, event);
    } catch (error) {
      entry.isParked = true;
      this.#lanes.delete(uid);
      this.#options.parked(uid, error);
      return null;
    }
  }

  #perform(uid: string, entry: Entry, effect: statusWrite.Effect, afterMs: number): void {
    switch (effect.type) {
      case 'enqueue':
        this.#lanes.add(uid, effect.lane);
        this.#schedulePump();
        break;
      case 'request':
        void this.#request(uid, entry, effect.request);
        break;
      case 'acknowledge':
        this.#options.acknowledged(uid, effect.version);
        break;
      case 'dropRecord':
        this.#entries.delete(uid);
        this.#lanes.delete(uid);
        this.#options.dropped(uid, effect.why);
        break;
      case 'wakeAfter': {
        const { clock } = this.#options;
        entry.cancelWake = clock.after(afterMs, () => this.#send(uid, entry, { type: 'woke' }));
        break;
      }
    }
  }

  /** Requests start after the caller has returned, so that several changes in one tick become one write. */
  #schedulePump(): void {
    if (this.#isPumpDue || this.#stopped) return;
    this.#isPumpDue = true;
    void Promise.resolve().then(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  #pump(): void {
    const { clock, window } = this.#options;
    this.#cancelPump();
    while (this.#busy < window && this.#lanes.size > 0 && !this.#stopped) {
      const waitMs = this.#bucket.waitMs(clock.monotonic());
      if (waitMs > 0) {
        this.#cancelPump = clock.after(waitMs, () => this.#pump());
        return;
      }
      const uid = this.#lanes.shift();
      const entry = uid === undefined ? undefined : this.#entries.get(uid);
      if (uid === undefined || !entry) continue;
      this.#send(uid, entry, { type: 'admitted', view: this.#options.viewOf(uid) });
    }
    this.#notifyIdle();
  }

  async #request(uid: string, entry: Entry, ask: statusWrite.Ask): Promise<void> {
    const { clock, requestTimeoutMs, perform, viewOf } = this.#options;
    this.#bucket.take(clock.monotonic());
    this.#busy += 1;
    const abort = new AbortController();
    entry.abort = abort;
    const cancelTimeout = clock.after(requestTimeoutMs, () => abort.abort());
    let outcome: statusWrite.Outcome = DONE;
    let failure: unknown;
    try {
      await perform(uid, ask, abort.signal);
    } catch (error) {
      outcome = writeOutcomeOf(error);
      failure = error;
    } finally {
      cancelTimeout();
      entry.abort = null;
      this.#busy -= 1;
    }
    if (entry.forgotten) this.#restart(uid, entry.forgotten.again);
    else this.#send(uid, entry, { type: 'settled', outcome, view: viewOf(uid) }, failure);
    this.#pump();
  }

  #restart(uid: string, lane: statusWrite.Lane | null): void {
    this.#entries.delete(uid);
    if (lane !== null) this.changed(uid, lane);
  }

  #notifyIdle(): void {
    if (this.#busy > 0 || (this.#lanes.size > 0 && !this.#stopped)) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}
