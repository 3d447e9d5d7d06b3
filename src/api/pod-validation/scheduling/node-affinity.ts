/** Validates required and preferred node affinity. */
import { checkDns1123Subdomain, isLabelValue } from '../../validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  forbiddenField,
  invalidField,
  invalidFor,
  required,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import {
  readNumber,
  readObject,
  readObjects,
  readStruct,
  readText,
  readTexts,
} from '../../validation/json-reading.ts';
import { validateLabelValues } from '../../validation/labels.ts';
import { validateQualifiedName } from '../../validation/names.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const WEIGHT_MAX = 100;

export function* validateNodeAffinity(
  affinity: JsonObject,
  path: string,
  allowsBadValues: boolean,
): FieldErrors {
  yield* validateRequiredNodeAffinity(affinity, `${path}.${REQUIRED}`, allowsBadValues);
  for (const [index, term] of readObjects(affinity[PREFERRED]).entries()) {
    const at = `${path}.${PREFERRED}[${index}]`;
    yield* validateWeight(term, `${at}.weight`);
    // A preferred term that no node can match does no harm, so the API only warns about it.
    yield* validateTerm(readStruct(term['preference']), `${at}.preference`, true);
  }
}

function* validateRequiredNodeAffinity(
  affinity: JsonObject,
  path: string,
  allowsBadValues: boolean,
): FieldErrors {
  const selector = readObject(affinity[REQUIRED]);
  if (!selector) return;
  const terms = readObjects(selector['nodeSelectorTerms']);
  const at = `${path}.nodeSelectorTerms`;
  if (terms.length === 0) yield required(at, 'must have at least one node selector term');
  for (const [index, term] of terms.entries()) {
    yield* validateTerm(term, `${at}[${index}]`, allowsBadValues);
  }
}

/** Whether the spec requires node label values that no label can have. */
export function hasBadNodeAffinityValues(spec: JsonObject): boolean {
  const affinity = readStruct(readStruct(spec['affinity'])['nodeAffinity']);
  return readObjects(readStruct(affinity[REQUIRED])['nodeSelectorTerms'])
    .flatMap((term) => readObjects(term['matchExpressions']))
    .flatMap((expression) => readTexts(expression['values']))
    .some((value) => !isLabelValue(value));
}

export function* validateWeight(term: JsonObject, field: string): FieldErrors {
  const weight = readNumber(term['weight']);
  if (weight > 0 && weight <= WEIGHT_MAX) return;
  yield invalidField(field, weight, 'must be in the range 1-100');
}

function* validateTerm(term: JsonObject, path: string, allowsBadValues: boolean): FieldErrors {
  for (const [index, requirement] of readObjects(term['matchExpressions']).entries()) {
    yield* validateByLabel(requirement, `${path}.matchExpressions[${index}]`, allowsBadValues);
  }
  for (const [index, requirement] of readObjects(term['matchFields']).entries()) {
    yield* validateByField(requirement, `${path}.matchFields[${index}]`);
  }
}

function* validateByLabel(
  requirement: JsonObject,
  path: string,
  allowsBadValues: boolean,
): FieldErrors {
  const values = readTexts(requirement['values']);
  const operator = readText(requirement['operator']);
  yield* validateOperator(operator, values.length, path);
  yield* validateQualifiedName(readText(requirement['key']), `${path}.key`);
  if (!allowsBadValues) yield* validateLabelValues(values, `${path}.values`);
}

function* validateOperator(operator: string, count: number, path: string): FieldErrors {
  const field = `${path}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (count > 0) return;
      yield required(field, "must be specified when `operator` is 'In' or 'NotIn'");
      return;
    case 'Exists':
    case 'DoesNotExist':
      if (count === 0) return;
      yield forbiddenField(
        field,
        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      );
      return;
    case 'Gt':
    case 'Lt':
      if (count === 1) return;
      yield required(field, "must be specified single value when `operator` is 'Lt' or 'Gt'");
      return;
    default:
      yield invalidField(`${path}.operator`, operator, 'not a valid selector operator');
  }
}

/** `matchFields` supports metadata.name only. */
function* validateByField(requirement: JsonObject, path: string): FieldErrors {
  const values = readTexts(requirement['values']);
  const [operator, key] = [readText(requirement['operator']), readText(requirement['key'])];
  if (operator !== 'In' && operator !== 'NotIn') {
    yield invalidField(`${path}.operator`, operator, 'not a valid selector operator');
  } else if (values.length !== 1) {
    const detail =
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    yield required(`${path}.values`, detail);
  }
  if (key !== 'metadata.name') {
    yield invalidField(`${path}.key`, key, 'not a valid field selector key');
    return;
  }
  for (const [index, value] of values.entries()) {
    yield* invalidFor(`${path}.values[${index}]`, value, checkDns1123Subdomain(value));
  }
}
