/**
 * Decides for the status of one pod whether the status writer writes it, waits, reads the pod first, deletes
 * the pod, or drops the record.
 *
 *                 changed              admitted: patch, remove or read
 *        idle ─────────────> queued ─────────────────────────────────> busy
 *          ▲                   ▲ │                                      │
 *          │ nothing to write  │ │ nothing to write                     │ settled
 *          └───────────────────┼─┴──────────────────────────────────────┤
 *                              │ woke                                   │
 *                              └──────────────── waiting <── failed ────┤
 *        missing <── the API has no such pod ───────────────────────────┘
 *
 *   idle     as far as podkeep knows, the API has its newest status
 *   queued   waits for its turn among the pods with something to write
 *   busy     one request is under way; changes meanwhile are remembered
 *   waiting  the API refused or did not answer; the writer retries later
 *   missing  the API does not have the pod; only an event of the watch changes that (F-12)
 *
 * `kubelet/status-manager/status-writer.ts` takes pods from the queue and sends the requests.
 *
 * Invariants:
 *   1. At most one request is under way, and the state knows which.
 *   2. Versions are acknowledged in order, and only after the API has answered, or if no write is needed.
 *   3. A version that was stored while a request was under way gets another request.
 *   4. After a conflict the object is read before anything is written (SM-74).
 */
import { unreachable } from '../../lib/assert.ts';
import { withFields } from '../../lib/share.ts';
import { nextRequest, type WriteRequest, type WriteView } from './next-request.ts';

export type Lane = 'urgent' | 'normal';

export type State =
  | { readonly phase: 'idle'; readonly acked: Ack | null }
  | Queued
  | Busy
  | {
      readonly phase: 'waiting';
      readonly acked: Ack | null;
      readonly lane: Lane;
      readonly failures: number;
      readonly mustRead: boolean;
    }
  | { readonly phase: 'missing'; readonly acked: Ack | null };

interface Queued {
  readonly phase: 'queued';
  readonly acked: Ack | null;
  readonly lane: Lane;
  /** How often the API refused or failed in a row. */
  readonly failures: number;
  readonly mustRead: boolean;
  /** The object was read because of a conflict, so the known object is current. */
  readonly hasRead: boolean;
  /** The API has just acknowledged our newest status: it is not compared again before a deletion (SM-79). */
  readonly isAnswered: boolean;
}

interface Busy {
  readonly phase: 'busy';
  readonly acked: Ack | null;
  readonly lane: Lane;
  readonly request: 'patch' | 'remove' | 'read';
  /** The version that the request carries, and the UID that it is sent to. */
  readonly version: number;
  readonly uid: string;
  readonly failures: number;
  readonly hasRead: boolean;
  /** Something changed since the request was made. */
  readonly again: Lane | null;
}

/** The last version that was written to the API, and the UID of the pod that it was written to (SM-2). */
export interface Ack {
  readonly uid: string;
  readonly version: number;
}

export type Event =
  /** There is something to write, or to compare again. */
  | { readonly type: 'changed'; readonly lane: Lane }
  /** Another client overwrote the status: no version counts as acknowledged (SM-59). */
  | { readonly type: 'overwritten' }
  /** The pod has its turn. */
  | { readonly type: 'admitted'; readonly view: WriteView }
  | { readonly type: 'settled'; readonly outcome: Outcome; readonly view: WriteView }
  | { readonly type: 'woke' }
  /** The watch delivered the pod's object. */
  | { readonly type: 'seen' };

export type Outcome =
  | { readonly type: 'done' }
  /** 409, or the 422 on metadata.uid: the known object is outdated. */
  | { readonly type: 'conflict' }
  | { readonly type: 'notFound' }
  /** Too many requests, a server error, a broken connection. */
  | { readonly type: 'failed'; readonly retryAfterMs: number | null };

export type Effect =
  | { readonly type: 'enqueue'; readonly lane: Lane }
  | { readonly type: 'request'; readonly request: Ask }
  | { readonly type: 'acknowledge'; readonly version: number }
  /** The status manager removes its record of the pod. */
  | { readonly type: 'dropRecord'; readonly why: string }
  | { readonly type: 'wakeAfter'; readonly delayMs: number };

/** The request that is sent. */
export type Ask =
  | Extract<WriteRequest, { type: 'patch' | 'remove' }>
  | { readonly type: 'read'; readonly version: number };

export interface Decision {
  readonly state: State;
  readonly effects: readonly Effect[];
}

const RETRY_MS = 1000;
/** The kubelet retries after ten seconds at the latest (SM-64). */
const RETRY_MS_MAX = 10_000;

export const initial: State = { phase: 'idle', acked: null };

export function decide(state: State, event: Event): Decision {
  switch (event.type) {
    case 'changed':
      return onChanged(state, event.lane);
    case 'overwritten':
      return onChanged({ ...state, acked: null }, 'normal');
    case 'admitted':
      return state.phase === 'queued' ? onAdmitted(state, event.view) : become(state);
    case 'settled':
      return state.phase === 'busy' ? onSettled(state, event.outcome, event.view) : become(state);
    case 'woke':
      return state.phase === 'waiting' ? enqueue(state) : become(state);
    case 'seen':
      // The pod exists after all; `admitted` decides whether there is anything to write.
      return state.phase === 'missing' ? enqueue({ ...state, lane: 'normal' }) : become(state);
    default:
      return unreachable(event);
  }
}

