/**
 * Decides about a pod that has not started: its UID is new, or it is a static pod that waits for its full
 * name.
 *
 *                      ┌─ has to end, was found stopped ──> terminated   (static: finished)
 *     first update ────┼─ has to end ─────────────────────> terminating  (static: finished)
 *                      └─ may run ────────────────────────> syncing      (static: waiting)
 *
 * Static pods that share a full name start one at a time, in the order of their arrival; the queue of the
 * name (static-pod-queue.ts) decides which one is next. A static pod that has to end before its turn has
 * nothing to stop, so it is finished immediately (PW-36 to PW-39).
 */
import { isTerminalPhase } from '../pod/pod-facts.ts';
import { after, become, completed, stay } from './effect.ts';
import type { Decision, Effect } from './effect.ts';
import { requestFrom } from './event.ts';
import type { UpdateEvent, Request } from './event.ts';
import { FORGOTTEN, finishUnstarted } from './finished.ts';
import type { Waiting } from './state.ts';
import * as syncing from './syncing.ts';
import * as terminated from './terminated.ts';
import * as terminating from './terminating.ts';
import { causeOf, fateFrom, markedBy } from './termination.ts';
import { isStaticSubject, supersede } from './update.ts';
import type { Configured } from './update.ts';

export function hearFirst(event: UpdateEvent): Decision {
  if (event.type === 'killedInRuntime') {
    const request = requestFrom(event);
    const { subject } = request.update;
    return terminating.enter({ subject, inFlight: null }, 'orphaned', request);
  }
  const request = requestFrom(event);
  const line: readonly Effect[] = isStaticSubject(request.update.subject)
    ? [{ type: 'joinLine' }]
    : [];
  const found = isTerminalPhase(event.pod.status?.phase) && !event.mayRun;
  return after(line, found ? findTerminated(request) : arrive(request));
}

export function hearWaiting(state: Waiting, event: UpdateEvent): Decision {
  const request = requestFrom(event, state.update.subject);
  const update = supersede(state.update, request.update);
  const line: readonly Effect[] = isStaticSubject(update.subject) ? [] : [{ type: 'leaveLine' }];
  return after(line, arrive({ ...request, update }));
}

/** The queue has answered the pod. A refused pod asks again after the back-off, too (PW-36, V-7). */
export function takeTurn(state: Waiting, admitted: boolean): Decision {
  const { update } = state;
  if (admitted) return after(counted(update.subject), syncing.enter(update, 'its turn came'));
  return become(state, 'another static pod has its name', {
    type: 'wakeAfter',
    delay: { name: 'backoff', retryAfterMs: null },
  });
}

/** The pod never started, so there is nothing to stop: an orphan is forgotten immediately (PW-67). */
export function housekeepWaiting(state: Waiting, orphan: boolean): Decision {
  if (!orphan) return stay(state);
  return become(FORGOTTEN, 'no source of pods knows it, and it never started', {
    type: 'leaveLine',
  });
}

/**
 * The pod is terminal and nothing of it runs: podkeep stopped it before its own restart, perhaps without
 * releasing all of its resources (PW-12).
 */
function findTerminated(request: Request<Configured>): Decision {
  const { update, kill } = request;
  const fate = markedBy(request, fateFrom('terminalPhase'));
  const { subject } = update;
  const kills = kill === null ? [] : [kill.id];
  if (isStaticSubject(subject)) return finishUnstarted(update, fate, 'foundTerminated', kills);
  const release = terminated.enter(fate, subject, update, 'the pod was found stopped');
  return after([...counted(subject), ...completed(kills)], release);
}

function arrive(request: Request<Configured>): Decision {
  const { update, kill } = request;
  const { subject } = update;
  const cause = causeOf(request);
  if (isStaticSubject(subject)) {
    if (cause === null) {
      return become({ phase: 'waiting', update }, 'a static pod asks for its turn', {
        type: 'askForTurn',
      });
    }
    return finishUnstarted(update, fateFrom(cause), 'neverStarted', kill === null ? [] : [kill.id]);
  }
  const start =
    cause === null
      ? syncing.enter(update, `received ${update.type}`)
      : terminating.enter({ subject, inFlight: null }, cause, request);
  return after(counted(subject), start);
}

/** Counts a pod that starts, with its containers (PW-39). */
function counted({ pod }: Configured): readonly Effect[] {
  return [{ type: 'countStart', containers: pod.spec.containers.length }];
}
