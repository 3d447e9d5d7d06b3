/**
 * Parses one struct of the schema table: a line with its fields, in the order in which Go prints them as
 * JSON, separated by "; ". For example
 *
 *     6 ports? [].ContainerPort patch=merge key=containerPort list=map,containerPort,protocol
 *
 *   6          the number in protobuf, or - for a field that is not in it
 *   ports      the name in JSON, then ? if JSON leaves it out when empty, and ! if it is required
 *   ^source    instead of a name: an inlined struct, named for its protobuf field if it has one
 *   *T         the value is a pointer in Go; type-text.ts describes T
 *   patch=     patch strategies, separated by commas    key=      the merge key of a patch
 *   list=      the list type; the map keys follow it    atomic    one value to server-side apply
 *   default=   JSON, up to the end of the field
 *
 * The word "atomic" alone, before the fields, applies to the struct itself. scripts/schema generates this
 * text.
 */
import { InvariantError } from '../../lib/assert.ts';
import type { Field, ListType, PatchStrategy, Shape } from './shape.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const NO_STRATEGIES: readonly PatchStrategy[] = [];
const STRATEGIES: readonly PatchStrategy[] = ['merge', 'replace', 'retainKeys'];
const LIST_TYPES: readonly ListType[] = ['atomic', 'set', 'map'];
const DEFAULT = ' default=';
const SEPARATOR = '; ';
const ATOMIC = 'atomic';

/** The struct's own fields, with the inlined structs as fields among them. */
export function readStructLine(line: string, readType: (text: string) => Shape): readonly Field[] {
  const texts = line.split(SEPARATOR).filter((text) => text !== '' && text !== ATOMIC);
  return texts.map((text) => readField(text, readType));
}

export function isAtomicLine(line: string): boolean {
  return line === ATOMIC || line.startsWith(ATOMIC + SEPARATOR);
}

function readField(text: string, readType: (text: string) => Shape): Field {
  const defaultStart = text.indexOf(DEFAULT);
  const words = (defaultStart === -1 ? text : text.slice(0, defaultStart)).split(' ');
  const [number = '', label = '', type = '', ...options] = words;
  const pointer = type.startsWith('*');
  const inlined = label.startsWith('^');
  const required = label.endsWith('!');
  const omitEmpty = label.endsWith('?', required ? label.length - 1 : label.length);
  const end = label.length - Number(required) - Number(omitEmpty);
  const shape = readType(pointer ? type.slice(1) : type);
  const field: Mutable<Field> = {
    name: label.slice(Number(inlined), end),
    shape,
    pointer,
    omitEmpty,
    required,
    patchStrategies: NO_STRATEGIES,
  };
  if (inlined) field.inlined = true;
  if (number !== '-') field.number = Number(number);
  for (const option of options) readOption(field, option);
  if (shape.kind === 'struct' && shape.type.atomic === true) field.atomic = true;
  if (defaultStart !== -1) field.default = JSON.parse(text.slice(defaultStart + DEFAULT.length));
  return field;
}

function readOption(field: Mutable<Field>, option: string): void {
  const [key = '', value = ''] = option.split('=');
  const [first = '', ...rest] = value.split(',');
  switch (key) {
    case 'patch':
      field.patchStrategies = [first, ...rest].map((word) => oneOf(STRATEGIES, word));
      return;
    case 'key':
      field.mergeKey = value;
      return;
    case 'list':
      field.listType = oneOf(LIST_TYPES, first);
      if (rest.length > 0) field.listMapKeys = rest;
      return;
    case ATOMIC:
      field.atomic = true;
      return;
    default:
      throw new InvariantError(`the schema table has no option "${option}"`);
  }
}

function oneOf<Word extends string>(words: readonly Word[], text: string): Word {
  const found = words.find((word) => word === text);
  if (found === undefined) throw new InvariantError(`the schema table has no "${text}"`);
  return found;
}
