/**
 * The state of a pod worker, one shape per phase.
 *
 * A phase has only the fields that mean something in it. A grace period on a syncing pod, work in
 * flight on a finished one, or a pending update although nothing runs: the types exclude all of
 * these, so no rule has to check for them.
 */
import type { KillId, Work } from './event.ts';
import type { Configured, Subject, Update, UpdateType } from './update.ts';

export type State = Forgotten | Waiting | Syncing | Terminating | Terminated | Finished;
export type Phase = State['phase'];

/** This UID is not known: not yet, or no longer. Only from here may it start (PW-83). */
export interface Forgotten {
  readonly phase: 'forgotten';
}

/** A static pod while another one has its full name. Its newest update is kept here until then (PW-37). */
export interface Waiting {
  readonly phase: 'waiting';
  readonly update: Update<Configured>;
}

/** Its containers should run. */
export interface Syncing {
  readonly phase: 'syncing';
  readonly subject: Configured;
  readonly inFlight: InFlight<'sync', Update<Configured> | null> | null;
}

/** No container may start any more. */
export interface Terminating {
  readonly phase: 'terminating';
  readonly subject: Subject;
  /** The last sync may still run. Until it has settled, no stop is ordered (PW-74). */
  readonly inFlight: InFlight<'sync', Update> | InFlight<'stop', Update | null> | null;
  /** Null: the pod ended by itself, and the runtime chooses (PW-46). */
  readonly graceSeconds: number | null;
  readonly fate: Fate;
  /** The kills to complete when the containers have stopped, in the order of their requests. */
  readonly kills: readonly KillId[];
  /** The newest kill that sets the pod's status itself; only its status counts. */
  readonly statusFrom: KillId | null;
  readonly replays: Replays | null;
}

/** Nothing runs; the pod's resources (volumes, cgroups) are being released. */
export interface Terminated {
  readonly phase: 'terminated';
  readonly subject: Configured;
  readonly inFlight: InFlight<'release', Update<Configured> | null> | null;
  readonly fate: Fate;
  readonly replays: Replays | null;
}

/** Only the UID is remembered, so that a late update does not start the pod again. */
export interface Finished {
  readonly phase: 'finished';
  readonly fate: Fate;
  /**
   * `neverStarted` and `foundTerminated` are static pods whose turn never came (PW-38); the second
   * kind had stopped before podkeep first saw it (PW-12).
   */
  readonly how: 'released' | 'neverStarted' | 'foundTerminated';
  readonly static: boolean;
}

/** The one piece of work that runs for a pod, and the update that is pending behind it. */
export interface InFlight<Kind extends Work, Pending extends Update | null> {
  readonly work: Kind;
  /** The name of this turn in metrics (PW-44). */
  readonly operation: UpdateType;
  readonly startedAtMs: number | null;
  readonly pending: Pending;
}

/** Marks that decide whether the pod's content may be removed, and whether its UID may start again. */
export interface Fate {
  /** Deleted in the API, or in no pod source any more. */
  readonly deleted: boolean;
  /** Evicted from this node: its content may go before it has stopped (PW-76). */
  readonly evicted: boolean;
  /** The UID was created again meanwhile: forget the old pod as soon as it is finished (PW-14). */
  readonly restartRequested: boolean;
}

/** When housekeeping first and last repeated the work of an orphan in this phase (F-12). */
export interface Replays {
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}
