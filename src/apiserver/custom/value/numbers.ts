/** Numbers against the limits of their schema: bounds, steps and the range of their type. */
import type { FieldError } from '../../field-error.ts';
import type { Schema } from '../schema.ts';
import { Findings } from './finding.ts';

const INT32 = { min: -(2 ** 31), max: 2 ** 31 - 1 };
const INT64_LIMIT = 2 ** 63;
const FLOAT32_MAX = 3.4028234663852886e38;

export function checkNumber(value: number, schema: Schema, place: string): Findings {
  const findings = new Findings();
  const { maximum, minimum, multipleOf } = schema.limits;
  checkRange(value, schema, 'Checked', place, findings);
  if (multipleOf !== undefined) {
    checkRange(multipleOf, schema, 'MultipleOf', place, findings);
    checkMultiple(value, multipleOf, place, findings);
  }
  if (minimum !== undefined) {
    checkRange(minimum, schema, 'Minimum boundary', place, findings);
    checkMinimum(value, schema, place, findings);
  }
  if (maximum !== undefined) {
    checkRange(maximum, schema, 'Maximum boundary', place, findings);
    checkMaximum(value, schema, place, findings);
  }
  findings.matches += 1;
  return findings;
}

/** Does it fit into the type that the schema names? */
function checkRange(
  value: number,
  { type, format, isIntOrString }: Schema,
  what: string,
  place: string,
  findings: Findings,
): void {
  if (isIntOrString) return;
  const isInteger = type === 'integer';
  const isFloat = type === 'number' && format === 'float';
  if (isInteger ? fitsInteger(value, format) : !isFloat || fitsFloat(value)) return;
  const isNamed = isFloat || format === 'int32' || format === 'int64';
  const wanted = isNamed ? `with format ${format}` : '(default format)';
  findings.addGeneral(`${what} value must be of type ${type} ${wanted} in ${place}`);
}

function fitsInteger(value: number, format: string): boolean {
  if (!Number.isInteger(value)) return false;
  if (format === 'int32') return value >= INT32.min && value <= INT32.max;
  return value >= -INT64_LIMIT && value < INT64_LIMIT;
}

function fitsFloat(value: number): boolean {
  return Math.abs(value) <= FLOAT32_MAX;
}

/** Whole numbers are compared with whole limits: the fraction of a limit is cut off. */
function limitFor(value: number, limit: number): number {
  return Number.isInteger(value) ? Math.trunc(limit) : limit;
}

function checkMaximum(value: number, { limits }: Schema, place: string, findings: Findings): void {
  const maximum = limitFor(value, limits.maximum ?? 0);
  const isExclusive = limits.isMaximumExclusive;
  if (isExclusive ? value < maximum : value <= maximum) return;
  const what = isExclusive ? 'less than' : 'less than or equal to';
  findings.add(invalid(place, value, `${place} in body should be ${what} ${maximum}`));
}

function checkMinimum(value: number, { limits }: Schema, place: string, findings: Findings): void {
  const minimum = limitFor(value, limits.minimum ?? 0);
  const isExclusive = limits.isMinimumExclusive;
  if (isExclusive ? value > minimum : value >= minimum) return;
  const what = isExclusive ? 'greater than' : 'greater than or equal to';
  findings.add(invalid(place, value, `${place} in body should be ${what} ${minimum}`));
}

function checkMultiple(value: number, given: number, place: string, findings: Findings): void {
  const factor = limitFor(value, given);
  if (factor <= 0) {
    const detail = `factor MultipleOf declared for ${place} must be positive: ${factor}`;
    findings.add(invalid(place, factor, detail));
    return;
  }
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  if (isNearlyInteger(times)) return;
  findings.add(invalid(place, value, `${place} in body should be a multiple of ${factor}`));
}

/** Division of fractions is never exact. */
function isNearlyInteger(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  return Math.abs(value - Math.round(value)) < 1e-9 * Math.max(1, Math.abs(value));
}

function invalid(field: string, value: number, detail: string): FieldError {
  return { type: 'Invalid', field, value, detail };
}
