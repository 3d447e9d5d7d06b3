/**
 * Orders API versions: v2 before v1, stable before beta before alpha, and names that are not versions last,
 * alphabetically.
 *
 *     v10  v2  v1  v11beta2  v10beta3  v3beta1  v12alpha1  foo1  foo10
 */

const VERSION = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;

/** Negative: `a` comes first. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [readVersion(a), readVersion(b)];
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0;
  return right.level - left.level || right.major - left.major || right.minor - left.minor;
}

function readVersion(text: string) {
  const match = VERSION.exec(text);
  if (!match) return undefined;
  const [, major = '', level, minor = ''] = match;
  const rank = level === 'alpha' ? 0 : level === 'beta' ? 1 : 2;
  return { level: rank, major: Number(major), minor: Number(minor) };
}
