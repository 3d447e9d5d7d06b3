/** Resolves IntOrString fields such as `maxSurge: 25%` to a number of pods. */
import type { Value } from '../../../../api/validation/json-reading.ts';

export function scaledAmount(value: Value, total: number, rounding: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return 0;
  const share = (Number.parseInt(value, 10) * total) / 100;
  if (!Number.isFinite(share)) return 0;
  return rounding === 'up' ? Math.ceil(share) : Math.floor(share);
}
