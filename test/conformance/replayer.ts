/** The frame of every replay of a function: dates the inputs, calls the function, compares the answers. */
import { differences, withoutEmpty, withoutNull } from './differences.ts';
import type { Replayer } from './vector.ts';

/** The time at which every replay happens. */
export const NOW = '2030-01-02T03:04:05Z';

/**
 * How answers compare (the vectors' README): `loose` drops what Go prints for nothing, `patch` only
 * `null`, `exact` nothing.
 */
export type Comparison = 'exact' | 'loose' | 'patch';

export function replayer<Input>(
  compute: (input: Input) => unknown,
  comparison: Comparison = 'exact',
): Replayer {
  const prepare = { exact: (value: unknown) => value, loose: withoutEmpty, patch: withoutNull };
  return (vector) => {
    const actual: unknown = compute(dated(vector['in']) as Input);
    const trim = prepare[comparison];
    return differences(trim(vector['out']), trim(actual), (time) => time === NOW);
  };
}

/** Puts the replay's time where the recording had its own. Freezes the input on the way. */
export function dated(value: unknown): unknown {
  if (value === '<now>') return NOW;
  if (Array.isArray(value)) return Object.freeze(value.map(dated));
  if (typeof value !== 'object' || value === null) return value;
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, dated(inner)])),
  );
}
