/**
 * Builds the definition of a usual built-in kind: its schema from the table, all verbs, and the columns Name
 * and Age.
 *
 * After each rule of the kind the object is converted to the form in which the API prints it
 * (printed-form.ts), so that no kind has to list the fields that are always printed.
 */
import type { StructType } from '../../api/schema/shape.ts';
import { formatHumanDuration } from '../../api/values/human-duration.ts';
import { parseTime } from '../../api/values/time.ts';
import { kindOf } from '../../api/schema/schema.ts';
import { assert } from '../../lib/assert.ts';
import type { Column, KindDefinition, KindRules, Subresource } from './kind.ts';
import { metadataOf, textOf } from './metadata.ts';
import { printedForm } from './printed-form.ts';

export type PlainKind = Pick<KindDefinition, 'kind' | 'resource'> &
  Partial<Omit<KindDefinition, 'group' | 'version' | 'kind' | 'resource' | 'type'>>;

export function plainKind(apiVersion: string, given: PlainKind): KindDefinition {
  const known = kindOf(apiVersion, given.kind);
  assert(known !== undefined, `the table of shapes has no ${given.kind} in ${apiVersion}`);
  const { group, version, namespaced, type } = known;
  return {
    group,
    version,
    singular: given.kind.toLowerCase(),
    namespaced,
    type,
    columns: [NAME, AGE],
    ...given,
    rules: printing(given.rules ?? {}, type),
  };
}

/** Wraps the rules so that each returns objects in printed form. */
function printing(rules: KindRules, type: StructType): KindRules {
  const { applyDefaults, prepareForCreate, prepareForUpdate, prepareForStatusUpdate } = rules;
  return {
    ...rules,
    applyDefaults: (object, old) => printedForm(applyDefaults?.(object, old) ?? object, type, old),
    ...(prepareForCreate && {
      prepareForCreate: (object) => printedForm(prepareForCreate(object), type, object),
    }),
    ...(prepareForUpdate && {
      prepareForUpdate: (object, old) => printedForm(prepareForUpdate(object, old), type, old),
    }),
    ...(prepareForStatusUpdate && {
      prepareForStatusUpdate: (object, old) =>
        printedForm(prepareForStatusUpdate(object, old), type, old),
    }),
  };
}

export function statusSubresource(kind: string): Subresource {
  return { name: 'status', kind, verbs: ['get', 'patch', 'update'] };
}

/** Requests to it are forwarded to a server behind the object. */
export function proxySubresource(kind: string): Subresource {
  const verbs = ['create', 'delete', 'get', 'patch', 'update'] as const;
  return { name: 'proxy', kind, verbs, connects: 'proxy' };
}

export const NAME: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'What the object is called; unique among its kind in its namespace.',
  priority: 0,
  cell: (object) => textOf(metadataOf(object)['name']),
};

export const AGE: Column = {
  name: 'Age',
  type: 'string',
  description: 'How long ago the object was created.',
  priority: 0,
  cell: (object, nowMs) => ageOf(textOf(metadataOf(object)['creationTimestamp']), nowMs),
};

export function ageOf(time: string, nowMs: number): string {
  return time === '' ? '<unknown>' : formatHumanDuration(nowMs - parseTime(time).ms);
}
