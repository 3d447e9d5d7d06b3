/** Builds table columns, and cells that several kinds share. */
import { formatLabelSelector } from '../../api/values/label-selector-text.ts';
import { selectorFromObject } from '../../api/values/label-selector.ts';
import { PodkeepError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { Column } from './kind.ts';
import { metadataOf, textOf } from './metadata.ts';
import { objectsAt } from './field-path.ts';
import { readEntries, readText, type Value } from '../../api/validation/json-reading.ts';

type Cell = Column['cell'];

/** The column of kinds that define none. */
export const CREATED_AT: Column = {
  name: 'Created At',
  type: 'date',
  description: 'When the object was created.',
  priority: 0,
  cell: (object) => textOf(metadataOf(object)['creationTimestamp']),
};

export function textColumn(name: string, description: string, cell: Cell): Column {
  return { name, type: 'string', description, priority: 0, cell };
}

export function integerColumn(name: string, description: string, cell: Cell): Column {
  return { name, type: 'integer', description, priority: 0, cell };
}

export function booleanColumn(name: string, description: string, cell: Cell): Column {
  return { name, type: 'boolean', description, priority: 0, cell };
}

/** Shown only with `-o wide`. */
export function wide(column: Column): Column {
  return { ...column, priority: 1 };
}

/** The names and images of a template's containers. */
export function containerColumns(path: string): readonly Column[] {
  const join = (name: string) => (object: JsonObject) =>
    objectsAt(object, path)
      .map((container) => readText(container[name]))
      .join(',');
  return [
    wide(textColumn('Containers', 'The names of the containers in a pod.', join('name'))),
    wide(textColumn('Images', 'The images of the containers in a pod.', join('image'))),
  ];
}

/** `a=1,b=2`, sorted by key. */
export function printLabels(labels: Value): string {
  const pairs = readEntries(labels).map(([key, value]) => `${key}=${readText(value)}`);
  return pairs.length === 0 ? '<none>' : pairs.join(',');
}

/** The text of a selector. Empty if it selects everything or is absent. */
export function selectorText(selector: Value): string {
  if (!isJsonObject(selector)) return '';
  return formatLabelSelector(selectorFromObject(selector));
}

export function printSelector(selector: Value): string {
  try {
    return selectorText(selector) || '<none>';
  } catch (error) {
    if (!(error instanceof PodkeepError)) throw error;
    return '<error>';
  }
}

/** The first items of a list, and how many more there are. */
export function printFirst(items: readonly string[], most: number, separator = ','): string {
  const shown = items.slice(0, most).join(separator);
  return items.length > most ? `${shown} + ${items.length - most} more...` : shown;
}
