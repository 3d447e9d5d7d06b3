/** Deletes a pod on behalf of a controller, after writing the reason to its status. */
import { formatTime } from '../../../api/values/time.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { withCondition } from '../../actions/pod-condition.ts';
import { structAt, textAt } from '../../objects/field-path.ts';
import { metadataOf } from '../../objects/metadata.ts';
import type { Target } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import { isMissing, removeIfThere } from '../deletion-request.ts';

export interface Ending {
  /** Null: no condition is written. */
  readonly why: { readonly reason: string; readonly message: string } | null;
  /** True: no kubelet will report how the pod ended, so its phase becomes Failed. */
  readonly isLost: boolean;
}

export async function endPod(
  { registry, clock }: ServerParts,
  target: Target,
  pod: JsonObject,
  ending: Ending,
): Promise<void> {
  const { uid } = metadataOf(pod);
  const change = (old: JsonObject): JsonObject =>
    metadataOf(old)['uid'] === uid ? marked(old, ending, formatTime(clock.now())) : old;
  try {
    await registry.update({ ...target, subresource: 'status', change });
  } catch (error) {
    if (!isMissing(error)) throw error;
    return;
  }
  const gracePeriodSeconds = ending.isLost ? 0 : null;
  await removeIfThere(registry, target, {
    gracePeriodSeconds,
    ...(typeof uid === 'string' && { uid }),
  });
}

/** A lost pod that is already in a final phase keeps its phase. */
function marked(pod: JsonObject, { why, isLost }: Ending, now: string): JsonObject {
  const isOver = ['Succeeded', 'Failed'].includes(textAt(pod, 'status.phase'));
  if (isLost && isOver) return pod;
  const { generation } = metadataOf(pod);
  const observed = typeof generation === 'number' ? { observedGeneration: generation } : {};
  const status = structAt(pod, 'status');
  const failed = isLost ? { ...pod, status: { ...status, ...observed, phase: 'Failed' } } : pod;
  if (!why) return failed;
  return withCondition(
    failed,
    { type: 'DisruptionTarget', status: 'True', ...observed, ...why },
    now,
  );
}
