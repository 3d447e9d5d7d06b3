/**
 * Encodes the initial events of watches once for all watchers that have the same list and form.
 *
 *     watchers of one list and form ──┐
 *     watchers of one list and form ──┼──> pieces of lines, made when the first watcher needs them
 *     watchers of one list and form ──┘
 *
 * Pieces live as long as a watcher reads them, and then until the garbage collector needs the memory: the
 * cache holds weak references. They are reused only while the list consists of the very same objects.
 */
import type { ObjectStore, StoredObject } from '../../ports/api/object-store.ts';

/** Pieces that are encoded once and read many times. */
export class SharedPieces implements Iterable<Uint8Array> {
  readonly objects: readonly StoredObject[];
  readonly #source: Iterator<Uint8Array>;
  readonly #made: Uint8Array[] = [];
  #isDone = false;

  constructor(objects: readonly StoredObject[], lines: Iterable<Uint8Array>) {
    this.objects = objects;
    this.#source = packed(lines);
  }

  *[Symbol.iterator](): Generator<Uint8Array> {
    for (let at = 0; ; at += 1) {
      if (at === this.#made.length) this.#makeOne();
      const piece = this.#made[at];
      if (!piece) return;
      yield piece;
    }
  }

  #makeOne(): void {
    if (this.#isDone) return;
    const { done, value } = this.#source.next();
    if (done) this.#isDone = true;
    else this.#made.push(value);
  }
}

/** The size of one piece. */
const PIECE_BYTES = 64 * 1024;

function* packed(lines: Iterable<Uint8Array>): Generator<Uint8Array, void> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for (const line of lines) {
    waiting.push(line);
    bytes += line.byteLength;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (waiting.length > 0) yield Buffer.concat(waiting);
}

const KNOWN_MAX = 256;
const known = new WeakMap<ObjectStore, Map<string, WeakRef<SharedPieces>>>();

/** `form`: equal for all watchers that get the objects in the same form. */
export function sharedState(
  store: ObjectStore,
  form: string,
  objects: readonly StoredObject[],
  lines: () => Iterable<Uint8Array>,
): Iterable<Uint8Array> {
  let states = known.get(store);
  if (!states) {
    states = new Map();
    known.set(store, states);
  }
  const found = states.get(form)?.deref();
  if (found && areSame(found.objects, objects)) return found;
  const made = new SharedPieces(objects, lines());
  if (states.size >= KNOWN_MAX) states.clear();
  states.set(form, new WeakRef(made));
  return made;
}

function areSame(left: readonly StoredObject[], right: readonly StoredObject[]): boolean {
  if (left.length !== right.length) return false;
  return left.every((object, index) => object === right[index]);
}
