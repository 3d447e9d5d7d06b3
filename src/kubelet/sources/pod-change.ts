/**
 * What a new version of a pod amounts to (KL-57).
 *
 * Only what a kubelet acts on makes an update: the spec, labels, annotations of others, and the wish to
 * delete it. A changed status alone is something to reconcile, because the status is ours to tell.
 * Anything else, such as a new resourceVersion, is kept but not told.
 */
import { jsonEqual } from '../../api/json-equal.ts';
import type { Pod } from '../../api/pod.ts';
import { isBeingDeleted } from '../../core/pod-facts.ts';
import type { Json } from '../../lib/json.ts';
import { CONFIG_MIRROR, CONFIG_SEEN, CONFIG_SOURCE } from '../pod-manager/config-annotations.ts';
import type { PodOperation, SourceName } from './pod-update.ts';

export interface PodChange {
  /** The new version, with what this node has written on it. It shares what did not change. */
  readonly pod: Pod;
  /** Null: nothing to be told. */
  readonly operation: Exclude<PodOperation, 'ADD' | 'REMOVE'> | null;
}

/** Annotations that this node writes itself, and that no change of which counts. */
const LOCAL: ReadonlySet<string> = new Set([CONFIG_SOURCE, CONFIG_MIRROR, CONFIG_SEEN]);

/** A pod as it is first heard of. `seenAt` is the time, as text. */
export function receivePod(pod: Pod, source: SourceName, seenAt: string): Pod {
  return withAnnotations(pod, { [CONFIG_SOURCE]: source, [CONFIG_SEEN]: seenAt });
}

/** `before` is as `receivePod` or this function gave it. */
export function changePod(before: Pod, next: Pod): PodChange {
  const kept = Object.entries(before.metadata.annotations ?? {}).filter(([key]) => LOCAL.has(key));
  const local = withAnnotations(next, Object.fromEntries(kept));
  const isSpecSame = same(before.spec, next.spec);
  const isStatusSame = same(before.status, next.status);
  const pod: Pod = {
    ...local,
    spec: isSpecSame ? before.spec : next.spec,
    ...(isStatusSame && before.status && { status: before.status }),
  };
  if (!isSpecSame || !isMetadataSame(before, next)) {
    return { pod, operation: isBeingDeleted(next) ? 'DELETE' : 'UPDATE' };
  }
  return { pod, operation: isStatusSame ? null : 'RECONCILE' };
}

function isMetadataSame({ metadata: a }: Pod, { metadata: b }: Pod): boolean {
  return (
    (a.deletionTimestamp ?? null) === (b.deletionTimestamp ?? null) &&
    (a.deletionGracePeriodSeconds ?? null) === (b.deletionGracePeriodSeconds ?? null) &&
    same(a.labels ?? {}, b.labels ?? {}) &&
    same(foreign(a.annotations), foreign(b.annotations))
  );
}

function foreign(annotations: Pod['metadata']['annotations']): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => !LOCAL.has(key)));
}

function withAnnotations(pod: Pod, more: Readonly<Record<string, string>>): Pod {
  const annotations = { ...pod.metadata.annotations, ...more };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

function same(a: object | null | undefined, b: object | null | undefined): boolean {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parts of a pod are JSON
  return a === b || jsonEqual((a ?? null) as Json, (b ?? null) as Json);
}
