/**
 * Selects the objects of a list or watch: those that match both the label selector and the field selector.
 */
import { matchesFields, type FieldSelector } from '../../api/values/field-selector.ts';
import { matchesLabels, type Labels } from '../../api/values/label-selector.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { metadataOf, textOf } from '../objects/metadata.ts';
import type { ListOptions } from '../requests/options.ts';
import { badRequest } from '../objects/status.ts';

export type Selects = (object: JsonObject) => boolean;

/** `name`: the path names one object; a watch then contains only that object. */
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
  // Built-in kinds accept metadata.namespace even if they are cluster-scoped.
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
