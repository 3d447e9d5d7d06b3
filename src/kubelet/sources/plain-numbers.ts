/**
 * Replaces bigints in a pod by numbers. In objects of the embedded API server, an integer beyond 2^53 is a
 * bigint, but the kubelet computes with numbers and prints pods as JSON. Such integers are practically
 * infinite durations, so the largest exact number is just as good, and is still a valid 64-bit integer in
 * JSON.
 */
import type { Pod } from '../../api/pod.ts';
import { readNumber } from '../../api/validation/json-reading.ts';

/** Returns the same object if it has no bigint; otherwise only the parts that contain one are copied. */
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
