/** Which objects a list or watch is about: those that both of its selectors match. */
import { matchesFields, type FieldSelector } from '../api/field-selector.ts';
import { matchesLabels, type Labels } from '../api/label-selector.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { KindDefinition } from './kind.ts';
import { metadataOf, textOf } from './metadata.ts';
import type { ListOptions } from './options.ts';
import { badRequest } from './status.ts';

export type Selects = (object: JsonObject) => boolean;

/** `name`: the path names one object, which a watch of it then is about. */
export function selectionOf(
  definition: KindDefinition,
  { labels, fields }: Pick<ListOptions, 'labels' | 'fields'>,
  name: string | null,
): Selects {
  checkFields(definition, fields);
  return (object) =>
    (name === null || metadataOf(object)['name'] === name) &&
    matchesLabels(labels, labelsOf(object)) &&
    (fields.length === 0 || matchesFields(fields, fieldsOf(definition, object)));
}

function labelsOf(object: JsonObject): Labels {
  const { labels } = metadataOf(object);
  if (!isJsonObject(labels)) return {};
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, textOf(value)]));
}

function fieldsOf({ rules }: KindDefinition, object: JsonObject): Readonly<Record<string, string>> {
  const { name, namespace } = metadataOf(object);
  return {
    ...rules.selectableFields?.(object),
    'metadata.name': textOf(name),
    'metadata.namespace': textOf(namespace),
  };
}

function checkFields(definition: KindDefinition, fields: FieldSelector): void {
  const own = definition.rules.selectableFields;
  const known = new Set(Object.keys(fieldsOf(definition, {})));
  // Built-in kinds take it even where there are no namespaces.
  if (!definition.type && !definition.namespaced) known.delete('metadata.namespace');
  for (const { field } of fields) {
    if (known.has(field)) continue;
    throw badRequest(
      own
        ? `field label not supported: ${field}`
        : `${JSON.stringify(field)} is not a known field selector: ` +
            'only "metadata.name", "metadata.namespace"',
    );
  }
}
