/** What classes and claims both say of devices: which ones they mean, and how they are to be set up. */
import type { JsonObject } from '../../../lib/json.ts';
import { textAt, valueAt } from '../field-path.ts';
import { required, tooLong, type Complaints } from '../validation/complaint.ts';
import { isGiven, readObject, readObjects, type Value } from '../validation/json-reading.ts';
import { validateItems } from './bounded-lists.ts';
import { validateDriverName } from './device-names.ts';

const SELECTORS_MAX = 32;
export const SETTINGS_MAX = 32;
const EXPRESSION_BYTES_MAX = 10 * 1024;
const PARAMETERS_BYTES_MAX = 10 * 1024;

/** Expressions are kept as they are: it is the scheduler that reads them. */
export function* validateSelectors(selectors: Value, field: string): Complaints {
  yield* validateItems(readObjects(selectors), SELECTORS_MAX, field, validateSelector);
}

/** Settings for a driver, which nobody else understands. */
export function* validateSettings(settings: JsonObject, field: string): Complaints {
  if (!readObject(settings['opaque'])) {
    yield required(`${field}.opaque`);
    return;
  }
  yield* validateDriverName(textAt(settings, 'opaque.driver'), `${field}.opaque.driver`);
  const parameters = valueAt(settings, 'opaque.parameters');
  const at = `${field}.opaque.parameters`;
  if (!isGiven(parameters)) yield required(at);
  else if (Buffer.byteLength(JSON.stringify(parameters)) > PARAMETERS_BYTES_MAX) {
    yield tooLong(at, PARAMETERS_BYTES_MAX);
  }
}

function* validateSelector(selector: JsonObject, field: string): Complaints {
  if (!readObject(selector['cel'])) {
    yield required(`${field}.cel`);
    return;
  }
  const expression = textAt(selector, 'cel.expression');
  if (Buffer.byteLength(expression) > EXPRESSION_BYTES_MAX) {
    yield tooLong(`${field}.cel.expression`, EXPRESSION_BYTES_MAX);
  }
}
