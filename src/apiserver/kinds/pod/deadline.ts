/** A deadline may be set and brought forward, never put off or taken back. */
import type { JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../field-error.ts';
import { invalid } from '../validation/complaint.ts';
import { isGiven, readNumber } from '../validation/json-reading.ts';

const FIELD = 'spec.activeDeadlineSeconds';
const SECONDS_MAX = 2 ** 31 - 1;

export interface DeadlineFaults {
  readonly complaints: readonly FieldError[];
  /** The API looks no further at a pod with such a deadline. */
  readonly isFinal: boolean;
}

export function deadlineFaults(spec: JsonObject, old: JsonObject): DeadlineFaults {
  const [next, before] = [spec['activeDeadlineSeconds'], old['activeDeadlineSeconds']];
  if (!isGiven(next)) {
    const detail = 'must not update from a positive integer to nil value';
    return { complaints: isGiven(before) ? [invalid(FIELD, null, detail)] : [], isFinal: false };
  }
  const seconds = readNumber(next);
  if (seconds < 0 || seconds > SECONDS_MAX) {
    const detail = `must be between 0 and ${SECONDS_MAX}, inclusive`;
    return { complaints: [invalid(FIELD, seconds, detail)], isFinal: true };
  }
  if (isGiven(before) && readNumber(before) < seconds) {
    const detail = 'must be less than or equal to previous value';
    return { complaints: [invalid(FIELD, seconds, detail)], isFinal: true };
  }
  return { complaints: [], isFinal: false };
}
