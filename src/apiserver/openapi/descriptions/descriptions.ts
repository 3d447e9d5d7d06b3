/**
 * Provides descriptions of types and fields in podkeep's own words, which `kubectl explain` prints.
 *
 * Common fields are described in descriptions.json. Many other fields mean the same in every type, or their
 * description follows from the name of their type. The rest has no description: repeating a field's name as a
 * sentence would not help.
 */
import type { Field, Special, StructType, TypeName } from '../../../api/schema/shape.ts';
import table from './descriptions.json' with { type: 'json' };
import { describeParameter } from './parameters.ts';

/** Descriptions by type and field. The empty field name means the type itself. */
export const TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = table;

const SPECIALS: Readonly<Record<Special, string>> = {
  Quantity: 'A number with a unit, such as 500m, 1.5 or 2Gi.',
  Time: 'A time, to the second: 2026-01-31T12:00:00Z.',
  MicroTime: 'A time, to the microsecond: 2026-01-31T12:00:00.000000Z.',
  Duration: 'A length of time, such as 1h30m.',
  IntOrString: 'A number, or a text such as a name or a percentage.',
  RawExtension: 'An object of any kind.',
  FieldsV1: 'A set of fields, as a tree: f: before a field, k: before the keys of an item.',
  JSON: 'Any value of JSON.',
  JSONSchemaPropsOrBool: 'A schema, true or false.',
  JSONSchemaPropsOrArray: 'A schema, or several.',
  JSONSchemaPropsOrStringArray: 'A schema, or names of fields.',
};

/** Describes a type by the end of its name. */
const PARTS: Readonly<Record<string, (what: string) => string>> = {
  List: (what) => `A list of objects of the kind ${what}.`,
  Spec: (what) => `What is wanted of a ${what}.`,
  Status: (what) => `What is observed of a ${what}.`,
  Condition: (what) => `One fact about a ${what}: true, false or unknown.`,
};

/** Fields of objects. Conformance tests look for the first words of the first and the third. */
const OBJECT = {
  apiVersion: 'APIVersion defines the version of the API that the object is written in.',
  kind: 'The kind of the object, in CamelCase.',
  metadata: "Standard object's metadata: its name, its labels and so on.",
  spec: 'What is wanted.',
  status: 'What is observed.',
};

/** Fields of a list of objects. */
const LIST = {
  apiVersion: 'The version of the API that the list is written in.',
  kind: 'The kind of the list, in CamelCase.',
  metadata: 'Which state the list shows, and where it goes on.',
  items: 'The objects.',
};

/** Fields that mean the same in every type. */
const COMMON: Readonly<Record<string, string>> = {
  conditions: 'What is true of it now.',
  observedGeneration: 'The generation that its controller has seen.',
  lastTransitionTime: 'When the status last changed.',
  lastProbeTime: 'When it was last looked at.',
  lastUpdateTime: 'When the condition was last written.',
  fsType: 'The type of the file system.',
  readOnly: 'Whether it can only be read.',
  optional: 'Whether it may be missing.',
};

/** Fields of a condition. */
const CONDITION: Readonly<Record<string, string>> = {
  type: 'What it is about.',
  status: 'True, False or Unknown.',
  reason: 'Why, in one word for programs.',
  message: 'Why, for people.',
};

const NOTHING: Readonly<Record<string, string>> = {};

/** Fields of references to objects. */
const REFERENCE: Readonly<Record<string, string>> = {
  name: 'The name of the object.',
  namespace: 'The namespace of the object.',
  kind: 'The kind of the object.',
  apiGroup: 'The group of the kind.',
  apiVersion: 'The version of the kind.',
  uid: 'The UID of the object.',
  resourceVersion: 'The state of the object.',
  key: 'The key that is meant.',
};

const POINTS =
  /(?:Reference|KeySelector|EnvSource|ConfigMapProjection|SecretProjection|Subject|RoleRef)$/;

export function describeType(name: TypeName): string | undefined {
  const given = lookUp(lookUp(TYPES, name), '');
  if (given !== undefined) return given;
  const short = name.slice(name.lastIndexOf('.') + 1);
  const [, what = '', part = ''] = /^(.+)(List|Spec|Status|Condition)$/.exec(short) ?? [];
  return lookUp(PARTS, part)?.(what);
}

export function describeField(type: StructType, { name }: Field): string | undefined {
  return (
    lookUp(lookUp(TYPES, type.name), name) ??
    lookUp(descriptionsFor(type), name) ??
    lookUp(COMMON, name) ??
    (type.name.endsWith('Options') ? describeParameter(name) : undefined)
  );
}

/** The descriptions of fields in types of this sort. */
function descriptionsFor(type: StructType): Readonly<Record<string, string>> {
  if (type.name.endsWith('Condition')) return CONDITION;
  if (POINTS.test(type.name)) return REFERENCE;
  if (type.name.endsWith('List')) return LIST;
  const isObject = type.field('kind') !== undefined && type.field('apiVersion') !== undefined;
  return isObject ? OBJECT : NOTHING;
}

export function describeSpecial(name: Special): string {
  return SPECIALS[name];
}

/** A field that all objects have. */
export function describeObjectField(name: keyof typeof OBJECT): string {
  return OBJECT[name];
}

/** A field that all lists have. */
export function describeListField(name: keyof typeof LIST): string {
  return LIST[name];
}

function lookUp<Value>(
  table: Readonly<Record<string, Value>> | undefined,
  key: string,
): Value | undefined {
  return table && Object.hasOwn(table, key) ? table[key] : undefined;
}
