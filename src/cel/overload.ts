/**
 * Declares functions and operators by their signatures, and selects the overload that a call means.
 *
 *     'string.split(string): list<string>'    a method: the receiver comes first
 *     'sets.contains(list<T>, list<T>): bool'    a function in a namespace
 *
 * The overload is selected when the expression is compiled. Where a type is known only at run time, the first
 * overload that accepts the values is called.
 */
import { codePoints } from '../lib/code-points.ts';
import { assert } from '../lib/assert.ts';
import { noSuchOverload, type Budget } from './fault.ts';
import {
  DYN,
  hasDyn,
  isAssignable,
  isSimpleKind,
  joinTypes,
  substitute,
  type Bindings,
  type CelType,
} from './type.ts';
import { kindOf, type CelValue } from './value.ts';

export type Run = (args: readonly CelValue[], budget: Budget) => CelValue;

/** A signature; parsed when the first expression is compiled, which most processes never do. */
export interface Overload {
  readonly signature: string;
  readonly run: Run;
}

interface Signature {
  readonly name: string;
  readonly isMethod: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  readonly run: Run;
}

/** A resolved call: its type, and its function. */
export interface Resolved {
  readonly type: CelType;
  readonly run: Run;
}

const NAMESPACES: ReadonlySet<string> = new Set([
  'sets',
  'strings',
  'lists',
  'ip',
  'format',
  'optional',
  'jsonpatch',
]);

/** The function may assume the signature's types: the overload is chosen by them. */
export function overload(signature: string, run: Run): Overload {
  return { signature, run };
}

function readSignature({ signature, run }: Overload): Signature {
  const match = /^(?:([^()]+)\.)?([^\s().]+)\((.*)\): (.+)$/.exec(signature);
  assert(match !== null, `${signature} is no signature`);
  const [, owner, name = '', params = '', result = ''] = match;
  const isNamespaced = owner !== undefined && NAMESPACES.has(owner);
  const types = splitTypes(params).map(readType);
  const isMethod = owner !== undefined && !isNamespaced;
  return {
    name: isNamespaced ? `${owner}.${name}` : name,
    isMethod,
    params: isMethod ? [readType(owner), ...types] : types,
    result: readType(result),
    run,
  };
}

function readType(text: string): CelType {
  const [, outer, inner = ''] = /^(list|map|optional)<(.+)>$/.exec(text) ?? [];
  const [first = '', second = ''] = splitTypes(inner);
  if (outer === 'list') return { kind: 'list', item: readType(first) };
  if (outer === 'map') return { kind: 'map', key: readType(first), value: readType(second) };
  if (outer === 'optional') return { kind: 'optional', value: readType(first) };
  if (/^[A-Z]$/.test(text)) return { kind: 'param', name: text };
  assert(isSimpleKind(text), `${text} is no type`);
  return { kind: text };
}

/** Splits at commas outside of nested types. */
function splitTypes(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const [index, sign] of codePoints(text).entries()) {
    if (sign === '<') depth += 1;
    if (sign === '>') depth -= 1;
    if (sign !== ',' || depth > 0) continue;
    parts.push(text.slice(start, index).trim());
    start = index + 1;
  }
  const last = text.slice(start).trim();
  return last === '' ? parts : [...parts, last];
}

/** Finds overloads by their name, and by whether they are methods. */
export class Library {
  readonly #overloads: readonly Overload[];
  #read: ReadonlyMap<string, readonly Signature[]> | undefined;

  constructor(overloads: readonly Overload[]) {
    this.#overloads = overloads;
  }

  has(name: string): boolean {
    return this.#byName.has(keyOf(name, false)) || this.#byName.has(keyOf(name, true));
  }

  get #byName(): ReadonlyMap<string, readonly Signature[]> {
    if (this.#read) return this.#read;
    const byName = new Map<string, Signature[]>();
    for (const one of this.#overloads.map(readSignature)) {
      const key = keyOf(one.name, one.isMethod);
      byName.set(key, [...(byName.get(key) ?? []), one]);
    }
    this.#read = byName;
    return byName;
  }

  /** Undefined: no overload accepts these types. */
  resolve(name: string, isMethod: boolean, types: readonly CelType[]): Resolved | undefined {
    const fitting: { readonly overload: Signature; readonly type: CelType }[] = [];
    for (const one of this.#byName.get(keyOf(name, isMethod)) ?? []) {
      const bindings: Bindings = new Map();
      if (one.params.length !== types.length) continue;
      if (!one.params.every((param, index) => isAssignable(param, types[index] ?? DYN, bindings))) {
        continue;
      }
      fitting.push({ overload: one, type: substitute(one.result, bindings) });
    }
    const [first, ...others] = fitting;
    if (!first) return undefined;
    if (!types.some(hasDyn)) return { type: first.type, run: first.overload.run };
    const type = others.reduce<CelType>((all, one) => joinTypes(all, one.type) ?? DYN, first.type);
    return { type, run: chooser(fitting.map((one) => one.overload)) };
  }
}

function keyOf(name: string, isMethod: boolean): string {
  return isMethod ? `.${name}` : name;
}

function chooser(overloads: readonly Signature[]): Run {
  return (args, budget) => {
    const chosen = overloads.find(({ params }) =>
      params.every((param, index) => takes(param, args[index] ?? null)),
    );
    if (!chosen) throw noSuchOverload();
    return chosen.run(args, budget);
  };
}

function takes(param: CelType, value: CelValue): boolean {
  return param.kind === 'param' || param.kind === 'dyn' || param.kind === kindOf(value);
}
