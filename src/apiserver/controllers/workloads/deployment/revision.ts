/**
 * Reads and writes the revisions of a Deployment. They are annotations of its ReplicaSets, which form the
 * history of the Deployment.
 */
import { jsonEqual } from '../../../../api/values/json-equal.ts';
import { readStruct } from '../../../../api/validation/json-reading.ts';
import type { Json, JsonObject } from '../../../../lib/json.ts';
import { structAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf, withMetadata } from '../../../objects/metadata.ts';
import { createdMs } from '../shared/pod-state.ts';

export const HASH_LABEL = 'pod-template-hash';
export const REVISION = 'deployment.kubernetes.io/revision';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const ROLLBACK_TO = 'deprecated.deployment.rollback.to';
const HISTORY = 'deployment.kubernetes.io/revision-history';
const HISTORY_LENGTH_MAX = 2000;
const REVISION_MAX = 2n ** 63n - 1n;
const APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Annotations that are not copied between a Deployment and its ReplicaSets. */
const OWN: ReadonlySet<string> = new Set([
  APPLIED,
  REVISION,
  HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  ROLLBACK_TO,
]);

export function annotationsOf(object: JsonObject): JsonObject {
  return readStruct(metadataOf(object)['annotations']);
}

/** 0: the annotation is absent or not a number. */
export function annotationNumber(object: JsonObject, name: string): number {
  const text = textOf(annotationsOf(object)[name]);
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : 0;
}

/**
 * A 64-bit integer, because a client may have written any. 0: the annotation is absent or not such a number.
 */
export function revisionNumber(object: JsonObject, name: string = REVISION): bigint {
  const text = textOf(annotationsOf(object)[name]);
  const number = /^[0-9]{1,19}$/.test(text) ? BigInt(text) : 0n;
  return number <= REVISION_MAX ? number : 0n;
}

export function withAnnotations(
  object: JsonObject,
  changes: Readonly<Record<string, Json>>,
): JsonObject {
  const annotations = annotationsOf(object);
  const isSame = Object.entries(changes).every(([name, value]) => annotations[name] === value);
  if (isSame) return object;
  return withMetadata(object, { annotations: { ...annotations, ...changes } });
}

/** The template without the label that the controller added. */
export function plainTemplate(template: JsonObject): JsonObject {
  const metadata = metadataOf(template);
  const { [HASH_LABEL]: _hash, ...labels } = readStruct(metadata['labels']);
  return withMetadata(template, { labels });
}

export function hasTemplate(set: JsonObject, deployment: JsonObject): boolean {
  const wanted = plainTemplate(structAt(deployment, 'spec.template'));
  return jsonEqual(plainTemplate(structAt(set, 'spec.template')), wanted);
}

export function byCreation(a: JsonObject, b: JsonObject): number {
  return createdMs(a) - createdMs(b) || (nameOf(a) < nameOf(b) ? -1 : 1);
}

/** The oldest ReplicaSet with the current template. Undefined: there is none yet. */
export function newSetOf(
  deployment: JsonObject,
  sets: readonly JsonObject[],
): JsonObject | undefined {
  return sets.toSorted(byCreation).find((set) => hasTemplate(set, deployment));
}

/** One more than the highest revision. The largest number repeats, since none comes after it. */
export function nextRevision(sets: readonly JsonObject[]): bigint {
  const [highest = 0n] = revisionsOf(sets);
  return highest < REVISION_MAX ? highest + 1n : highest;
}

/** The second highest revision: the one before the current. 0: there is none. */
export function lastRevision(sets: readonly JsonObject[]): bigint {
  return revisionsOf(sets)[1] ?? 0n;
}

/** The highest first. */
function revisionsOf(sets: readonly JsonObject[]): readonly bigint[] {
  return sets.map((set) => revisionNumber(set)).toSorted((a, b) => compareNumbers(b, a));
}

export function compareNumbers(a: bigint, b: bigint): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Adds the Deployment's annotations, and the revision if it is higher. */
export function withRevision(
  set: JsonObject,
  deployment: JsonObject,
  revision: bigint,
): JsonObject {
  const copied = Object.entries(annotationsOf(deployment)).filter(([name]) => !OWN.has(name));
  const annotated = withAnnotations(set, Object.fromEntries(copied));
  const before = textOf(annotationsOf(set)[REVISION]);
  if (revisionNumber(set) >= revision) return annotated;
  const history = before === '' ? {} : { [HISTORY]: historyWith(set, before) };
  return withAnnotations(annotated, { [REVISION]: String(revision), ...history });
}

function historyWith(set: JsonObject, revision: string): string {
  const past = textOf(annotationsOf(set)[HISTORY])
    .split(',')
    .filter((one) => one !== '');
  const numbers = [...past, revision];
  while (numbers.join(',').length > HISTORY_LENGTH_MAX) numbers.shift();
  return numbers.join(',');
}

/** The annotations of the Deployment after a rollback to the ReplicaSet. */
export function annotationsAfterRollback(deployment: JsonObject, set: JsonObject): JsonObject {
  const entries = (object: JsonObject, isOwn: boolean): readonly [string, Json][] =>
    Object.entries(annotationsOf(object)).filter(([name]) => OWN.has(name) === isOwn);
  return Object.fromEntries([...entries(deployment, true), ...entries(set, false)]);
}
