/**
 * Decides why a pod is terminated, its grace period, and whether its content may be removed.
 *
 * The cause is decided once, when termination is first requested; the first match counts (PW-16). Later
 * events can still mark the pod as deleted or evicted, because the cleanup reads these marks (V-3). They can
 * shorten the grace period, but never extend it (PW-45).
 */
import { withFields } from '../../lib/share.ts';
import { effectiveGracePeriod } from '../pod/grace-period.ts';
import { isBeingDeleted, isTerminalPhase } from '../pod/pod-facts.ts';
import { become, stay } from './effect.ts';
import type { Decision } from './effect.ts';
import type { Kill, Request } from './event.ts';
import type { Fate, Finished, Terminated, Terminating } from './state.ts';
import type { Subject } from './update.ts';

export type Cause =
  | 'deleted'
  | 'terminalPhase'
  | 'evicted'
  | 'killed'
  /** The runtime runs it, or it was started, and no pod source has it. */
  | 'orphaned'
  /** Its containers have all ended for good. */
  | 'completed';

const REASONS: Readonly<Record<Cause, string>> = {
  deleted: 'the pod was deleted',
  terminalPhase: 'the phase of the pod is final',
  evicted: 'the pod is evicted from this node',
  killed: 'the pod is to be removed from this node',
  orphaned: 'no source of pods knows the pod any more',
  completed: 'all containers have ended for good',
};

export function explainCause(cause: Cause): string {
  return REASONS[cause];
}

/** Does this request end the pod? The first match counts (PW-16). */
export function causeOf({ update, kill, runtimeOnly }: Request): Cause | null {
  const { subject } = update;
  if (runtimeOnly || subject.kind === 'runtimeOnly') return 'orphaned';
  if (isBeingDeleted(subject.pod)) return 'deleted';
  if (isTerminalPhase(subject.pod.status?.phase)) return 'terminalPhase';
  if (kill === null) return null;
  return kill.evict ? 'evicted' : 'killed';
}

export function fateFrom(cause: Cause): Fate {
  return {
    deleted: cause === 'deleted' || cause === 'orphaned',
    evicted: cause === 'evicted',
    restartRequested: false,
  };
}

/**
 * Marks that arrive after termination was requested (V-3). A kill from the runtime adds no mark: its spec
 * arrived with an earlier event, which has set its marks already.
 */
export function markedBy({ update, kill }: Request, fate: Fate): Fate {
  const { subject } = update;
  const deleted = subject.kind === 'configured' && isBeingDeleted(subject.pod);
  return withFields(fate, {
    deleted: fate.deleted || deleted,
    evicted: fate.evicted || kill?.evict === true,
  });
}

export function explainMarks(before: Fate, after: Fate): string | null {
  if (after.deleted && !before.deleted) return REASONS.deleted;
  if (after.evicted && !before.evicted) return REASONS.evicted;
  return null;
}

/** The UID was created again before the old pod was finished: the new pod has to wait (PW-14). */
export function restartLater(state: Terminating | Terminated | Finished): Decision {
  const fate = withFields(state.fate, { restartRequested: true });
  if (fate === state.fate) return stay(state);
  return become({ ...state, fate }, 'created again: a new pod starts when this one is forgotten');
}

export interface Grace {
  readonly graceSeconds: number;
  readonly shortened: boolean;
}

/** A pod without a spec has no grace period and gets the shortest one (PW-45, PW-67). */
export function graceFor(subject: Subject, kill: Kill | null, granted: number | null): Grace {
  const pod = subject.kind === 'configured' ? subject.pod : undefined;
  const { gracePeriod, shortened } = effectiveGracePeriod({
    current: granted ?? 0,
    deletionGracePeriodSeconds: pod?.metadata.deletionGracePeriodSeconds,
    gracePeriodOverride: kill?.graceSeconds ?? undefined,
    terminationGracePeriodSeconds: pod?.spec.terminationGracePeriodSeconds,
  });
  return { graceSeconds: gracePeriod, shortened };
}
