/**
 * The newest Node object known here. The watch and the answers to our own requests overtake each other,
 * so the resourceVersion decides which is newer. An answer about a Node with another UID is about
 * another one, which took the name; the watch may still be telling of the old one then.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';

export class KnownNode {
  #node: JsonObject | null = null;

  get(): JsonObject | null {
    return this.#node;
  }

  /** What the API answered to us. */
  learn(node: JsonObject): void {
    if (this.#node && uidOf(node) === uidOf(this.#node) && isOlder(node, this.#node)) return;
    this.#node = node;
  }

  /** What the watch told. */
  hear(node: JsonObject): void {
    if (!this.#node || !isOlder(node, this.#node)) this.#node = node;
  }

  forget(): void {
    this.#node = null;
  }
}

export function uidOf(node: JsonObject | null): string | null {
  const { uid } = metadataOf(node);
  return typeof uid === 'string' && uid !== '' ? uid : null;
}

export function statusOf(node: JsonObject | null): JsonObject {
  const status = node?.['status'];
  return isJsonObject(status) ? status : {};
}

function metadataOf(node: JsonObject | null): JsonObject {
  const metadata = node?.['metadata'];
  return isJsonObject(metadata) ? metadata : {};
}

/** Versions that are not numbers cannot be compared: then what came last counts. */
function isOlder(a: JsonObject, b: JsonObject): boolean {
  const [x, y] = [a, b].map((node) => metadataOf(node)['resourceVersion']);
  if (typeof x !== 'string' || typeof y !== 'string') return false;
  if (!/^\d+$/.test(x) || !/^\d+$/.test(y)) return false;
  return x.length === y.length ? x < y : x.length < y.length;
}
