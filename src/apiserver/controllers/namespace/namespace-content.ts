/**
 * What is left of one resource in a namespace that is being emptied, and what that means.
 *
 *     nothing                    done
 *     pods within their grace    wait until it is over
 *     finalizers                 wait for whoever takes them away
 *     neither                    something is wrong: it was deleted and is still there
 */
import { parseTime } from '../../../api/time.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { KindDefinition } from '../../kind.ts';
import { numberAt, textAt } from '../../kinds/field-path.ts';
import { listOf, metadataOf, textOf } from '../../metadata.ts';

export interface Remains {
  readonly count: number;
  readonly finalizers: readonly string[];
  /** Until when nobody has to wonder; null: nothing here takes its time. */
  readonly graceEndsMs: number | null;
  readonly failure: string | null;
}

export const NOTHING_LEFT: Remains = {
  count: 0,
  finalizers: [],
  graceEndsMs: null,
  failure: null,
};

/** `before`: what was there when the deletion began, by which the grace is estimated. */
export function judgeRemains(
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

/** The longest that a pod which still runs may take. */
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
