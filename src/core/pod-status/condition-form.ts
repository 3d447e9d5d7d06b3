/** Builds the pod conditions that podkeep generates. */
import type { ConditionStatus, Pod, PodCondition } from '../../api/pod.ts';

/** Sets observedGeneration to the generation of the pod that the condition was computed from (SM-120). */
export function conditionOf(
  pod: Pod,
  type: string,
  status: ConditionStatus,
  reason?: string,
  message?: string,
): PodCondition {
  const { generation } = pod.metadata;
  return {
    type,
    ...(generation ? { observedGeneration: generation } : undefined),
    status,
    ...(reason ? { reason } : undefined),
    ...(message ? { message } : undefined),
  };
}

/** A list of names as the kubelet prints it; people and programs match on this form. */
export function namesInGo(names: readonly string[]): string {
  return `[${names.join(' ')}]`;
}
