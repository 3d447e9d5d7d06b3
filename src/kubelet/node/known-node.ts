/**
 * Holds the newest known Node object. Watch events and responses to podkeep's requests may arrive out of
 * order, so the resourceVersion decides which is newer. A response with another UID is about a new Node of
 * that name, while the watch may still deliver the old one.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';

export class KnownNode {
  #node: JsonObject | null = null;

  get(): JsonObject | null {
    return this.#node;
  }

  /** A Node from a response of the API server. */
  learn(node: JsonObject): void {
    if (this.#node && uidOf(node) === uidOf(this.#node) && isOlder(node, this.#node)) return;
    this.#node = node;
  }

  /** A Node from the watch. */
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

/** Versions that are not numbers cannot be compared; then the last object counts. */
function isOlder(a: JsonObject, b: JsonObject): boolean {
  const [x, y] = [a, b].map((node) => metadataOf(node)['resourceVersion']);
  if (typeof x !== 'string' || typeof y !== 'string') return false;
  if (!/^\d+$/.test(x) || !/^\d+$/.test(y)) return false;
  return x.length === y.length ? x < y : x.length < y.length;
}
