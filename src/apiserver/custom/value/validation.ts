/**
 * Judges a value by its schema, in kube-apiserver's words.
 *
 *     type -> allOf, anyOf, oneOf, not -> text, format, number -> items -> enum -> fields
 *
 * A value of null is asked for its type and its enum only. `correlation`: what the value was before,
 * if it is an update; what was as wrong then is let through.
 */
import { codePoints } from '../code-points.ts';
import { jsonEqual } from '../../../api/json-equal.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../field-error.ts';
import { invalid, required, tooMany } from '../../kinds/validation/complaint.ts';
import { correlateField, correlateItem, isUnchanged, type Correlation } from '../correlation.ts';
import { entryBelow, fieldBelow } from '../place.ts';
import type { Schema } from '../schema.ts';
import { withSortedKeys } from '../shared-change.ts';
import { Findings, NOWHERE } from './finding.ts';
import { checkedFormat, checkOfFormat } from './formats.ts';
import { compilePattern, PatternBudget } from './pattern.ts';
import { checkCombinations } from './combinations.ts';
import { checkNumber } from './numbers.ts';
import { checkType, typesOf } from './types.ts';

/** `below`: the field that the value is, if it is not the whole object. */
export function validateValue(
  value: Json,
  schema: Schema,
  correlation?: Correlation,
  below = '',
): readonly FieldError[] {
  const { errors } = judge(value, schema, '', correlation, new PatternBudget());
  return errors.map((error) => ({ ...error, field: fieldOf(error, below) }));
}

function fieldOf({ field }: FieldError, below: string): string {
  if (field === '' || field === NOWHERE) return below === '' ? NOWHERE : below;
  return fieldBelow(below, field);
}

function judge(
  value: Json,
  schema: Schema,
  place: string,
  correlation: Correlation | undefined,
  budget: PatternBudget,
): Findings {
  const findings = new Findings();
  if (value === null) {
    findings.merge(checkType(value, schema, place));
    findings.merge(checkEnum(value, schema, place));
    return findings;
  }
  const run = (result: Findings): void => {
    findings.merge(result);
    findings.matches += 1;
  };
  if (typesOf(schema).length > 0 || formatOf(schema) !== '') run(checkType(value, schema, place));
  run(checkCombinations(schema, place, (one) => judge(value, one, place, correlation, budget)));
  if (typeof value === 'string') {
    run(checkText(value, schema, place, budget));
    if (formatOf(schema) !== '') run(checkFormat(value, schema, place));
  }
  if (typeof value === 'number') run(checkNumber(value, schema, place));
  if (Array.isArray(value)) run(checkItems(value, schema, place, correlation, budget));
  run(checkEnum(value, schema, place));
  if (isJsonObject(value)) run(checkFields(value, schema, place, correlation, budget));
  findings.matches += 1;
  return findings;
}

function formatOf(schema: Schema): string {
  const types = typesOf(schema);
  return checkedFormat(types.length === 1 ? (types[0] ?? '') : '', schema.format);
}

const SHOWN_CHARS = 100;

/** The first fault of a text is the only one told. */
function checkText(
  value: string,
  { limits, pattern }: Schema,
  place: string,
  budget: PatternBudget,
): Findings {
  const findings = new Findings();
  const length = codePoints(value).length;
  if (limits.maxLength !== undefined && length > limits.maxLength) {
    const unit = limits.maxLength === 1 ? 'byte' : 'bytes';
    const detail = `may not be more than ${limits.maxLength} ${unit}`;
    findings.add({ type: 'TooLong', field: place, detail }, `${place}: ${detail}`);
  } else if (limits.minLength !== undefined && length < limits.minLength) {
    const detail = `${place} in body should be at least ${limits.minLength} chars long`;
    findings.add(invalid(place, value, detail));
  } else if (pattern !== '') {
    const compiled = compilePattern(pattern);
    const wanted =
      'fault' in compiled ? `${pattern}, but pattern is invalid: ${compiled.fault}` : pattern;
    if (!('fault' in compiled) && !budget.spend(value, compiled)) {
      const detail = `${place} in body is too long to be matched against the pattern of its schema`;
      findings.add(invalid(place, `${value.slice(0, SHOWN_CHARS)}...`, detail));
    } else if ('fault' in compiled || !compiled.matches(value)) {
      findings.add(invalid(place, value, `${place} in body should match '${wanted}'`));
    }
  }
  return findings;
}

