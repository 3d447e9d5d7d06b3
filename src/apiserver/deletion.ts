/**
 * What a delete does to an object.
 *
 *     no grace, nothing holds it ──> gone
 *     grace, finalizers, or dependents that must go first ──> marked, and gone when they are
 *
 * A grace period can only be shortened. What is marked stays marked.
 */
import { formatTime } from '../api/time.ts';
import type { JsonObject } from '../lib/json.ts';
import type { KindDefinition } from './kind.ts';
import { listOf, metadataOf, withMetadata } from './metadata.ts';
import type { DeleteOptions } from './options.ts';

export interface Deletion {
  /** As it is after the delete, or was last. */
  readonly object: JsonObject;
  readonly isGone: boolean;
  /** The kind waits for somebody before it goes, so the answer is the object itself. */
  readonly isGraceful: boolean;
}

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

export function markDeleted(
  { rules }: KindDefinition,
  object: JsonObject,
  options: DeleteOptions,
  nowMs: number,
): Deletion {
  const held = withPropagation(object, options);
  const isGraceful = rules.gracePeriodSeconds !== undefined;
  const before = metadataOf(object);
  const asked = options.gracePeriodSeconds ?? undefined;
  const wished = rules.gracePeriodSeconds?.(object, asked) ?? 0;
  const grace = shortened(wished, before);
  // Held by its kind: a namespace, whose deletion is not a matter of time.
  const isKept = rules.isHeld?.(object) ?? false;
  const isHeld = isKept || listOf(metadataOf(held)['finalizers']).length > 0;
  const isMarked = before['deletionTimestamp'] !== undefined;
  const isGranted = isMarked && grace === (before['deletionGracePeriodSeconds'] ?? 0);
  if (!isGraceful && !isHeld) return { object, isGone: true, isGraceful };
  if (isGranted && held === object) return { object, isGone: false, isGraceful };
  const { generation } = before;
  const marked = withMetadata(rules.prepareForDeletion?.(held, nowMs) ?? held, {
    deletionTimestamp: isGranted ? before['deletionTimestamp'] : formatTime(nowMs + grace * 1000),
    ...(!isKept && { deletionGracePeriodSeconds: grace }),
    ...(!isMarked && !isKept && typeof generation === 'number' && { generation: generation + 1 }),
  });
  return { object: marked, isGone: grace === 0 && !isHeld, isGraceful };
}

/** What was granted before is never made longer. */
function shortened(wished: number, before: JsonObject): number {
  const granted = before['deletionGracePeriodSeconds'];
  return typeof granted === 'number' ? Math.min(wished, granted) : wished;
}

/**
 * Foreground and orphan deletion are finalizers that the garbage collector takes away. The newest wish
 * counts; who wishes nothing leaves it at what was wished before.
 */
function withPropagation(object: JsonObject, { propagation }: DeleteOptions): JsonObject {
  if (propagation === null) return object;
  const wanted = WISHES[propagation];
  const finalizers = listOf(metadataOf(object)['finalizers']);
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
