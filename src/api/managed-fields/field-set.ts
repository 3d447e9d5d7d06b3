/**
 * A set of field paths, as a tree, with its conversion from and to FieldsV1.
 *
 *     {"f:metadata":{"f:labels":{".":{},"f:app":{}}}}      .metadata.labels and .metadata.labels.app
 *
 * The `members` of a tree node are the path elements at which a path of the set ends; its `children` are the
 * tree nodes of longer paths. Sets are immutable: operations share the unchanged parts, and return the very
 * same set if nothing changes.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { LruMap } from '../../lib/lru-map.ts';
import { compareElements, readElement, type PathElement } from './path-element.ts';

export interface FieldSet {
  readonly members: ReadonlySet<PathElement>;
  /** No child is empty. */
  readonly children: ReadonlyMap<PathElement, FieldSet>;
}

export type FieldPath = readonly PathElement[];

export const EMPTY_SET: FieldSet = { members: new Set(), children: new Map() };

export function setOf(paths: readonly FieldPath[]): FieldSet {
  const draft = new FieldSetDraft();
  for (const path of paths) draft.insert(path);
  return draft.set();
}

/** Builds a set path by path. */
export class FieldSetDraft {
  readonly #members = new Set<PathElement>();
  readonly #children = new Map<PathElement, FieldSetDraft>();

  insert(path: FieldPath, from = 0): void {
    const element = path[from];
    if (element === undefined) return;
    if (from === path.length - 1) this.#members.add(element);
    else this.#child(element).insert(path, from + 1);
  }

  get isEmpty(): boolean {
    return this.#members.size === 0 && this.#children.size === 0;
  }

  set(): FieldSet {
    if (this.isEmpty) return EMPTY_SET;
    const children = new Map<PathElement, FieldSet>();
    for (const [element, child] of this.#children) children.set(element, child.set());
    return { members: this.#members, children };
  }

  #child(element: PathElement): FieldSetDraft {
    let child = this.#children.get(element);
    if (!child) this.#children.set(element, (child = new FieldSetDraft()));
    return child;
  }
}

export function isEmptySet({ members, children }: FieldSet): boolean {
  return members.size === 0 && children.size === 0;
}

export function hasPath(set: FieldSet, path: FieldPath): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path.slice(0, -1)) node = node?.children.get(element);
  return node?.members.has(path.at(-1) ?? '') ?? false;
}

export function childOf(set: FieldSet, element: PathElement): FieldSet {
  return set.children.get(element) ?? EMPTY_SET;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(b) || a === b) return a;
  if (isEmptySet(a)) return b;
  const added = [...b.members].filter((element) => !a.members.has(element));
  const changed: [PathElement, FieldSet][] = [];
  for (const [element, child] of b.children) {
    const own = a.children.get(element);
    const both = own ? union(own, child) : child;
    if (both !== own) changed.push([element, both]);
  }
  if (added.length === 0 && changed.length === 0) return a;
  return {
    members: added.length === 0 ? a.members : new Set([...a.members, ...added]),
    children: changed.length === 0 ? a.children : new Map([...a.children, ...changed]),
  };
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const members = [...a.members].filter((element) => b.members.has(element));
  const children: [PathElement, FieldSet][] = [];
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    const both = other ? intersection(child, other) : EMPTY_SET;
    if (!isEmptySet(both)) children.push([element, both]);
  }
  return { members: new Set(members), children: new Map(children) };
}

/** The paths of a that are not in b. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, () => false);
}

/** The paths of a that are neither in b nor below a path of b. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, (element, node) => node.members.has(element));
}

function subtract(
  a: FieldSet,
  b: FieldSet,
  isGone: (element: PathElement, node: FieldSet) => boolean,
): FieldSet {
  if (isEmptySet(b) || isEmptySet(a)) return a;
  const members = [...a.members].filter((element) => !b.members.has(element));
  const children: [PathElement, FieldSet][] = [];
  let isChanged = members.length !== a.members.size;
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    const rest = isGone(element, b) ? EMPTY_SET : other ? subtract(child, other, isGone) : child;
    if (rest !== child) isChanged = true;
    if (!isEmptySet(rest)) children.push([element, rest]);
  }
  return isChanged ? { members: new Set(members), children: new Map(children) } : a;
}

/** All paths, in order: at each node first the paths that end there, then the longer ones. */
export function* pathsOf(set: FieldSet, prefix: FieldPath = []): Generator<FieldPath> {
  for (const element of [...set.members].toSorted(compareElements)) yield [...prefix, element];
  const children = [...set.children].toSorted(([a], [b]) => compareElements(a, b));
  for (const [element, child] of children) yield* pathsOf(child, [...prefix, element]);
}

/** Sets take more memory than their JSON, so only the most recent are kept. */
const CACHE_MAX = 512;
const read = new LruMap<JsonObject, FieldSet>(CACHE_MAX);
const written = new WeakMap<FieldSet, JsonObject>();
/** Objects with the same managed fields share one FieldsV1. */
const shared = new LruMap<string, JsonObject>(CACHE_MAX);

/** Undefined: the value is not valid FieldsV1. */
export function readFieldsV1(fields: JsonObject): FieldSet | undefined {
  const known = read.get(fields);
  if (known) return known;
  const set = readNode(fields, DEPTH_MAX);
  if (set) read.set(fields, set);
  return set;
}

const DEPTH_MAX = 1000;

function readNode(fields: JsonObject, depth: number): FieldSet | undefined {
  if (depth === 0) return undefined;
  const members = new Set<PathElement>();
  const children = new Map<PathElement, FieldSet>();
  for (const [key, value] of Object.entries(fields)) {
    if (key === '.') continue; // its parent has read it
    const element = readElement(key);
    if (element === undefined || !isJsonObject(value)) return undefined;
    const child = readNode(value, depth - 1);
    if (!child) return undefined;
    const isLeaf = isEmptySet(child);
    if (isLeaf || Object.hasOwn(value, '.')) members.add(element);
    if (!isLeaf) children.set(element, child);
  }
  return { members, children };
}

/** Equal sets give the very same object. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  const known = written.get(set);
  if (known) return known;
  const made = writeNode(set);
  const text = JSON.stringify(made);
  const fields = shared.get(text) ?? made;
  shared.set(text, fields);
  written.set(set, fields);
  read.set(fields, set);
  return fields;
}

const LEAF: JsonObject = {};
const DOT: JsonObject = { '.': LEAF };

function writeNode({ members, children }: FieldSet): JsonObject {
  const elements = new Set([...members, ...children.keys()]);
  const fields: Record<string, Json> = {};
  for (const element of [...elements].toSorted(compareElements)) {
    const child = children.get(element);
    fields[element] = child ? { ...(members.has(element) && DOT), ...writeNode(child) } : LEAF;
  }
  return fields;
}
