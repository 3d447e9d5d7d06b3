/**
 * The updates that a pod worker gets, and how a newer update replaces or merges with an older one.
 *
 * Most pods come with a spec. Some are known only because the runtime still runs them (podkeep was restarted
 * after their spec had gone): those can only be stopped. The type `Subject` distinguishes the two kinds, so
 * that no rule has to check whether there is a spec.
 */
import type { Pod } from '../../api/pod.ts';
import { assert } from '../../lib/assert.ts';
import { withFields } from '../../lib/share.ts';
import { isStaticPod } from '../pod/pod-facts.ts';

export type UpdateType = 'create' | 'update' | 'sync' | 'kill';

/** A pod that the runtime runs and that no pod source has. */
export interface RunningPod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}

export interface Configured {
  readonly kind: 'configured';
  readonly pod: Pod;
  /** The mirror pod of a static pod. Null: none was seen. */
  readonly mirrorPod: Pod | null;
}

export interface RuntimeOnly {
  readonly kind: 'runtimeOnly';
  readonly runningPod: RunningPod;
}

export type Subject = Configured | RuntimeOnly;

/** Only the newest update is pending for the worker; older ones are skipped (PW-5). */
export interface Update<About extends Subject = Subject> {
  readonly type: UpdateType;
  readonly subject: About;
  /** When its cause was first seen, on the monotonic clock. It measures how long the pod waited. */
  readonly startedAtMs: number | null;
}

/** The same update once more, when there is no newer one. It counts as a plain sync (PW-25). */
export function replayOf<About extends Subject>(subject: About): Update<About> {
  return { type: 'sync', subject, startedAtMs: null };
}

/**
 * What the worker knows about the pod after a newer update. The mirror pod is always that of the newer
 * update: only a sync reads it, and a repeated update never starts a sync (PW-25).
 */
export function merge(known: Configured, newer: Configured): Configured;
export function merge(known: Subject, newer: Subject): Subject;
export function merge(known: Subject, newer: Subject): Subject {
  if (known.kind === 'runtimeOnly') return newer;
  assert(newer.kind === 'configured', 'a pod lost the spec that its worker knew');
  return newer;
}

/** Replaces a pending update, but keeps its start time, so that the longest wait is measured (PW-21). */
export function supersede<About extends Subject>(
  waiting: Update | null,
  newer: Update<About>,
): Update<About> {
  const startsMs = [waiting?.startedAtMs ?? null, newer.startedAtMs].filter((at) => at !== null);
  const startedAtMs = startsMs.length === 0 ? null : Math.min(...startsMs);
  return withFields(newer, { startedAtMs });
}

export function isStaticSubject(subject: Subject): boolean {
  return subject.kind === 'configured' && isStaticPod(subject.pod);
}
