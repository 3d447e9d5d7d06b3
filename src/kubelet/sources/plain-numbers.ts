/**
 * A pod with numbers only. In objects of the API server an integer beyond 2^53 is a bigint. The kubelet
 * computes with numbers and prints pods as JSON: many seconds never end, so the largest exact number of them is
 * as good, and it is still an integer of 64 bits in every JSON.
 */
import type { Pod } from '../../api/pod.ts';
import { readNumber } from '../../api/validation/json-reading.ts';

/** The very same pod if it has no such integer; otherwise only what contains one is copied. */
export function withPlainNumbers<APod extends Pod>(pod: APod): APod {
  return plain(pod);
}

function plain<Value>(value: Value): Value;
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return readNumber(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const changed = items.map((item) => plain(item));
    return changed.every((item, index) => item === items[index]) ? value : changed;
  }
  let changes: [string, unknown][] | undefined;
  for (const [key, inner] of Object.entries(value) as [string, unknown][]) {
    const changed = plain(inner);
    if (changed !== inner) (changes ??= []).push([key, changed]);
  }
  return changes ? { ...value, ...Object.fromEntries(changes) } : value;
}
