/** Implements `'%s has %d'.format([name, count])`. */
import { CelError } from '../fault.ts';
import {
  Duration,
  ListValue,
  MapValue,
  ObjectValue,
  Timestamp,
  TypeValue,
  Uint,
  type CelValue,
} from '../value.ts';
import { printDouble, printDuration, printTimestamp } from './time-text.ts';

const CLAUSE = /%(?:%|(\.\d+)?([a-zA-Z]))/g;
const PRECISION = 6;

export function formatText(template: string, values: readonly CelValue[]): string {
  let next = 0;
  return template.replaceAll(CLAUSE, (whole, precision?: string, letter?: string) => {
    if (letter === undefined) return '%';
    const value = values[next];
    if (value === undefined) throw new CelError(`index ${next} out of range`);
    next += 1;
    return formatClause(
      letter,
      value,
      precision === undefined ? PRECISION : Number(precision.slice(1)),
      whole,
    );
  });
}

function formatClause(letter: string, value: CelValue, precision: number, clause: string): string {
  switch (letter) {
    case 's':
      return printValue(value);
    case 'd':
      return printWhole(value, 10);
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : printWhole(value, 2);
    case 'o':
      return printWhole(value, 8);
    case 'x':
      return printHex(value);
    case 'X':
      return printHex(value).toUpperCase();
    case 'f':
      return toNumber(value).toFixed(precision);
    case 'e':
      return toNumber(value)
        .toExponential(precision)
        .replace(/e([+-])(\d)$/, 'e$10$2');
    default:
      throw new CelError(`unrecognized formatting clause "${clause.slice(1)}"`);
  }
}

function printWhole(value: CelValue, base: number): string {
  if (typeof value === 'bigint') return value.toString(base);
  if (value instanceof Uint) return value.value.toString(base);
  if (typeof value === 'number' && base === 10) return printDouble(value);
  throw new CelError('integer clause can only be used on integers');
}

function printHex(value: CelValue): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return printWhole(value, 16);
}

function toNumber(value: CelValue): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  throw new CelError('fixed-point clause can only be used on numbers');
}

export function printValue(value: CelValue): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return printDouble(value);
  if (typeof value !== 'object') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Uint) return String(value.value);
  if (value instanceof ListValue) return `[${value.items.map(printInner).join(', ')}]`;
  if (value instanceof Timestamp) return printTimestamp(value);
  if (value instanceof Duration) return printDuration(value);
  if (value instanceof TypeValue) return value.type;
  return printEntries(value);
}

/** Prints a value as a literal, as it appears inside a list or a map. */
function printInner(value: CelValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return value.toFixed(PRECISION);
  if (value instanceof Timestamp) return `timestamp(${JSON.stringify(printValue(value))})`;
  if (value instanceof Duration) return `duration(${JSON.stringify(printValue(value))})`;
  return printValue(value);
}

function printEntries(value: CelValue): string {
  const entries =
    value instanceof MapValue
      ? value.entries()
      : value instanceof ObjectValue
        ? value.names().map((name) => [name, value.get(name) ?? null] as const)
        : undefined;
  if (!entries) throw new CelError('string clause can only be used on values that can be printed');
  const printed = entries.map(([key, inner]) => `${printInner(key)}:${printInner(inner)}`);
  return `{${printed.toSorted().join(', ')}}`;
}
