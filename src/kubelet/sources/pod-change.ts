/**
 * Classifies a new version of a pod (KL-57).
 *
 * An update is a change that the kubelet acts on: the spec, labels, annotations that the kubelet did not
 * write, or the deletion timestamp and grace period. A changed status alone is a RECONCILE, because the
 * kubelet owns the status. Any other change, such as a new resourceVersion, is stored without an operation.
 */
import { jsonEqual } from '../../api/values/json-equal.ts';
import type { Pod } from '../../api/pod.ts';
import { isBeingDeleted } from '../../core/pod/pod-facts.ts';
import type { Json } from '../../lib/json.ts';
import { CONFIG_MIRROR, CONFIG_SEEN, CONFIG_SOURCE } from '../pod-manager/config-annotations.ts';
import type { PodOperation, SourceName } from './pod-update.ts';

export interface PodChange {
  /** The new version with the annotations of this node. It shares unchanged parts with the old version. */
  readonly pod: Pod;
  /** Null: nothing that the kubelet acts on has changed. */
  readonly operation: Exclude<PodOperation, 'ADD' | 'REMOVE'> | null;
}

/** Annotations that the kubelet writes; changes of them do not count. */
const LOCAL: ReadonlySet<string> = new Set([CONFIG_SOURCE, CONFIG_MIRROR, CONFIG_SEEN]);

/** A pod as it is first received. `seenAt` is the time, as text. */
export function receivePod(pod: Pod, source: SourceName, seenAt: string): Pod {
  return withAnnotations(pod, { [CONFIG_SOURCE]: source, [CONFIG_SEEN]: seenAt });
}

/** `before` was returned by `receivePod` or by this function. */
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