function checkFormat(value: string, { format }: Schema, place: string): Findings {
  const findings = new Findings();
  if (checkOfFormat(format)?.(value) ?? true) return findings;
  const detail = `${place} in body must be of type ${format}: ${JSON.stringify(value)}`;
  findings.add({ type: 'TypeInvalid', field: place, value, detail });
  return findings;
}

function checkItems(
  items: readonly Json[],
  schema: Schema,
  place: string,
  correlation: Correlation | undefined,
  budget: PatternBudget,
): Findings {
  const findings = new Findings();
  const { minItems, maxItems, isUnique } = schema.limits;
  if (schema.items) {
    for (const [index, item] of items.entries()) {
      const before = correlateItem(correlation, index);
      findings.merge(judgeInner(item, schema.items, entryBelow(place, index), before, budget));
    }
  }
  if (minItems !== undefined && items.length < minItems) {
    const detail = `${place} in body should have at least ${minItems} items`;
    findings.add(invalid(place, items.length, detail));
  }
  if (maxItems !== undefined && items.length > maxItems) {
    findings.add(tooManyOf(place, items.length, maxItems), `${place}: ${maxItems} items`);
  }
  if (isUnique && items.some((item, index) => isRepeated(items, item, index))) {
    findings.add(invalid(place, '', `${place} in body shouldn't contain duplicates`));
  }
  findings.matches += 1;
  return findings;
}

function isRepeated(items: readonly Json[], item: Json, index: number): boolean {
  return items.slice(0, index).some((earlier) => jsonEqual(earlier, item));
}

function checkEnum(value: Json, schema: Schema, place: string): Findings {
  const findings = new Findings();
  if (schema.enum.length === 0) return findings;
  // Null is never one of them, even if it is listed.
  if (value !== null && schema.enum.some((one) => jsonEqual(one, value))) return findings;
  const supported = schema.enum.map((one) =>
    JSON.stringify(typeof one === 'string' ? one : JSON.stringify(one)),
  );
  const detail = `supported values: ${supported.join(', ')}`;
  const shown = withSortedKeys(value);
  findings.add({ type: 'NotSupported', field: place, value: shown, detail }, `${place} ${detail}`);
  return findings;
}

function checkFields(
  object: JsonObject,
  schema: Schema,
  place: string,
  correlation: Correlation | undefined,
  budget: PatternBudget,
): Findings {
  const findings = new Findings();
  const entries = Object.entries(object);
  checkCount(entries.length, schema, place, findings);
  for (const [name, value] of entries) {
    const own = schema.properties.get(name);
    if (!own && schema.additional === false) {
      const detail = `${place}.${name} in body is a forbidden property`;
      findings.add(invalid(place, name, detail));
    }
    const additional = typeof schema.additional === 'object' ? schema.additional : undefined;
    const inner = own ?? additional;
    if (!inner) continue;
    const at = own ? fieldBelow(place, name) : `${place}.${name}`;
    const isHidden = place === '' && (name === 'apiVersion' || name === 'kind');
    const before = isHidden ? undefined : correlateField(correlation, name);
    findings.merge(judgeInner(value, inner, at, before, budget));
  }
  for (const name of schema.required) {
    if (Object.hasOwn(object, name)) continue;
    findings.add(required(fieldBelow(place, name)), `${place}.${name} is required`);
  }
  return findings;
}

function checkCount(count: number, { limits }: Schema, place: string, findings: Findings): void {
  const { minProperties, maxProperties } = limits;
  if (minProperties !== undefined && count < minProperties) {
    const detail = `${place} in body should have at least ${minProperties} properties`;
    findings.add(invalid(place, count, detail));
  }
  if (maxProperties !== undefined && count > maxProperties) {
    findings.add(tooManyOf(place, count, maxProperties), `${place}: ${maxProperties} properties`);
  }
}

function tooManyOf(place: string, count: number, most: number): FieldError {
  const error = tooMany(place, count, most);
  return most === 1 ? { ...error, detail: 'must have at most 1 item' } : error;
}

function judgeInner(
  value: Json,
  schema: Schema,
  place: string,
  correlation: Correlation | undefined,
  budget: PatternBudget,
): Findings {
  const findings = judge(value, schema, place, correlation, budget);
  return findings.isValid || !isUnchanged(correlation) ? findings : findings.forgiven();
}
