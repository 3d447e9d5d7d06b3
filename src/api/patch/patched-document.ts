/**
 * The document to which a JSON patch is being applied.
 *
 * Objects and lists are copied when they are first written to, and written in place after that: a patch
 * of ten thousand additions to one list copies the list once. Parts that were never written to are
 * shared with the original document.
 *
 * `#copies` holds the parts that were copied and may be written in place. A part that occurs twice must not
 * be written in place, because the write would show at both paths; so the `copy` operation clears `#copies`.
 */
import { isJsonObject, type Json } from '../../lib/json.ts';
import { jsonEqual } from '../values/json-equal.ts';
import type { Pointer } from '../values/json-pointer.ts';
import { isJsonList, own, put, type MutableJsonObject } from './json-access.ts';

type Container = Json[] | MutableJsonObject;

/** A negative index counts from the end, as in Kubernetes; clients use it. */
const INDEX = /^(?:0|-?[1-9][0-9]*)$/;

export class PatchedDocument {
  #root: Json;
  #copies = new Map<Json, Container>();

  constructor(root: Json) {
    this.#root = root;
  }

  get root(): Json {
    return this.#root;
  }

  /** The value at a path. Undefined: there is none. */
  get(pointer: Pointer): Json | undefined {
    let value: Json | undefined = this.#root;
    for (const token of pointer) {
      if (value === undefined) return undefined;
      value = childOf(value, token);
    }
    return value;
  }

  /** The object or list that contains the path. Undefined: there is none, or it is the root. */
  parentOf(pointer: Pointer): Json | undefined {
    if (pointer.length === 0) return undefined;
    const parent = this.get(pointer.slice(0, -1));
    return typeof parent === 'object' && parent !== null ? parent : undefined;
  }

  /** Inserts a value: before an element of a list, or as a field. False: there is no such path. */
  add(pointer: Pointer, value: Json): boolean {
    const parent = this.parentOf(pointer);
    if (!isJsonList(parent)) return this.set(pointer, value);
    const token = pointer.at(-1) ?? '';
    const index = token === '-' ? parent.length : readIndex(token, parent.length + 1);
    if (index === undefined) return false;
    const list = this.#open(pointer);
    if (isJsonList(list)) list.splice(index, 0, value);
    return true;
  }

  /** Replaces the value. A field may be new. */
  set(pointer: Pointer, value: Json): boolean {
    const current = this.get(pointer);
    if (current === undefined && !isJsonObject(this.parentOf(pointer))) return false;
    if (current !== undefined && jsonEqual(current, value)) return true;
    const token = pointer.at(-1);
    if (token === undefined) this.#root = value;
    else setChild(this.#open(pointer), token, value);
    return true;
  }

  remove(pointer: Pointer): boolean {
    const token = pointer.at(-1);
    if (token === undefined || this.get(pointer) === undefined) return false;
    removeChild(this.#open(pointer), token);
    return true;
  }

  /** Must be called before a value of this document is inserted a second time. */
  share(): void {
    this.#copies = new Map();
  }

  /** The container of the path, with everything above it, copied so that it can be written. */
  #open(pointer: Pointer): Container {
    let container = this.#ownCopy(this.#root);
    this.#root = container;
    for (const token of pointer.slice(0, -1)) {
      const child = this.#ownCopy(childOf(container, token) ?? null);
      setChild(container, token, child);
      container = child;
    }
    return container;
  }

  #ownCopy(value: Json): Container {
    const known = this.#copies.get(value);
    if (known !== undefined) return known;
    const copy = isJsonList(value) ? [...value] : isJsonObject(value) ? { ...value } : {};
    this.#copies.set(copy, copy);
    return copy;
  }
}

function childOf(container: Json, token: string): Json | undefined {
  if (isJsonList(container)) {
    const index = readIndex(token, container.length);
    return index === undefined ? undefined : container[index];
  }
  return isJsonObject(container) ? own(container, token) : undefined;
}

function setChild(container: Container, token: string, value: Json): void {
  if (!Array.isArray(container)) {
    put(container, token, value);
    return;
  }
  const index = readIndex(token, container.length);
  if (index !== undefined) container[index] = value;
}

function removeChild(container: Container, token: string): void {
  if (!Array.isArray(container)) {
    delete container[token];
    return;
  }
  const index = readIndex(token, container.length);
  if (index !== undefined) container.splice(index, 1);
}

/** The list index that a token means. Undefined: it is not an index. */
function readIndex(token: string, length: number): number | undefined {
  if (!INDEX.test(token)) return undefined;
  const index = Number(token);
  const place = index < 0 ? index + length : index;
  return place >= 0 && place < length ? place : undefined;
}
