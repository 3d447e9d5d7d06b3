/**
 * Decides when spans are sent to their receiver, and which are dropped. The driver holds the queue; this
 * state machine only counts the spans in it.
 *
 *     idle ──span──> collecting ──512 spans or 5 s──> sending ──accepted, refused──> idle, collecting, …
 *                                                      │  ▲
 *                                          unavailable ▼  │ woke
 *                                                     waiting          any ──stopping──> … ──> stopped
 *
 * 1. At most 2,048 spans are queued; a span that ends beyond that is dropped. This limits the memory that an
 *    unavailable receiver costs, and pods never wait for a receiver.
 * 2. One batch is in flight. To an unavailable receiver it is sent six times, with back-off; then the batch
 *    is dropped. A batch that the receiver refuses is dropped at once.
 * 3. While stopping, the rest of the queue is sent without pauses; if the receiver is unavailable, the rest
 *    is dropped.
 *
 * Queue, batch and delay are those of OpenTelemetry's batch span processor, which Kubernetes' kubelet uses.
 */
export type State =
  | { readonly phase: 'idle' }
  | { readonly phase: 'collecting'; readonly queued: number }
  | (Batch & { readonly phase: 'sending'; readonly isStopping: boolean })
  | (Batch & { readonly phase: 'waiting' })
  | { readonly phase: 'stopped' };

interface Batch {
  /** The spans in the queue, including those of the batch. */
  readonly queued: number;
  readonly batch: number;
  /** How often the batch was sent before. */
  readonly tries: number;
  /** How often in a row the receiver was unavailable. */
  readonly failures: number;
}

export type Event =
  | { readonly type: 'ended' }
  | { readonly type: 'woke' }
  /** `chance` is at least 0 and below 1. */
  | { readonly type: 'settled'; readonly outcome: Outcome; readonly chance: number }
  | { readonly type: 'stopping' }
  | { readonly type: 'expired' };

export type Outcome = 'accepted' | 'unavailable' | 'refused';
export type DropReason = 'queue_full' | 'refused' | 'stopped' | 'unavailable';

export type Effect =
  | { readonly type: 'store' }
  /** The span that has just ended is not stored. */
  | { readonly type: 'reject'; readonly why: DropReason }
  /** The oldest spans leave the queue: they were exported (`exported`) or not (`drop`). */
  | { readonly type: 'exported'; readonly count: number }
  | { readonly type: 'drop'; readonly count: number; readonly why: DropReason }
  | { readonly type: 'send'; readonly count: number }
  | { readonly type: 'wakeAfter'; readonly delayMs: number }
  | { readonly type: 'cancelWake' }
  | { readonly type: 'finish' };

