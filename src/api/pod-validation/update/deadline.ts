/** Validates updates of activeDeadlineSeconds: it may be set or shortened, never extended or removed. */
import type { JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../validation/field-error.ts';
import { invalidField } from '../../validation/field-errors.ts';
import { isGiven, readNumber } from '../../validation/json-reading.ts';

const FIELD = 'spec.activeDeadlineSeconds';
const SECONDS_MAX = 2 ** 31 - 1;

export interface DeadlineFaults {
  readonly problems: readonly FieldError[];
  /** True: the API stops validating the pod after this error. */
  readonly isFinal: boolean;
}

export function deadlineFaults(spec: JsonObject, old: JsonObject): DeadlineFaults {
  const [next, before] = [spec['activeDeadlineSeconds'], old['activeDeadlineSeconds']];
  if (!isGiven(next)) {
    const detail = 'must not update from a positive integer to nil value';
    return { problems: isGiven(before) ? [invalidField(FIELD, null, detail)] : [], isFinal: false };
  }
  const seconds = readNumber(next);
  if (seconds < 0 || seconds > SECONDS_MAX) {
    const detail = `must be between 0 and ${SECONDS_MAX}, inclusive`;
    return { problems: [invalidField(FIELD, seconds, detail)], isFinal: true };
  }
  if (isGiven(before) && readNumber(before) < seconds) {
    const detail = 'must be less than or equal to previous value';
    return { problems: [invalidField(FIELD, seconds, detail)], isFinal: true };
  }
  return { problems: [], isFinal: false };
}