function onChanged(state: State, lane: Lane): Decision {
  switch (state.phase) {
    case 'idle':
      return enqueue({ ...state, lane });
    case 'queued': {
      // It stays queued, or moves to the higher lane. Our newest status is not the acknowledged one any more.
      const next = withFields(state, { lane: higher(state.lane, lane), isAnswered: false });
      if (next.lane === state.lane) return become(next);
      return become(next, { type: 'enqueue', lane: next.lane });
    }
    case 'busy':
      return become({ ...state, again: higher(state.again, lane) });
    case 'waiting':
      return become({ ...state, lane: higher(state.lane, lane) });
    case 'missing':
      return become(state); // the API does not have the pod
    default:
      return unreachable(state);
  }
}

function onAdmitted(state: Queued, view: WriteView): Decision {
  const { record, apiUid } = view;
  if (state.mustRead && apiUid !== null) {
    return ask(state, { type: 'read', version: record.version }, apiUid);
  }
  const request = nextRequest(view, state.isAnswered);
  switch (request.type) {
    case 'patch':
    case 'remove':
      return ask(state, request, apiUid ?? '');
    case 'settled':
      return acknowledge(apiUid ?? '', request.version);
    case 'missing':
      return become({ phase: 'missing', acked: state.acked });
    case 'drop':
      return become(initial, { type: 'dropRecord', why: 'another pod has its name' });
    case 'nothing':
      return become({ phase: 'idle', acked: state.acked });
    default:
      return unreachable(request);
  }
}

function onSettled(state: Busy, outcome: Outcome, view: WriteView): Decision {
  switch (outcome.type) {
    case 'done':
      return onDone(state, view);
    case 'conflict':
      // The first read is immediate: it shows either another pod, and the record is dropped, or the
      // current object. After another conflict a quick retry would not help.
      if (state.hasRead || state.request === 'read') return backOff(state, null, true);
      return enqueue({
        acked: state.acked,
        lane: higher(state.again, state.lane),
        failures: state.failures,
        mustRead: true,
      });
    case 'notFound':
      return become({ phase: 'missing', acked: state.acked });
    case 'failed':
      return backOff(state, outcome.retryAfterMs, state.request === 'read');
    default:
      return unreachable(outcome);
  }
}

function backOff(state: Busy, retryAfterMs: number | null, mustRead: boolean): Decision {
  const failures = state.failures + 1;
  // Even if the API keeps asking for an immediate retry, the back-off grows.
  const backOffMs = Math.min(RETRY_MS * 2 ** (failures - 1), RETRY_MS_MAX);
  const delayMs = Math.max(retryAfterMs ?? 0, backOffMs);
  const lane = higher(state.again, state.lane);
  return become(
    { phase: 'waiting', acked: state.acked, lane, failures, mustRead },
    { type: 'wakeAfter', delayMs },
  );
}

function onDone(state: Busy, view: WriteView): Decision {
  const { acked, lane, request } = state;
  switch (request) {
    case 'read':
      // The patch is made against the object just read; the write takes another turn.
      return enqueue({
        acked,
        lane: higher(state.again, lane),
        failures: state.failures,
        hasRead: true,
      });
    case 'remove':
      return become(initial, { type: 'dropRecord', why: 'the pod was deleted from the API' });
    case 'patch':
      return afterPatch(state, view);
    default:
      return unreachable(request);
  }
}

/**
 * Changes since the request get another write. Otherwise, if the response shows that the pod may be deleted
 * now, the deletion comes next, before all ordinary writes (SM-79).
 */
function afterPatch({ uid, version, again }: Busy, view: WriteView): Decision {
  const acknowledged = acknowledge(uid, version);
  const { acked } = acknowledged.state;
  if (again !== null) return after(acknowledged, enqueue({ acked, lane: again }));
  if (nextRequest(view, true).type !== 'remove') return acknowledged;
  return after(acknowledged, enqueue({ acked, lane: 'urgent', isAnswered: true }));
}

function after(first: Decision, second: Decision): Decision {
  return { state: second.state, effects: [...first.effects, ...second.effects] };
}

/** An acknowledgement counts for the UID that the request was sent to, whichever pod has the name now. */
function acknowledge(uid: string, version: number): Decision {
  const acked = { uid, version };
  return become({ phase: 'idle', acked }, { type: 'acknowledge', version });
}

function ask(state: Queued, request: Ask, uid: string): Decision {
  const { acked, lane, failures, hasRead } = state;
  const { type, version } = request;
  return become(
    { phase: 'busy', acked, lane, request: type, version, uid, failures, hasRead, again: null },
    { type: 'request', request },
  );
}

function enqueue(state: Pick<Queued, 'acked' | 'lane'> & Partial<Omit<Queued, 'phase'>>): Decision {
  const { acked, lane, failures = 0 } = state;
  const { mustRead = false, hasRead = false, isAnswered = false } = state;
  return become(
    { phase: 'queued', acked, lane, failures, mustRead, hasRead, isAnswered },
    { type: 'enqueue', lane },
  );
}

function higher(a: Lane | null, b: Lane): Lane {
  return a === 'urgent' ? a : b;
}

function become(state: State, ...effects: readonly Effect[]): Decision {
  return { state, effects };
}
