/**
 * Validates a value by its schema, with kube-apiserver's error messages.
 *
 *     type -> allOf, anyOf, oneOf, not -> text, format, number -> items -> enum -> fields
 *
 * For null only type and enum are checked. `correlation`: the old value, on an update; errors that the old
 * value also had are ignored.
 */
import { codePoints } from '../../../lib/code-points.ts';
import { jsonEqual } from '../../../api/values/json-equal.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import { invalidField, required, tooMany } from '../../../api/validation/field-errors.ts';
import { correlateField, correlateItem, isUnchanged, type Correlation } from '../correlation.ts';
import { entryBelow, fieldBelow } from '../field-path.ts';
import type { Schema } from '../schema.ts';
import { withSortedKeys } from '../shared-change.ts';
import { Findings, NOWHERE } from './finding.ts';
import { checkedFormat, checkOfFormat } from '../../../api/values/text-formats.ts';
import { compilePattern, PatternBudget } from '../../../lib/re2/pattern.ts';
import { checkCombinations } from './combinations.ts';
import { checkNumber } from './numbers.ts';
import { checkType, typesOf } from './types.ts';
import { printExactJson } from '../../../lib/json-text/exact-json.ts';

/** `below`: the field of the value, if it is not the whole object. */
export function validateValue(
  value: Json,
  schema: Schema,
  correlation?: Correlation,
  below = '',
): readonly FieldError[] {
  const { errors } = findingsOf(value, schema, '', correlation, new PatternBudget());
  return errors.map((error) => ({ ...error, field: fieldOf(error, below) }));
}

function fieldOf({ field }: FieldError, below: string): string {
  if (field === '' || field === NOWHERE) return below === '' ? NOWHERE : below;
  return fieldBelow(below, field);
}

function findingsOf(
  value: Json,
  schema: Schema,
  fieldPath: string,
  correlation: Correlation | undefined,
  budget: PatternBudget,
): Findings {
  const findings = new Findings();
  if (value === null) {
    findings.merge(checkType(value, schema, fieldPath));
    findings.merge(checkEnum(value, schema, fieldPath));
    return findings;
  }
  const run = (result: Findings): void => {
    findings.merge(result);
    findings.matches += 1;
  };
  if (typesOf(schema).length > 0 || formatOf(schema) !== '')
    run(checkType(value, schema, fieldPath));
  run(
    checkCombinations(schema, fieldPath, (one) =>
      findingsOf(value, one, fieldPath, correlation, budget),
    ),
  );
  if (typeof value === 'string') {
    run(checkText(value, schema, fieldPath, budget));
    if (formatOf(schema) !== '') run(checkFormat(value, schema, fieldPath));
  }
  if (typeof value === 'number' || typeof value === 'bigint')
    run(checkNumber(value, schema, fieldPath));
  if (Array.isArray(value)) run(checkItems(value, schema, fieldPath, correlation, budget));
  run(checkEnum(value, schema, fieldPath));
  if (isJsonObject(value)) run(checkFields(value, schema, fieldPath, correlation, budget));
  findings.matches += 1;
  return findings;
}

function formatOf(schema: Schema): string {
  const types = typesOf(schema);
  return checkedFormat(types.length === 1 ? (types[0] ?? '') : '', schema.format);
}

const SHOWN_CHARS = 100;

/** Reports only the first error of a string. */
function checkText(
  value: string,
  { limits, pattern }: Schema,
  fieldPath: string,
  budget: PatternBudget,
): Findings {
  const findings = new Findings();
  const length = codePoints(value).length;
  if (limits.maxLength !== undefined && length > limits.maxLength) {
    const unit = limits.maxLength === 1 ? 'byte' : 'bytes';
    const detail = `may not be more than ${limits.maxLength} ${unit}`;
    findings.add({ type: 'TooLong', field: fieldPath, detail }, `${fieldPath}: ${detail}`);
  } else if (limits.minLength !== undefined && length < limits.minLength) {
    const detail = `${fieldPath} in body should be at least ${limits.minLength} chars long`;
    findings.add(invalidField(fieldPath, value, detail));
  } else if (pattern !== '') {
    const compiled = compilePattern(pattern);
    const wanted =
      'fault' in compiled ? `${pattern}, but pattern is invalid: ${compiled.fault}` : pattern;
    if (!('fault' in compiled) && !budget.spend(value, compiled)) {
      const detail = `${fieldPath} in body is too long to be matched against the pattern of its schema`;
      findings.add(invalidField(fieldPath, `${value.slice(0, SHOWN_CHARS)}...`, detail));
    } else if ('fault' in compiled || !compiled.matches(value)) {
      findings.add(invalidField(fieldPath, value, `${fieldPath} in body should match '${wanted}'`));
    }
  }
  return findings;
}

