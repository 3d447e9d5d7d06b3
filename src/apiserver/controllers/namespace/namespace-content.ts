/**
 * Evaluates which objects of one resource are left in a terminating namespace, and what the namespace
 * controller must wait for.
 *
 *     nothing                    done
 *     pods in grace period       wait until it ends
 *     finalizers                 wait until their controllers remove them
 *     other objects              an error: they were deleted and still exist
 */
import { parseTime } from '../../../api/values/time.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { numberAt, textAt } from '../../objects/field-path.ts';
import { listOf, metadataOf, textOf } from '../../objects/metadata.ts';

export interface Remains {
  readonly count: number;
  readonly finalizers: readonly string[];
  /** Until then remaining pods are expected. Null: no grace period is running. */
  readonly graceEndsMs: number | null;
  readonly failure: string | null;
}

export const NOTHING_LEFT: Remains = {
  count: 0,
  finalizers: [],
  graceEndsMs: null,
  failure: null,
};

/** `before`: the objects when the deletion began, from which the grace period is estimated. */
export function evaluateRemains(
  namespace: JsonObject,
  definition: KindDefinition,
  {
    before,
    after,
  }: { readonly before: readonly JsonObject[]; readonly after: readonly JsonObject[] },
  nowMs: number,
): Remains {
  if (after.length === 0) return NOTHING_LEFT;
  const finalizers = after.flatMap((object) =>
    listOf(metadataOf(object)['finalizers']).map(textOf),
  );
  const endsMs = deletedAt(namespace) + graceSecondsOf(definition, before) * 1000;
  const graceEndsMs = nowMs < endsMs ? endsMs : null;
  const isExpected = graceEndsMs !== null || finalizers.length > 0;
  return {
    count: after.length,
    finalizers,
    graceEndsMs,
    failure: isExpected ? null : unexpected(nameOfNamespace(namespace), definition),
  };
}

function deletedAt(namespace: JsonObject): number {
  const time = textOf(metadataOf(namespace)['deletionTimestamp']);
  return time === '' ? 0 : parseTime(time).ms;
}

/** The longest grace period of the pods that still run. */
function graceSecondsOf(
  { group, resource }: KindDefinition,
  objects: readonly JsonObject[],
): number {
  if (group !== '' || resource !== 'pods') return 0;
  return objects
    .filter((pod) => !['Succeeded', 'Failed'].includes(textAt(pod, 'status.phase')))
    .reduce((most, pod) => Math.max(most, numberAt(pod, 'spec.terminationGracePeriodSeconds')), 0);
}

function nameOfNamespace(namespace: JsonObject): string {
  return textOf(metadataOf(namespace)['name']);
}

function unexpected(namespace: string, { group, version, resource }: KindDefinition): string {
  const which = `${group}/${version}, Resource=${resource}`;
  return `unexpected items still remain in namespace: ${namespace} for gvr: ${which}`;
}