export interface Decision {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export const QUEUE_MAX = 2048;
export const BATCH_MAX = 512;
const DELAY_MS = 5000;
const TRIES_MAX = 6;
const BACK_OFF_MS = { first: 1000, max: 30_000 };
const JITTER_FACTOR = 0.5;
/** The statuses after which OTLP lets a client try again. */
const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export const initial: State = { phase: 'idle' };

export function decide(state: State, event: Event): Decision {
  switch (event.type) {
    case 'ended':
      return ended(state);
    case 'woke':
      return woke(state);
    case 'settled':
      return state.phase === 'sending' ? settled(state, event) : same(state);
    case 'stopping':
      return stopping(state);
    case 'expired':
      return state.phase === 'stopped' ? same(state) : dropAll(state, 'stopped');
  }
}

/** What the HTTP status of an answer means for the batch. */
export function outcomeOfAnswer(status: number): Outcome {
  if (status >= 200 && status < 300) return 'accepted';
  return RETRIED.has(status) ? 'unavailable' : 'refused';
}

function ended(state: State): Decision {
  const isStopping = state.phase === 'stopped' || (state.phase === 'sending' && state.isStopping);
  if (isStopping) return { state, effects: [{ type: 'reject', why: 'stopped' }] };
  const queued = queuedIn(state) + 1;
  if (queued > QUEUE_MAX) return { state, effects: [{ type: 'reject', why: 'queue_full' }] };
  const store: Effect = { type: 'store' };
  if (state.phase === 'idle') {
    const wake: Effect = { type: 'wakeAfter', delayMs: DELAY_MS };
    return { state: { phase: 'collecting', queued }, effects: [store, wake] };
  }
  if (state.phase !== 'collecting' || queued < BATCH_MAX) {
    return { state: { ...state, queued }, effects: [store] };
  }
  return after([store, { type: 'cancelWake' }], send(queued, false));
}

function woke(state: State): Decision {
  if (state.phase === 'collecting') return send(state.queued, false);
  return state.phase === 'waiting' ? sendAgain(state, false) : same(state);
}

function settled(
  state: State & { phase: 'sending' },
  { outcome, chance }: Event & { type: 'settled' },
): Decision {
  const { batch: count, queued, isStopping } = state;
  if (outcome === 'accepted') {
    return after([{ type: 'exported', count }], next(queued - count, isStopping));
  }
  if (outcome === 'refused') {
    return after([{ type: 'drop', count, why: 'refused' }], next(queued - count, isStopping));
  }
  if (isStopping) return dropAll(state, 'unavailable');
  const failures = state.failures + 1;
  const tries = state.tries + 1;
  if (tries < TRIES_MAX) return wait({ queued, batch: count, tries, failures }, chance);
  const left = queued - count;
  const rest =
    left === 0
      ? same(initial)
      : wait({ queued: left, batch: Math.min(left, BATCH_MAX), tries: 0, failures }, chance);
  return after([{ type: 'drop', count, why: 'unavailable' }], rest);
}

function stopping(state: State): Decision {
  switch (state.phase) {
    case 'idle':
      return { state: { phase: 'stopped' }, effects: [{ type: 'finish' }] };
    case 'collecting':
      return after([{ type: 'cancelWake' }], send(state.queued, true));
    case 'waiting':
      return after([{ type: 'cancelWake' }], sendAgain(state, true));
    case 'sending':
      return same({ ...state, isStopping: true });
    case 'stopped':
      return same(state);
  }
}

function next(queued: number, isStopping: boolean): Decision {
  if (queued > 0 && (isStopping || queued >= BATCH_MAX)) return send(queued, isStopping);
  if (isStopping) return { state: { phase: 'stopped' }, effects: [{ type: 'finish' }] };
  if (queued === 0) return same(initial);
  const effects: readonly Effect[] = [{ type: 'wakeAfter', delayMs: DELAY_MS }];
  return { state: { phase: 'collecting', queued }, effects };
}

function send(queued: number, isStopping: boolean): Decision {
  const batch = Math.min(queued, BATCH_MAX);
  return sendAgain({ queued, batch, tries: 0, failures: 0 }, isStopping);
}

function sendAgain({ queued, batch, tries, failures }: Batch, isStopping: boolean): Decision {
  const state: State = { phase: 'sending', queued, batch, tries, failures, isStopping };
  return { state, effects: [{ type: 'send', count: batch }] };
}

function wait(batch: Batch, chance: number): Decision {
  const plainMs = Math.min(BACK_OFF_MS.first * 2 ** (batch.failures - 1), BACK_OFF_MS.max);
  const delayMs = plainMs * (1 + JITTER_FACTOR * chance);
  return { state: { phase: 'waiting', ...batch }, effects: [{ type: 'wakeAfter', delayMs }] };
}

function dropAll(state: State, why: DropReason): Decision {
  const count = queuedIn(state);
  const effects: readonly Effect[] = [
    { type: 'cancelWake' },
    { type: 'drop', count, why },
    { type: 'finish' },
  ];
  return { state: { phase: 'stopped' }, effects };
}

function queuedIn(state: State): number {
  return 'queued' in state ? state.queued : 0;
}

function after(effects: readonly Effect[], { state, effects: more }: Decision): Decision {
  return { state, effects: [...effects, ...more] };
}

function same(state: State): Decision {
  return { state, effects: [] };
}