function checkFormat(value: string, { format }: Schema, fieldPath: string): Findings {
  const findings = new Findings();
  if (checkOfFormat(format)?.(value) ?? true) return findings;
  const detail = `${fieldPath} in body must be of type ${format}: ${JSON.stringify(value)}`;
  findings.add({ type: 'TypeInvalid', field: fieldPath, value, detail });
  return findings;
}

function checkItems(
  items: readonly Json[],
  schema: Schema,
  fieldPath: string,
  correlation: Correlation | undefined,
  budget: PatternBudget,
): Findings {
  const findings = new Findings();
  const { minItems, maxItems, isUnique } = schema.limits;
  if (schema.items) {
    for (const [index, item] of items.entries()) {
      const before = correlateItem(correlation, index);
      findings.merge(
        validateInner(item, schema.items, entryBelow(fieldPath, index), before, budget),
      );
    }
  }
  if (minItems !== undefined && items.length < minItems) {
    const detail = `${fieldPath} in body should have at least ${minItems} items`;
    findings.add(invalidField(fieldPath, items.length, detail));
  }
  if (maxItems !== undefined && items.length > maxItems) {
    findings.add(tooManyOf(fieldPath, items.length, maxItems), `${fieldPath}: ${maxItems} items`);
  }
  if (isUnique && items.some((item, index) => isRepeated(items, item, index))) {
    findings.add(invalidField(fieldPath, '', `${fieldPath} in body shouldn't contain duplicates`));
  }
  findings.matches += 1;
  return findings;
}

function isRepeated(items: readonly Json[], item: Json, index: number): boolean {
  return items.slice(0, index).some((earlier) => jsonEqual(earlier, item));
}

function checkEnum(value: Json, schema: Schema, fieldPath: string): Findings {
  const findings = new Findings();
  if (schema.enum.length === 0) return findings;
  // Null never matches, even if it is listed.
  if (value !== null && schema.enum.some((one) => jsonEqual(one, value))) return findings;
  const supported = schema.enum.map((one) =>
    JSON.stringify(typeof one === 'string' ? one : printExactJson(one)),
  );
  const detail = `supported values: ${supported.join(', ')}`;
  const shown = withSortedKeys(value);
  findings.add(
    { type: 'NotSupported', field: fieldPath, value: shown, detail },
    `${fieldPath} ${detail}`,
  );
  return findings;
}

function checkFields(
  object: JsonObject,
  schema: Schema,
  fieldPath: string,
  correlation: Correlation | undefined,
  budget: PatternBudget,
): Findings {
  const findings = new Findings();
  const entries = Object.entries(object);
  checkCount(entries.length, schema, fieldPath, findings);
  for (const [name, value] of entries) {
    const own = schema.properties.get(name);
    if (!own && schema.additional === false) {
      const detail = `${fieldPath}.${name} in body is a forbidden property`;
      findings.add(invalidField(fieldPath, name, detail));
    }
    const additional = typeof schema.additional === 'object' ? schema.additional : undefined;
    const inner = own ?? additional;
    if (!inner) continue;
    const at = own ? fieldBelow(fieldPath, name) : `${fieldPath}.${name}`;
    const isHidden = fieldPath === '' && (name === 'apiVersion' || name === 'kind');
    const before = isHidden ? undefined : correlateField(correlation, name);
    findings.merge(validateInner(value, inner, at, before, budget));
  }
  for (const name of schema.required) {
    if (Object.hasOwn(object, name)) continue;
    findings.add(required(fieldBelow(fieldPath, name)), `${fieldPath}.${name} is required`);
  }
  return findings;
}

function checkCount(
  count: number,
  { limits }: Schema,
  fieldPath: string,
  findings: Findings,
): void {
  const { minProperties, maxProperties } = limits;
  if (minProperties !== undefined && count < minProperties) {
    const detail = `${fieldPath} in body should have at least ${minProperties} properties`;
    findings.add(invalidField(fieldPath, count, detail));
  }
  if (maxProperties !== undefined && count > maxProperties) {
    findings.add(
      tooManyOf(fieldPath, count, maxProperties),
      `${fieldPath}: ${maxProperties} properties`,
    );
  }
}

function tooManyOf(fieldPath: string, count: number, most: number | bigint): FieldError {
  const error = tooMany(fieldPath, count, most);
  return most === 1 ? { ...error, detail: 'must have at most 1 item' } : error;
}

function validateInner(
  value: Json,
  schema: Schema,
  fieldPath: string,
  correlation: Correlation | undefined,
  budget: PatternBudget,
): Findings {
  const findings = findingsOf(value, schema, fieldPath, correlation, budget);
  return findings.isValid || !isUnchanged(correlation) ? findings : findings.forgiven();
}
