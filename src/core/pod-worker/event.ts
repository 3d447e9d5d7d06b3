/**
 * What can happen to a pod worker. Every event is something that has already happened.
 *
 *   updated, killed     somebody has news of a pod with a spec, or wants it gone
 *   killedInRuntime     housekeeping found it running, and no source of pods knows it
 *   admitted, refused   the line of its full name has answered (static pods; see static-line.ts)
 *   settled             the work in flight has ended
 *   housekept           the regular look at all workers; `orphan`: no source of pods knows it
 *
 * Events are plain data. A kill is named by a number; whoever asked for it, and the words it brings
 * for the pod's status, stay with the driver. So a recorded history can be played again.
 */
import type { Pod } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { unreachable } from '../../lib/assert.ts';
import type { Configured, RunningPod, Subject, Update, UpdateType } from './update.ts';

/** The three kinds of work, one per phase in which something is to be done. */
export type Work = 'sync' | 'stop' | 'release';

export type KillId = number;

export interface Kill {
  readonly id: KillId;
  readonly evict: boolean;
  readonly graceSeconds: number | null;
  /** It brings its own words for the status of the pod. */
  readonly overridesStatus: boolean;
}

interface PodNews {
  readonly pod: Pod;
  readonly mirrorPod: Pod | null;
  readonly startedAtMs: number | null;
  /** Could containers of this pod run, as far as the runtime was last seen? See `mayRun`. */
  readonly mayRun: boolean;
}

export interface Updated extends PodNews {
  readonly type: 'updated';
  readonly updateType: Exclude<UpdateType, 'kill'>;
}

export interface Killed extends PodNews {
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
      /** Until the earliest back-off among its causes ends; negative if it has ended. */
      readonly retryAfterMs: number | null;
    };

/** Somebody speaks about the pod itself. */
export type News = Updated | Killed | KilledInRuntime;

export type Event =
  | News
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

/** News of a pod in the one form that the rules of all phases read. */
export interface Request<About extends Subject = Subject> {
  readonly update: Update<About>;
  readonly kill: Kill | null;
  /** It came without a spec, even if one was known and filled in (PW-13). */
  readonly runtimeOnly: boolean;
}

/**
 * A kill that came from the runtime takes the spec that is known, if there is one, so that the pod
 * stops the way its spec says (PW-13). All other news brings its own.
 */
export function requestFrom(news: Updated | Killed, known?: Subject): Request<Configured>;
export function requestFrom(news: News, known: Configured): Request<Configured>;
export function requestFrom(news: News, known?: Subject): Request;
export function requestFrom(news: News, known?: Subject): Request {
  const { startedAtMs } = news;
  if (news.type === 'killedInRuntime') {
    const { runningPod, kill } = news;
    const subject: Subject =
      known?.kind === 'configured'
        ? { ...known, mirrorPod: null }
        : { kind: 'runtimeOnly', runningPod };
    return { update: { type: 'kill', subject, startedAtMs }, kill, runtimeOnly: true };
  }
  const { pod, mirrorPod } = news;
  const subject: Configured = { kind: 'configured', pod, mirrorPod };
  if (news.type === 'killed') {
    return { update: { type: 'kill', subject, startedAtMs }, kill: news.kill, runtimeOnly: false };
  }
  return {
    update: { type: news.updateType, subject, startedAtMs },
    kill: null,
    runtimeOnly: false,
  };
}

/** A pod that ends and is created anew, with the same UID: it has to wait for its own end (PW-14). */
export function isCreate(news: News): boolean {
  return news.type === 'updated' && news.updateType === 'create';
}

/** An unreadable runtime may run anything; a pod that it does not mention runs nothing (PW-12). */
export function mayRun(seen: RuntimePod | null): boolean {
  if (seen === null) return true;
  const running = seen.containers.some(({ state }) => state === 'running');
  return running || seen.sandboxes.some(({ ready }) => ready);
}
