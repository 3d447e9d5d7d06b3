/** Decides whether the tolerations of a pod tolerate a taint. */
import type { Taint, Toleration } from './admission-view.ts';

/** An empty key or effect matches all keys or effects; without an operator the values must be equal. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = '', operator = '', value = '', effect = '' } = toleration;
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (operator === '' || operator === 'Equal') && value === (taint.value ?? '');
}

export function toleratesTaint(
  tolerations: readonly Toleration[] | undefined,
  taint: Taint,
): boolean {
  return tolerations?.some((toleration) => tolerates(toleration, taint)) ?? false;
}

/** NoExecute is the only effect that a kubelet enforces; the scheduler enforces the others. */
export function toleratesNoExecute(
  tolerations: readonly Toleration[] | undefined,
  taints: readonly Taint[] | undefined,
): boolean {
  const enforced = taints?.filter(({ effect }) => effect === 'NoExecute') ?? [];
  return enforced.every((taint) => toleratesTaint(tolerations, taint));
}
