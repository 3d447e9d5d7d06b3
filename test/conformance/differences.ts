/**
 * Where two JSON values differ, as readable paths.
 *
 * `"<now>"` in an expected value stands for a time during the recording: it matches any time of the
 * replay's clock.
 */

export interface Difference {
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

type IsNow = (time: unknown) => boolean;

export function differences(
  expected: unknown,
  actual: unknown,
  isNow: IsNow = () => false,
): readonly Difference[] {
  return [...compare(expected, actual, '', isNow)];
}

function* compare(
  expected: unknown,
  actual: unknown,
  path: string,
  isNow: IsNow,
): Generator<Difference> {
  if (Object.is(expected, actual) || (expected === '<now>' && isNow(actual))) return;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length);
    for (let index = 0; index < length; index++) {
      yield* compare(expected[index], actual[index], `${path}[${index}]`, isNow);
    }
  } else if (isRecord(expected) && isRecord(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      yield* compare(own(expected, key), own(actual, key), `${path}.${key}`, isNow);
    }
  } else {
    yield { path: path || '(all)', expected, actual };
  }
}

/** Drops Go's zero values, from the innermost outward. */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, withoutEmpty(inner)] as const)
      .filter(([, inner]) => !isEmpty(inner)),
  );
}

/** Drops `null` only, as patches compare. */
export function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([key, inner]) => [key, withoutNull(inner)]),
  );
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
