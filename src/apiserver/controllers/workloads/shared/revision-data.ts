/**
 * Decides the history of a StatefulSet or DaemonSet: one ControllerRevision for each version of its pod
 * template.
 *
 *     equal to the newest revision ────────> use it
 *     equal to an older one (a rollback) ──> give it the next number
 *     equal to none ───────────────────────> create one with the next number
 *
 * The data of a revision is a strategic merge patch that replaces `spec.template`: `kubectl rollout undo`
 * sends it unchanged, and kube-controller-manager writes the same. Keys are sorted, because both compare
 * bytes.
 */
import { jsonEqual } from '../../../../api/values/json-equal.ts';
import { readNumber, readStruct } from '../../../../api/validation/json-reading.ts';
import { jsonInteger } from '../../../../lib/json-text/exact-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../lib/json.ts';
import { defaultPodTemplate } from '../../../kinds/pod-template-spec.ts';
import { structAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf } from '../../../objects/metadata.ts';
import { newControllerRef } from './controller-ref.ts';
import type { KindDefinition } from '../../../objects/kind.ts';
import { createdMs } from './pod-state.ts';
import { templateHash } from './template-hash.ts';

/** On pods: the name of their revision (StatefulSets), or its hash (DaemonSets). */
export const REVISION_LABEL = 'controller-revision-hash';
const NAME_PREFIX_MAX = 223;
const REVISION_MAX = 2n ** 63n - 1n;

/** A 64-bit integer, because a client may have written any. */
export type RevisionNumber = number | bigint;

export type HistoryPlan =
  | { readonly type: 'use'; readonly revision: JsonObject; readonly duplicates: Revisions }
  | {
      readonly type: 'renumber';
      readonly revision: JsonObject;
      readonly number: RevisionNumber;
      readonly duplicates: Revisions;
    }
  | { readonly type: 'create'; readonly number: RevisionNumber };

type Revisions = readonly JsonObject[];

export interface RevisionForm {
  readonly ownerKind: KindDefinition;
  /** The label on the ControllerRevision that holds its hash. */
  readonly hashLabel: string;
}

export function planHistory(revisions: Revisions, owner: JsonObject): HistoryPlan {
  const sorted = revisions.toSorted(byRevision);
  const template = structAt(owner, 'spec.template');
  const newest = sorted.at(-1);
  const number = numberAfter(newest);
  const equal = sorted.filter((one) => jsonEqual(templateOf(one), template));
  const revision = equal.at(-1);
  if (revision) {
    const duplicates = equal.filter((one) => one !== revision);
    if (revision === newest) return { type: 'use', revision, duplicates };
    return { type: 'renumber', revision, number, duplicates };
  }
  // A revision that was written with fewer defaults is the same: it must not replace all pods.
  if (newest && jsonEqual(defaultPodTemplate(templateOf(newest)), template)) {
    return { type: 'use', revision: newest, duplicates: [] };
  }
  return { type: 'create', number };
}

/** The largest number repeats, since none comes after it. */
function numberAfter(newest: JsonObject | undefined): RevisionNumber {
  const number = newest ? revisionNumberOf(newest) : 0n;
  return jsonInteger(number < REVISION_MAX ? number + 1n : number);
}

function revisionNumberOf({ revision }: JsonObject): bigint {
  return typeof revision === 'bigint' ? revision : BigInt(Math.trunc(readNumber(revision)));
}

/** The oldest first. */
export function byRevision(a: JsonObject, b: JsonObject): number {
  const [first, second] = [revisionNumberOf(a), revisionNumberOf(b)];
  if (first !== second) return first < second ? -1 : 1;
  return createdMs(a) - createdMs(b) || (nameOf(a) < nameOf(b) ? -1 : 1);
}

/** The pod template that the revision restores. */
export function templateOf(revision: JsonObject): JsonObject {
  const { $patch: _directive, ...template } = structAt(revision, 'data.spec.template');
  return template;
}

export function newRevision(
  owner: JsonObject,
  { ownerKind, hashLabel }: RevisionForm,
  number: RevisionNumber,
  collisions: number,
): JsonObject {
  const template = structAt(owner, 'spec.template');
  const data = sortKeys({ spec: { template: { ...template, $patch: 'replace' } } });
  const hash = templateHash(template, collisions);
  const { annotations } = metadataOf(owner);
  return {
    metadata: {
      name: `${nameOf(owner).slice(0, NAME_PREFIX_MAX)}-${hash}`,
      labels: { ...readStruct(metadataOf(template)['labels']), [hashLabel]: hash },
      ...(annotations !== undefined && { annotations }),
      ownerReferences: [newControllerRef(ownerKind, owner)],
    },
    data,
    revision: number,
  };
}

export interface TruncationOptions {
  /** `spec.revisionHistoryLimit`. Negative: all are kept. */
  readonly limit: number;
  /** Whether pods of the revision exist; then it is never deleted. */
  readonly isLive: (revision: JsonObject) => boolean;
  /** DaemonSets count revisions with pods against the limit; StatefulSets do not. */
  readonly countsLive: boolean;
}

/** The revisions to delete, the oldest first. `old` does not include the current one. */
export function planTruncation(
  old: Revisions,
  { limit, isLive, countsLive }: TruncationOptions,
): Revisions {
  const unused = old.filter((one) => !isLive(one)).toSorted(byRevision);
  const surplus = (countsLive ? old.length : unused.length) - limit;
  return limit < 0 || surplus <= 0 ? [] : unused.slice(0, surplus);
}

function sortKeys(value: JsonObject): JsonObject {
  const sorted = (one: Json): Json => (isJsonObject(one) ? sortKeys(one) : one);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([key, one]) => [key, Array.isArray(one) ? one.map(sorted) : sorted(one)]),
  );
}
