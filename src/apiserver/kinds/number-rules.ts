/** Numbers that count something, and fields that stay as they were made. */
import { jsonEqual } from '../../api/json-equal.ts';
import type { JsonObject } from '../../lib/json.ts';
import { valueAt } from './field-path.ts';
import { invalid, type Complaints } from './validation/complaint.ts';
import { isGiven } from './validation/json-reading.ts';

const NEGATIVE = 'must be greater than or equal to 0';
export const IMMUTABLE = 'field is immutable';

export function* validateNotBelowZero(object: JsonObject, paths: readonly string[]): Complaints {
  for (const path of paths) {
    const value = valueAt(object, path);
    if (typeof value === 'number' && value < 0) yield invalid(path, value, NEGATIVE);
  }
}

/** How many there are of something cannot be more than how many there are at all. */
export function* validateAtMost(
  object: JsonObject,
  path: string,
  limitPath: string,
  limitName = limitPath,
): Complaints {
  const value = valueAt(object, path) ?? 0;
  const limit = valueAt(object, limitPath) ?? 0;
  if (typeof value !== 'number' || typeof limit !== 'number' || value <= limit) return;
  yield invalid(path, value, `cannot be greater than ${limitName}`);
}

export function* validateUnchanged(
  object: JsonObject,
  old: JsonObject,
  paths: readonly string[],
): Complaints {
  for (const path of paths) {
    const [now, before] = [valueAt(object, path) ?? null, valueAt(old, path) ?? null];
    if (!jsonEqual(now, before)) yield invalid(path, now, IMMUTABLE);
  }
}

/** A counter that only goes up. */
export function* validateNotDecremented(
  object: JsonObject,
  old: JsonObject,
  path: string,
): Complaints {
  const before = valueAt(old, path);
  const now = valueAt(object, path);
  if (typeof before !== 'number') return;
  const value = typeof now === 'number' ? now : 0;
  if (!isGiven(now) || value < before) yield invalid(path, value, 'cannot be decremented');
}
