/** Reads and writes metadata.managedFields: which manager owns which fields. */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { EMPTY_SET, readFieldsV1, writeFieldsV1, type FieldSet } from './field-set.ts';

export interface ManagedSet {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  /** Absent: the last apply changed ownership only, or the write went through the scale subresource. */
  readonly time?: string | undefined;
  readonly set: FieldSet;
}

/** By identifier (`identifierOf`). */
export type Managers = ReadonlyMap<string, ManagedSet>;

export const NO_MANAGERS: Managers = new Map();

/**
 * Entries are distinct if manager, operation or subresource differ, and for updates also if the apiVersion
 * differs.
 */
export function identifierOf(
  entry: Pick<ManagedSet, 'manager' | 'operation' | 'apiVersion' | 'subresource'>,
): string {
  const { manager, operation, subresource } = entry;
  const apiVersion = operation === 'Apply' ? '' : entry.apiVersion;
  return JSON.stringify({
    ...(manager !== '' && { manager }),
    operation,
    ...(apiVersion !== '' && { apiVersion }),
    ...(subresource !== '' && { subresource }),
  });
}

/** The entries as they were read, so that unchanged ones are written back exactly so. */
const writtenEntries = new WeakMap<ManagedSet, JsonObject>();

const FIELDS_TYPE = 'FieldsV1';

export type ReadManagers = { readonly managers: Managers } | { readonly problem: string };

export function readManagers(entries: Json | undefined): ReadManagers {
  const list: readonly Json[] = Array.isArray(entries) ? entries : [];
  if (list.length === 0) return { managers: NO_MANAGERS };
  const managers = new Map<string, ManagedSet>();
  for (const [index, entry] of list.entries()) {
    const read = readEntry(isJsonObject(entry) ? entry : {}, index);
    if ('problem' in read) return read;
    managers.set(identifierOf(read), read);
  }
  return { managers };
}

function readEntry(entry: JsonObject, index: number): ManagedSet | { readonly problem: string } {
  const { operation, fieldsType, fieldsV1, time } = entry;
  if (operation !== 'Apply' && operation !== 'Update') {
    return { problem: 'operation must be `Apply` or `Update`' };
  }
  const apiVersion = text(entry['apiVersion']);
  if (apiVersion === '') return { problem: 'apiVersion must not be empty' };
  if (fieldsType === undefined || fieldsType === '') {
    return { problem: `missing fieldsType in managed fields entry ${index}` };
  }
  if (fieldsType !== FIELDS_TYPE) {
    const quoted = JSON.stringify(fieldsType);
    return { problem: `invalid fieldsType ${quoted} in managed fields entry ${index}` };
  }
  const set = isJsonObject(fieldsV1) ? readFieldsV1(fieldsV1) : EMPTY_SET;
  if (!set) return { problem: 'error decoding set: invalid FieldsV1' };
  const manager = text(entry['manager']);
  const subresource = text(entry['subresource']);
  const read: ManagedSet = {
    manager,
    operation,
    apiVersion,
    subresource,
    time: text(time) || undefined,
    set,
  };
  writtenEntries.set(read, entry);
  return read;
}

/** The entries in the server's order: by operation, time, manager, version and subresource. */
export function writeManagers(managers: Managers): readonly JsonObject[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()].toSorted(compareEntries).map(writeEntry);
}

function compareEntries(a: ManagedSet, b: ManagedSet): number {
  return (
    compareText(a.operation, b.operation) ||
    seconds(a) - seconds(b) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** The time in whole seconds. An entry without a time counts as 0. */
export function seconds({ time }: ManagedSet): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000) || 0;
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function writeEntry(entry: ManagedSet): JsonObject {
  const known = writtenEntries.get(entry);
  if (known) return known;
  const { manager, operation, apiVersion, subresource, time, set } = entry;
  const written: JsonObject = {
    ...(manager !== '' && { manager }),
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: FIELDS_TYPE,
    fieldsV1: writeFieldsV1(set),
    ...(subresource !== '' && { subresource }),
  };
  writtenEntries.set(entry, written);
  return written;
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
