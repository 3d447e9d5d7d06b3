/**
 * The result of `podkeep explain` as data; explanation-text.ts prints it.
 *
 * All times are RFC 3339 in UTC with milliseconds. Null: unknown, or it does not apply.
 */

export interface Explanation {
  readonly kind: 'Explanation';
  readonly apiVersion: 'podkeep/v1';
  readonly subject: ExplainedObject;
  /** When it was made. */
  readonly at: string;
  /** One word for programs: `NotScheduled`, `NotStarted`, `NotReady`, `Restarting`, `NotGone`, `Ready`, … */
  readonly state: string;
  /** One sentence. */
  readonly summary: string;
  /** The most important first. */
  readonly causes: readonly ExplainedCause[];
  /** Oldest first. */
  readonly timeline: readonly TimelineEntry[];
  /** The sources of this explanation, and those that could not be read. */
  readonly notes: readonly string[];
}

export interface ExplainedObject {
  readonly kind: 'Pod' | 'Node' | 'Deployment' | 'StatefulSet' | 'DaemonSet';
  /** Absent: the kind has no namespaces. */
  readonly namespace?: string;
  readonly name: string;
  /** Null: the object does not exist, and no record has its UID. */
  readonly uid: string | null;
}

export interface ExplainedCause {
  /** The rule that found it, such as `image-not-pulled`. */
  readonly situation: string;
  /** A sentence: what the object waits for, or what went wrong. */
  readonly what: string;
  readonly since: string | null;
  /** A sentence: what was tried so far. */
  readonly tried: string | null;
  /** What happens next, as a phrase that a time can follow. */
  readonly next: string | null;
  readonly nextAt: string | null;
  /** What a person can do, one sentence each. */
  readonly advice: readonly string[];
}

export interface TimelineEntry {
  readonly at: string;
  /** The component: `kubelet`, `scheduler`, or the machine of a decision record. */
  readonly source: string;
  readonly text: string;
  /** How often, if more than once, and since when. */
  readonly count?: number;
  readonly firstAt?: string;
}
