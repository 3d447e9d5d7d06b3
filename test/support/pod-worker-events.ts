/** Events of the pod worker machine, as short as a test wants to write them. */
import type { Pod } from '../../src/api/pod.ts';
import type {
  Kill,
  Killed,
  KilledInRuntime,
  Outcome,
  Settled,
  Updated,
  Work,
} from '../../src/core/pod-worker/event.ts';
import * as podWorker from '../../src/core/pod-worker/pod-worker.ts';

export function kill(id: number, options: Partial<Omit<Kill, 'id'>> = {}): Kill {
  return { id, evict: false, graceSeconds: null, overridesStatus: false, ...options };
}

export function updated(
  pod: Pod,
  updateType: Updated['updateType'] = 'update',
  facts: Partial<Pick<Updated, 'mirrorPod' | 'startedAtMs' | 'mayRun'>> = {},
): Updated {
  return {
    type: 'updated',
    updateType,
    pod,
    mirrorPod: null,
    startedAtMs: null,
    mayRun: false,
    ...facts,
  };
}

export function created(pod: Pod): Updated {
  return updated(pod, 'create');
}

export function killed(pod: Pod, by: Kill = kill(1)): Killed {
  return { type: 'killed', pod, mirrorPod: null, startedAtMs: null, mayRun: false, kill: by };
}

export function killedInRuntime(uid: string, by: Kill = kill(1)): KilledInRuntime {
  const runningPod = { uid, name: uid, namespace: 'default' };
  return { type: 'killedInRuntime', runningPod, kill: by, startedAtMs: null };
}

export function settled(work: Work, kind: Outcome['kind'] = 'done'): Settled {
  return { type: 'settled', work, outcome: outcome(kind) };
}

export const ADMITTED = { type: 'admitted' } as const;
export const REFUSED = { type: 'refused' } as const;
export const ORPHANED = { type: 'housekept', orphan: true } as const;
export const KEPT = { type: 'housekept', orphan: false } as const;

export function outcome(kind: Outcome['kind']): Outcome {
  if (kind === 'networkNotReady') return { kind, reason: 'no network' };
  if (kind === 'failed') return { kind, reason: 'no luck', retryAfterMs: null };
  return { kind };
}

export interface Played {
  readonly state: podWorker.State;
  /** The effects of the last event. */
  readonly effects: readonly podWorker.Effect[];
  readonly why: string | null;
}

/** Plays events in order, all at the same time, from an unknown pod. */
export function play(...events: readonly podWorker.Event[]): Played {
  return playFrom(podWorker.initial, ...events);
}

export function playFrom(start: podWorker.State, ...events: readonly podWorker.Event[]): Played {
  let played: Played = { state: start, effects: [], why: null };
  for (const event of events) played = podWorker.decide(played.state, event, 0);
  return played;
}

/** The names of the effects, for tests that need nothing else. */
export function orders({ effects }: Played): readonly string[] {
  return effects.map(({ type }) => type);
}
