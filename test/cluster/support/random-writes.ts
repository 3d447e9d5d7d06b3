/**
 * Random sequences of writes by several managers to one object: apply, update and patches, of the object and of
 * its subresources. The same seed makes the same sequence.
 */
import type { Json, JsonObject } from '../../../src/lib/json.ts';

export interface RandomWrite {
  readonly method: 'PATCH' | 'PUT';
  readonly path: string;
  readonly type: string;
  readonly body: Json;
}

export interface RandomKind {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly subresources: readonly string[];
  /** Custom kinds have no strategic patches. */
  readonly isCustom?: boolean;
  readonly fields: (dice: Dice, subresource: string) => JsonObject;
  /** What every object of the kind must have. */
  readonly base: JsonObject;
}

const MANAGERS = ['ann', 'bob', 'cat'];

export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** At least 0 and below `sides`. */
  below(sides: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  some<Item>(items: readonly Item[], percent = 50): Item[] {
    return items.filter(() => this.chance(percent));
  }

  /** Each field with this chance. */
  object(fields: Readonly<Record<string, () => Json>>, percent = 50): JsonObject {
    const entries = Object.entries(fields).filter(() => this.chance(percent));
    return Object.fromEntries(entries.map(([name, make]) => [name, make()]));
  }
}

export function randomWrite(kind: RandomKind, dice: Dice, path: string, name: string): RandomWrite {
  const subresource = dice.chance(30) ? dice.pick(['', ...kind.subresources]) : '';
  const manager = dice.pick(MANAGERS);
  const target = `${path}/${name}${subresource === '' ? '' : `/${subresource}`}`;
  const query = `fieldManager=${manager}`;
  if (subresource === 'scale') {
    const body = { spec: { replicas: dice.below(4) } };
    return patchOf(target, query, 'merge', body);
  }
  const fields = kind.fields(dice, subresource);
  const identity = { apiVersion: kind.apiVersion, kind: kind.kind };
  const whole = merged(subresource === '' ? kind.base : {}, fields);
  const named = { ...identity, ...whole, metadata: { ...objectOf(whole['metadata']), name } };
  const way = dice.below(10);
  if (way < 5) {
    // Sometimes without the fields that the kind requires: the rest of the object has them.
    const isPartial = dice.chance(30);
    const partial = {
      ...identity,
      ...fields,
      metadata: { ...objectOf(fields['metadata']), name },
    };
    const force = dice.chance(40) ? '&force=true' : '';
    return patchOf(target, `${query}${force}`, 'apply', isPartial ? partial : named);
  }
  if (way < 6) return { method: 'PUT', path: `${target}?${query}`, type: TYPES.json, body: named };
  if (way < 8) return patchOf(target, query, 'merge', withNulls(fields, dice));
  if (way < 9 && !kind.isCustom)
    return patchOf(target, query, 'strategic', withNulls(fields, dice));
  return patchOf(target, query, 'jsonPatch', operations(fields, dice));
}

const TYPES = {
  json: 'application/json',
  apply: 'application/apply-patch+yaml',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  jsonPatch: 'application/json-patch+json',
} as const;

function patchOf(path: string, query: string, type: keyof typeof TYPES, body: Json): RandomWrite {
  return { method: 'PATCH', path: `${path}?${query}`, type: TYPES[type], body };
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}

/** Objects merge; of everything else the second counts. */
function merged(first: JsonObject, second: JsonObject): JsonObject {
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const [a, b] = [first[name], second[name]];
      const areObjects = isPlain(a) && isPlain(b);
      return [name, areObjects ? merged(objectOf(a), objectOf(b)) : (b ?? a ?? null)];
    }),
  );
}

function isPlain(value: Json | undefined): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Some fields below the first level are removed rather than set. */
function withNulls(value: JsonObject, dice: Dice, depth = 0): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (depth > 1 && dice.chance(15)) return [name, null];
      return [name, isPlain(inner) ? withNulls(objectOf(inner), dice, depth + 1) : inner];
    }),
  );
}

/**
 * Not removed: kube-apiserver fills them in again after it has recorded managers, so they lose theirs. The
 * embedded server does so before, and they keep them.
 */
const NETWORK = /^\/spec\/(clusterIP|ipFamil)/;

function operations(fields: JsonObject, dice: Dice): Json {
  const leaves = pathsOf(fields, '').filter(([path]) => !NETWORK.test(path));
  return Array.from({ length: 1 + dice.below(2) }, () => {
    const [path, value] = dice.pick(
      leaves.length > 0 ? leaves : [['/metadata/labels', {}] as const],
    );
    const op = dice.pick(['add', 'add', 'replace', 'remove', 'test']);
    return op === 'remove' ? { op, path } : { op, path, value };
  });
}

function pathsOf(value: Json, path: string): (readonly [path: string, value: Json])[] {
  if (!isPlain(value)) return [[path, value]];
  return Object.entries(objectOf(value)).flatMap(([name, inner]) =>
    pathsOf(inner, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}
