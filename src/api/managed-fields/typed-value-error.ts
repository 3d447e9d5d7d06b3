/**
 * The errors of a value that does not match its server-side apply type, each with its path and
 * kube-apiserver's message.
 */
import { isJsonObject, type Json } from '../../lib/json.ts';

export interface TypedFault {
  readonly path: string;
  readonly message: string;
}

export class TypedValueError extends Error {
  constructor(faults: readonly TypedFault[], context = '') {
    super(context + describeFaults(faults));
    this.faults = faults;
    this.context = context;
  }

  readonly faults: readonly TypedFault[];
  readonly context: string;
}

/** Adds to a TypedValueError which step (`what`) failed. */
export function explained<Result>(what: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof TypedValueError)) throw error;
    throw new TypedValueError(error.faults, `${what}: ${error.context}`);
  }
}

function describeFaults(faults: readonly TypedFault[]): string {
  const lines = faults.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return lines.length === 1
    ? (lines[0] ?? '')
    : ['errors:', ...lines.map((l) => `  ${l}`)].join('\n');
}

export function below(prefix: string, faults: readonly TypedFault[]): readonly TypedFault[] {
  return faults.map(({ path, message }) => ({ path: prefix + path, message }));
}

/** A value as Go prints it with %v. */
export function goValue(value: Json | undefined): string {
  return `&{${goText(value)}}`;
}

export function goText(value: Json | undefined): string {
  if (value === undefined || value === null) return '<nil>';
  if (typeof value !== 'object') return String(value);
  if (!isJsonObject(value)) return `[${value.map(goText).join(' ')}]`;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, item]) => `${key}:${goText(item)}`).join(' ')}]`;
}

/** The Go type of a JSON value. */
export function goType(value: Json): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}
