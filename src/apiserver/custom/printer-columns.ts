/**
 * Builds the table columns of a custom kind from its additionalPrinterColumns: the name, and the values at
 * their paths.
 */
import { parseTime } from '../../api/values/time.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import type { Column } from '../objects/kind.ts';
import { NAME, ageOf } from '../objects/plain-kind.ts';
import { readNumber, readObjects, readText } from '../../api/validation/json-reading.ts';
import { parseJsonPath, type JsonPath } from './json-path.ts';
import { withSortedKeys } from '../schema/shared-change.ts';
import { printExactJson } from '../../lib/json-text/exact-json.ts';

const AGE_COLUMN: JsonObject = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'How long ago the object was created.',
};

/** `columns`: the additionalPrinterColumns of a version. One that cannot be parsed drops all after it. */
export function printerColumns(columns: Json | undefined): readonly Column[] {
  const given = readObjects(columns);
  const made: Column[] = [NAME];
  for (const column of given.length > 0 ? given : [AGE_COLUMN]) {
    const path = parseJsonPath(readText(column['jsonPath']));
    if (!path) break;
    made.push(makeColumn(column, path));
  }
  return made;
}

function makeColumn(given: JsonObject, path: JsonPath): Column {
  const type = typeOf(readText(given['type']));
  const jsonPath = readText(given['jsonPath']);
  return {
    name: readText(given['name']),
    type,
    format: readText(given['format']),
    description:
      readText(given['description']) ||
      `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority: readNumber(given['priority']) > 0 ? 1 : 0,
    cell: (object, nowMs) => {
      const [value] = path.find(object);
      return value === undefined ? null : cellOf(value, type, nowMs);
    },
  };
}

function typeOf(text: string): Column['type'] {
  switch (text) {
    case 'integer':
    case 'number':
    case 'boolean':
    case 'date':
      return text;
    default:
      return 'string';
  }
}

function cellOf(value: Json, type: Column['type'], nowMs: number): ReturnType<Column['cell']> {
  switch (type) {
    case 'string':
      return textOfCell(value);
    case 'integer':
      if (typeof value === 'bigint') return value;
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      if (typeof value === 'bigint') return Number(value);
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? ageOfCell(value, nowMs) : null;
  }
}

/** A text as it is, everything else as JSON. */
function textOfCell(value: Json): string {
  if (typeof value === 'string') return value;
  return value === null ? '<no value>' : printExactJson(withSortedKeys(value));
}

function ageOfCell(value: string, nowMs: number): string {
  if (value === '') return '<unknown>';
  try {
    parseTime(value);
  } catch {
    return '<invalid>';
  }
  return ageOf(value, nowMs);
}
