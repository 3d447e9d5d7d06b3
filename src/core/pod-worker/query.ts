/**
 * Answers the questions of the rest of the kubelet about the state of a pod worker (PW-70 to PW-77).
 *
 *     forgotten  │ waiting │ syncing │ terminating       │ terminated │ finished │ forgotten
 *                          ^ started │ ^ asked  ^ seen   ^ stopped    ^ released
 *
 *     asked: termination was requested; seen: the worker has acted on the request;
 *     stopped: no container runs any more; released: the pod's resources are cleaned up
 *
 *     could have running containers ─────────────────────┤
 *                      termination requested ├──────────────────────────────────┤
 *                      containers should be terminating ├─────────────────────────────────────
 *                                   runtime should be removed ├───────────────────────────────
 *                                                   should be finished ├──────────────────────
 *
 * For a forgotten pod there are two answers. Before the first housekeeping, the pod sources have possibly not
 * delivered all pods yet, so anything could run. After it, a pod without a worker does not run.
 */
import { unreachable } from '../../lib/assert.ts';
import type { State } from './state.ts';
import { isStaticSubject } from './update.ts';

/** No container runs, and none will. */
export function isKnownTerminated(state: State): boolean {
  return state.phase === 'terminated' || state.phase === 'finished';
}

export function couldHaveRunningContainers(state: State, podsSynced: boolean): boolean {
  return state.phase === 'forgotten' ? !podsSynced : !isKnownTerminated(state);
}

/** All resources of the pod are released. */
export function shouldBeFinished(state: State, podsSynced: boolean): boolean {
  return state.phase === 'forgotten' ? podsSynced : state.phase === 'finished';
}

/** The pod has to end; its last sync may still run. */
export function isTerminationRequested(state: State): boolean {
  return state.phase === 'terminating' || isKnownTerminated(state);
}

/** No sync runs any more, so no new container can appear. */
export function shouldContainersBeTerminating(state: State, podsSynced: boolean): boolean {
  switch (state.phase) {
    case 'forgotten':
      return podsSynced;
    case 'waiting':
    case 'syncing':
      return false;
    case 'terminating':
      return state.inFlight?.work !== 'sync';
    case 'terminated':
      return true;
    case 'finished':
      return state.how !== 'neverStarted';
    default:
      return unreachable(state);
  }
}

/** Runtime resources other than containers and content (attached volumes, for one) may be removed. */
export function shouldRuntimeBeRemoved(state: State, podsSynced: boolean): boolean {
  return state.phase === 'forgotten' ? podsSynced : isKnownTerminated(state);
}

/** Dead containers and files may be removed: if evicted, immediately; if deleted, once stopped. */
export function shouldContentBeRemoved(state: State, podsSynced: boolean): boolean {
  if (state.phase === 'forgotten') return podsSynced;
  if (!('fate' in state)) return false;
  const { deleted, evicted } = state.fate;
  return evicted || (deleted && isKnownTerminated(state));
}

/** Used before a mirror pod is deleted, about the static pod that holds its full name (PW-77). */
export function isTerminating(state: State): boolean {
  return state.phase === 'terminating';
}

/** The view of a worker that housekeeping gets (PW-66). */
export interface Summary {
  readonly state: 'sync' | 'terminating' | 'terminated';
  readonly orphan: boolean;
  readonly hasConfig: boolean;
  readonly static: boolean;
}

/** Null if there is no worker. */
export function summarize(state: State, orphan: boolean): Summary | null {
  switch (state.phase) {
    case 'forgotten':
      return null;
    case 'waiting':
      return {
        state: 'sync',
        orphan,
        hasConfig: true,
        static: isStaticSubject(state.update.subject),
      };
    case 'finished':
      return {
        state: 'terminated',
        orphan,
        hasConfig: state.how === 'released',
        static: state.static,
      };
    case 'syncing':
    case 'terminating':
    case 'terminated':
      return {
        state: state.phase === 'syncing' ? 'sync' : state.phase,
        orphan,
        hasConfig: state.subject.kind === 'configured',
        static: isStaticSubject(state.subject),
      };
    default:
      return unreachable(state);
  }
}
