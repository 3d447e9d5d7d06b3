/**
 * The config maps and secrets that pods of this node refer to.
 *
 * They are at hand as long as a pod that refers to them is registered (pod-objects.ts). Objects belong
 * to all: nobody changes them.
 */
import type { JsonObject } from '../lib/json.ts';

export interface LookedUpObject {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly namespace: string;
  readonly name: string;
}

export interface ObjectLookup {
  /** Rejects with an ApiError NotFound if there is none; its words are what users read. */
  get(object: LookedUpObject, signal?: AbortSignal): Promise<JsonObject>;
  /** Tells of every change, with null when the object is gone. Throws if no pod refers to the object. */
  subscribe(object: LookedUpObject, listener: (object: JsonObject | null) => void): () => void;
}
