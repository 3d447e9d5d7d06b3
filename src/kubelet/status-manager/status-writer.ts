/**
 * Gives pods their turn to write, and performs what the machine in core/status-write asks for.
 *
 *     changed ──> lanes ──(window, client limit)──> admitted ──> request ──> settled ──┐
 *                   ▲                                                                  │
 *                   └──────────── again, or later after a failure ─────────────────────┘
 *
 * Work follows what changed, not how many pods there are: nothing here looks at a pod that nobody
 * mentioned. Many pods write at once, each pod one request at a time.
 *
 * Invariants:
 *   1. At most one request per pod and `window` requests in all are under way.
 *   2. A pod that was forgotten while its request was under way starts anew only when that is over.
 */
import * as statusWrite from '../../core/status-write/status-write.ts';
import type { WriteView } from '../../core/status-write/next-request.ts';
import { Lanes } from '../../lib/lanes.ts';
import { TokenBucket } from '../../lib/token-bucket.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import { DONE, outcomeOf } from './outcome.ts';

export interface StatusWriterOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How many requests may be under way at once. */
  readonly window: number;
  /** Requests a second, and how many may be saved up; -1: no limit (kubeAPIQPS, kubeAPIBurst). */
  readonly qps: number;
  readonly burst: number;
  readonly requestTimeoutMs: number;
  /** What is true of the pod now. */
  readonly viewOf: (uid: string) => WriteView;
  /** Sends the request, and learns from its answer before it resolves. */
  readonly perform: (uid: string, ask: statusWrite.Ask, signal: AbortSignal) => Promise<void>;
  readonly acknowledged: (uid: string, version: number) => void;
  readonly dropped: (uid: string, why: string) => void;
  /** Nothing more is written for this pod until its record is gone. */
  readonly parked: (uid: string, error: unknown) => void;
  /** Every step, for the record. `error` is there if a request failed. */
  readonly stepped: (uid: string, step: Step) => void;
}

export interface Step {
  readonly from: statusWrite.State['phase'];
  readonly to: statusWrite.State['phase'];
  readonly event: statusWrite.Event;
  readonly error?: unknown;
}

interface Entry {
  state: statusWrite.State;
  cancelWake: Cancel;
  abort: AbortController | null;
  /** Forgotten while busy; with a lane if it was mentioned again since. */
  forgotten: { again: statusWrite.Lane | null } | null;
  isParked: boolean;
}

/** Retries are spread by up to this part of their delay. */
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

  /** There is something to say about this pod. */
  changed(uid: string, lane: statusWrite.Lane): void {
    const entry = this.#entryOf(uid);
    if (entry.forgotten)
      entry.forgotten.again = entry.forgotten.again === 'urgent' ? 'urgent' : lane;
    else this.#send(uid, entry, { type: 'changed', lane });
  }

  /** Somebody else changed what we had written. */
  overwritten(uid: string): void {
    const entry = this.#entryOf(uid);
    if (entry.forgotten) this.changed(uid, 'normal');
    else this.#send(uid, entry, { type: 'overwritten' });
  }

  /** The API has this pod's object, as far as we know. */
  seen(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry && !entry.forgotten) this.#send(uid, entry, { type: 'seen' });
  }

  /** The pod's object is another one now: what could not be read of the old one may be readable. */
  retryParked(uid: string): void {
    const entry = this.#entries.get(uid);
    if (!entry?.isParked || entry.forgotten || entry.state.phase === 'busy') return;
    this.#entries.delete(uid);
    this.changed(uid, 'normal');
  }

  /** Nothing is queued, under way or waited for. */
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

  /** The pod's record is gone, and with it what was acknowledged (V-1). */
  forget(uid: string): void {
    const entry = this.#entries.get(uid);
    if (!entry) return;
    entry.cancelWake();
    this.#lanes.delete(uid);
    if (entry.state.phase === 'busy') entry.forgotten = { again: null };
    else this.#entries.delete(uid);
    this.#tellIdle();
  }

  /** Resolves when no pod waits for its turn and no request is under way. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idleWaiters.push(resolve);
      this.#tellIdle();
    });
  }

  /** Gives no more turns, and cuts off what is under way. */
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
    if (from !== state.phase || event.type === 'settled') {
      const step = { from, to: state.phase, event };
      this.#options.stepped(uid, error === undefined ? step : { ...step, error });
    }
    for (const effect of effects) this.#perform(uid, entry, effect);
  }

  /** A rule of ours that breaks, or an object that cannot be read, parks this pod alone. */
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

  #perform(uid: string, entry: Entry, effect: statusWrite.Effect): void {
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
        const { clock, random } = this.#options;
        const delayMs = effect.delayMs * (1 + RETRY_JITTER * random.next());
        entry.cancelWake = clock.after(delayMs, () => this.#send(uid, entry, { type: 'woke' }));
        break;
      }
    }
  }

  /** What happens in one go is written in one go: turns are given when the caller is done. */
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
    this.#tellIdle();
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
      outcome = outcomeOf(error);
      failure = error;
    } finally {
      cancelTimeout();
      entry.abort = null;
      this.#busy -= 1;
    }
    if (entry.forgotten) this.#startAnew(uid, entry.forgotten.again);
    else this.#send(uid, entry, { type: 'settled', outcome, view: viewOf(uid) }, failure);
    this.#pump();
  }

  #startAnew(uid: string, lane: statusWrite.Lane | null): void {
    this.#entries.delete(uid);
    if (lane !== null) this.changed(uid, lane);
  }

  #tellIdle(): void {
    if (this.#busy > 0 || (this.#lanes.size > 0 && !this.#stopped)) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}
