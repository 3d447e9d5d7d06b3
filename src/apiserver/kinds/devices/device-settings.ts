/** Validates what DeviceClasses and ResourceClaims share: device selectors and configuration. */
import type { JsonObject } from '../../../lib/json.ts';
import { textAt, valueAt } from '../../objects/field-path.ts';
import { required, tooLong, type FieldErrors } from '../../../api/validation/field-errors.ts';
import {
  isGiven,
  readObject,
  readObjects,
  type Value,
} from '../../../api/validation/json-reading.ts';
import { validateItems } from './bounded-lists.ts';
import { validateDriverName } from './device-names.ts';
import { printExactJson } from '../../../lib/json-text/exact-json.ts';

const SELECTORS_MAX = 32;
export const SETTINGS_MAX = 32;
const EXPRESSION_BYTES_MAX = 10 * 1024;
const PARAMETERS_BYTES_MAX = 10 * 1024;

/** The CEL expressions are not evaluated here; the scheduler does that. */
export function* validateSelectors(selectors: Value, field: string): FieldErrors {
  yield* validateItems(readObjects(selectors), SELECTORS_MAX, field, validateSelector);
}

/** Opaque configuration, which only the driver reads. */
export function* validateSettings(settings: JsonObject, field: string): FieldErrors {
  if (!readObject(settings['opaque'])) {
    yield required(`${field}.opaque`);
    return;
  }
  yield* validateDriverName(textAt(settings, 'opaque.driver'), `${field}.opaque.driver`);
  const parameters = valueAt(settings, 'opaque.parameters');
  const at = `${field}.opaque.parameters`;
  if (!isGiven(parameters)) yield required(at);
  else if (Buffer.byteLength(printExactJson(parameters)) > PARAMETERS_BYTES_MAX) {
    yield tooLong(at, PARAMETERS_BYTES_MAX);
  }
}

function* validateSelector(selector: JsonObject, field: string): FieldErrors {
  if (!readObject(selector['cel'])) {
    yield required(`${field}.cel`);
    return;
  }
  const expression = textAt(selector, 'cel.expression');
  if (Buffer.byteLength(expression) > EXPRESSION_BYTES_MAX) {
    yield tooLong(`${field}.cel.expression`, EXPRESSION_BYTES_MAX);
  }
}
