/**
 * The events that a pod worker reacts to.
 *
 *   updated, killed     a pod with a spec was updated, or has to be killed
 *   killedInRuntime     housekeeping found the pod running, and no pod source has it
 *   admitted, refused   the queue of its full name has answered (static pods; see static-pod-queue.ts)
 *   settled             the work in flight has ended
 *   housekept           housekeeping visited the worker; `orphan`: no pod source has the pod
 *
 * Events are plain data, so that a recorded history can be replayed: a kill is only a number here, and the
 * driver remembers which caller waits for the kill and which status the kill sets.
 */
import type { Pod } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { unreachable } from '../../lib/assert.ts';
import type { Configured, RunningPod, Subject, Update, UpdateType } from './update.ts';

/** The three kinds of work: `sync` while syncing, `stop` while terminating, `release` while terminated. */
export type Work = 'sync' | 'stop' | 'release';

export type KillId = number;

export interface Kill {
  readonly id: KillId;
  readonly evict: boolean;
  readonly graceSeconds: number | null;
  /** The kill sets the pod's status itself. */
  readonly overridesStatus: boolean;
}

interface UpdatedPod {
  readonly pod: Pod;
  readonly mirrorPod: Pod | null;
  readonly startedAtMs: number | null;
  /** Could containers of this pod run, as far as the last listing of the runtime shows? See `mayRun`. */
  readonly mayRun: boolean;
}

export interface Updated extends UpdatedPod {
  readonly type: 'updated';
  readonly updateType: Exclude<UpdateType, 'kill'>;
}

export interface Killed extends UpdatedPod {
  readonly type: 'killed';
  readonly kill: Kill;
}

export interface KilledInRuntime {
  readonly type: 'killedInRuntime';
  readonly runningPod: RunningPod;
  readonly kill: Kill;
  readonly startedAtMs: number | null;
}

export interface Settled {
  readonly type: 'settled';
  readonly work: Work;
  readonly outcome: Outcome;
}

export type Outcome =
  | { readonly kind: 'done' }
  /** Sync only: every container has ended for good, the pod is over. */
  | { readonly kind: 'terminal' }
  /** It noticed `cancelInFlight` and left early. */
  | { readonly kind: 'cancelled' }
  /** The reasons are for people: no rule reads them. */
  | { readonly kind: 'networkNotReady'; readonly reason: string }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      /** Time until the earliest back-off among its causes ends; negative if it has ended. */
      readonly retryAfterMs: number | null;
    };

/** The events about the pod itself. */
export type UpdateEvent = Updated | Killed | KilledInRuntime;

export type Event =
  | UpdateEvent
  | Settled
  | { readonly type: 'admitted' }
  | { readonly type: 'refused' }
  | { readonly type: 'housekept'; readonly orphan: boolean };

export function describeEnd(work: Work, outcome: Outcome): string {
  switch (outcome.kind) {
    case 'done':
    case 'terminal':
      return `the ${work} is done`;
    case 'cancelled':
      return `the ${work} was cancelled`;
    case 'networkNotReady':
    case 'failed':
      return `the ${work} failed: ${outcome.reason}`;
    default:
      return unreachable(outcome);
  }
}

/** An update event, normalized to the form that the rules of all phases read. */
export interface Request<About extends Subject = Subject> {
  readonly update: Update<About>;
  readonly kill: Kill | null;
  /** The event had no spec, even if a known one was filled in (PW-13). */
  readonly runtimeOnly: boolean;
}

/**
 * A kill from the runtime takes the known spec, if there is one, so that the pod stops the way its
 * spec says (PW-13). All other events bring a spec.
 */
export function requestFrom(event: Updated | Killed, known?: Subject): Request<Configured>;
export function requestFrom(event: UpdateEvent, known: Configured): Request<Configured>;
export function requestFrom(event: UpdateEvent, known?: Subject): Request;
export function requestFrom(event: UpdateEvent, known?: Subject): Request {
  const { startedAtMs } = event;
  if (event.type === 'killedInRuntime') {
    const { runningPod, kill } = event;
    const subject: Subject =
      known?.kind === 'configured'
        ? { ...known, mirrorPod: null }
        : { kind: 'runtimeOnly', runningPod };
    return { update: { type: 'kill', subject, startedAtMs }, kill, runtimeOnly: true };
  }
  const { pod, mirrorPod } = event;
  const subject: Configured = { kind: 'configured', pod, mirrorPod };
  if (event.type === 'killed') {
    return { update: { type: 'kill', subject, startedAtMs }, kill: event.kill, runtimeOnly: false };
  }
  return {
    update: { type: event.updateType, subject, startedAtMs },
    kill: null,
    runtimeOnly: false,
  };
}

/** A terminating pod that is created again with the same UID must first finish terminating (PW-14). */
export function isCreate(event: UpdateEvent): boolean {
  return event.type === 'updated' && event.updateType === 'create';
}

/**
 * If the runtime could not be read, containers may run. A pod that the runtime does not list has no running
 * containers (PW-12).
 */
export function mayRun(seen: RuntimePod | null): boolean {
  if (seen === null) return true;
  const running = seen.containers.some(({ state }) => state === 'running');
  return running || seen.sandboxes.some(({ ready }) => ready);
}
