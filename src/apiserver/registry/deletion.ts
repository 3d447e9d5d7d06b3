/**
 * Decides what a delete does to an object.
 *
 *     no grace period, no finalizer ──> removed; if its kind has grace periods, first marked
 *     grace period, finalizers, or dependents to wait for ──> marked, and removed when these are done
 *
 * Marked means: with a deletionTimestamp. A marked object stays marked, and its grace period can only be
 * shortened. A deletionTimestamp is never later than the year 9999, however long the grace period is.
 */
import { formatTime, LAST_TIME_MS, parseTime } from '../../api/values/time.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { KindDefinition, KindRules } from '../objects/kind.ts';
import { listOf, metadataOf, textOf, withMetadata } from '../objects/metadata.ts';
import type { DeleteOptions } from '../requests/options.ts';

export interface Deletion {
  /** The object after the delete, or its last version. */
  readonly object: JsonObject;
  readonly isGone: boolean;
  /** True: the kind has a grace period, so the response is the object itself. */
  readonly isGraceful: boolean;
}

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';
const MS_PER_SECOND = 1000;

export function markDeleted(
  { rules }: KindDefinition,
  object: JsonObject,
  options: DeleteOptions,
  nowMs: number,
): Deletion {
  const isGraceful = rules.gracePeriodSeconds !== undefined;
  const before = metadataOf(object);
  const isMarked = before['deletionTimestamp'] !== undefined;
  const granted = graceOf(before);
  const shortened = isMarked && granted > 0 ? shortenedGrace(before, options, nowMs) : null;
  // While a grace period runs, a delete without a shorter one changes nothing, not even finalizers.
  if (isMarked && granted > 0 && !shortened) return { object, isGone: false, isGraceful };
  const held = withPropagation(object, rules, options);
  // The kind itself holds the object, as for a namespace, whose deletion does not depend on time.
  const isKept = rules.isHeld?.(object) ?? false;
  const isHeld = isKept || listOf(metadataOf(held)['finalizers']).length > 0;
  if (!isGraceful && !isHeld) return { object, isGone: true, isGraceful };
  if (isMarked && !shortened && held === object) return { object, isGone: !isHeld, isGraceful };
  const asked = options.gracePeriodSeconds ?? undefined;
  const first = isMarked ? 0 : (rules.gracePeriodSeconds?.(object, asked) ?? 0);
  const grace = shortened?.seconds ?? first;
  const { generation } = before;
  const marked = withMetadata(rules.prepareForDeletion?.(held, nowMs) ?? held, {
    deletionTimestamp:
      shortened?.at ?? (isMarked ? before['deletionTimestamp'] : endOf(nowMs, grace)),
    ...(!isKept && { deletionGracePeriodSeconds: grace }),
    ...(!isMarked && !isKept && typeof generation === 'number' && { generation: generation + 1 }),
  });
  return { object: marked, isGone: grace === 0 && !isHeld, isGraceful };
}

function endOf(startMs: number, seconds: number): string {
  return formatTime(Math.min(startMs + seconds * MS_PER_SECOND, LAST_TIME_MS));
}

function graceOf(metadata: JsonObject): number {
  const granted = metadata['deletionGracePeriodSeconds'];
  return typeof granted === 'number' ? granted : 0;
}

/**
 * A grace period can only be shortened, and counts from the first delete. A period that would already have
 * ended leaves the kubelet one more second, unless the client requested zero. If the current period ends with
 * the year 9999, its start is unknown, and the new one counts from now. Null: it is not shorter.
 */
function shortenedGrace(
  before: JsonObject,
  { gracePeriodSeconds: asked }: DeleteOptions,
  nowMs: number,
): { readonly at: string; readonly seconds: number } | null {
  const granted = graceOf(before);
  const seconds = asked !== null && asked < 0 ? 1 : asked;
  if (seconds === null || seconds >= granted) return null;
  const endMs = parseTime(textOf(before['deletionTimestamp'])).ms;
  if (endMs >= LAST_TIME_MS) return { at: endOf(nowMs, seconds), seconds };
  const wantedMs = endMs - (granted - seconds) * MS_PER_SECOND;
  if (wantedMs >= nowMs) return { at: formatTime(wantedMs), seconds };
  return { at: formatTime(nowMs), seconds: Math.min(seconds, 1) };
}

/**
 * Foreground and orphan deletion are finalizers that the garbage collector removes. The latest request
 * counts. A request without a policy keeps these finalizers, or if there are none, uses the default of the
 * kind.
 */
function withPropagation(
  object: JsonObject,
  { orphansByDefault }: KindRules,
  { propagation }: DeleteOptions,
): JsonObject {
  const finalizers = listOf(metadataOf(object)['finalizers']);
  const isDecided = finalizers.includes(FOREGROUND) || finalizers.includes(ORPHAN);
  const policy = propagation ?? (orphansByDefault && !isDecided ? 'Orphan' : null);
  if (policy === null) return object;
  const wanted = WISHES[policy];
  const others = finalizers.filter((one) => one !== FOREGROUND && one !== ORPHAN);
  const isSo = wanted.every((one) => finalizers.includes(one));
  if (isSo && others.length + wanted.length === finalizers.length) return object;
  const finalized = [...others, ...wanted];
  return withMetadata(object, { finalizers: finalized.length > 0 ? finalized : undefined });
}

const WISHES: Readonly<Record<'Foreground' | 'Background' | 'Orphan', readonly string[]>> = {
  Foreground: [FOREGROUND],
  Background: [],
  Orphan: [ORPHAN],
};
