/** Validates numbers: bounds, multiples and the range of their type. */
import type { FieldError } from '../../../api/validation/field-error.ts';
import type { Schema } from '../schema.ts';
import { Findings } from './finding.ts';

const INT32 = { min: -(2 ** 31), max: 2 ** 31 - 1 };
const INT64_LIMIT = 2 ** 63;
const FLOAT32_MAX = 3.4028234663852886e38;

export function checkNumber(value: number | bigint, schema: Schema, fieldPath: string): Findings {
  const findings = new Findings();
  const { maximum, minimum, multipleOf } = schema.limits;
  checkRange(value, schema, 'Checked', fieldPath, findings);
  if (multipleOf !== undefined) {
    checkRange(multipleOf, schema, 'MultipleOf', fieldPath, findings);
    checkMultiple(value, multipleOf, fieldPath, findings);
  }
  if (minimum !== undefined) {
    checkRange(minimum, schema, 'Minimum boundary', fieldPath, findings);
    checkMinimum(value, schema, fieldPath, findings);
  }
  if (maximum !== undefined) {
    checkRange(maximum, schema, 'Maximum boundary', fieldPath, findings);
    checkMaximum(value, schema, fieldPath, findings);
  }
  findings.matches += 1;
  return findings;
}

/** Whether the number fits the type that the schema names. */
function checkRange(
  value: number | bigint,
  { type, format, isIntOrString }: Schema,
  what: string,
  fieldPath: string,
  findings: Findings,
): void {
  if (isIntOrString) return;
  const isInteger = type === 'integer';
  const isFloat = type === 'number' && format === 'float';
  if (isInteger ? fitsInteger(value, format) : !isFloat || fitsFloat(value)) return;
  const isNamed = isFloat || format === 'int32' || format === 'int64';
  const wanted = isNamed ? `with format ${format}` : '(default format)';
  findings.addGeneral(`${what} value must be of type ${type} ${wanted} in ${fieldPath}`);
}

function fitsInteger(value: number | bigint, format: string): boolean {
  if (typeof value === 'number' && !Number.isInteger(value)) return false;
  if (format === 'int32') return value >= INT32.min && value <= INT32.max;
  return value >= -INT64_LIMIT && value < INT64_LIMIT;
}

function fitsFloat(value: number | bigint): boolean {
  return Math.abs(Number(value)) <= FLOAT32_MAX;
}

/** Integers are compared with integers, so the fraction of a limit is cut off. */
function limitFor(value: number | bigint, limit: number): number {
  return typeof value === 'bigint' || Number.isInteger(value) ? Math.trunc(limit) : limit;
}

function checkMaximum(
  value: number | bigint,
  { limits }: Schema,
  fieldPath: string,
  findings: Findings,
): void {
  const maximum = limitFor(value, limits.maximum ?? 0);
  const isExclusive = limits.isMaximumExclusive;
  if (isExclusive ? value < maximum : value <= maximum) return;
  const what = isExclusive ? 'less than' : 'less than or equal to';
  findings.add(invalid(fieldPath, value, `${fieldPath} in body should be ${what} ${maximum}`));
}

function checkMinimum(
  value: number | bigint,
  { limits }: Schema,
  fieldPath: string,
  findings: Findings,
): void {
  const minimum = limitFor(value, limits.minimum ?? 0);
  const isExclusive = limits.isMinimumExclusive;
  if (isExclusive ? value > minimum : value >= minimum) return;
  const what = isExclusive ? 'greater than' : 'greater than or equal to';
  findings.add(invalid(fieldPath, value, `${fieldPath} in body should be ${what} ${minimum}`));
}

function checkMultiple(
  value: number | bigint,
  given: number,
  fieldPath: string,
  findings: Findings,
): void {
  const factor = limitFor(value, given);
  if (factor <= 0) {
    const detail = `factor MultipleOf declared for ${fieldPath} must be positive: ${factor}`;
    findings.add(invalid(fieldPath, factor, detail));
    return;
  }
  if (isMultiple(value, factor)) return;
  findings.add(invalid(fieldPath, value, `${fieldPath} in body should be a multiple of ${factor}`));
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === 'bigint') return value % BigInt(factor) === 0n;
  return isNearlyInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

/** Tolerates rounding, because division of fractions is not exact. */
function isNearlyInteger(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  return Math.abs(value - Math.round(value)) < 1e-9 * Math.max(1, Math.abs(value));
}

function invalid(field: string, value: number | bigint, detail: string): FieldError {
  return { type: 'Invalid', field, value, detail };
}
