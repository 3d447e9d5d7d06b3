/**
 * Gets the config maps and secrets that pods of this node refer to.
 *
 * An object is cached as long as a registered pod refers to it (pod-objects.ts). Objects are shared and
 * immutable.
 */
import type { JsonObject } from '../../lib/json.ts';

export interface LookedUpObject {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly namespace: string;
  readonly name: string;
}

export interface ObjectLookup {
  /** Rejects with an ApiError NotFound if there is none; users see its message. */
  get(object: LookedUpObject, signal?: AbortSignal): Promise<JsonObject>;
  /**
   * Calls the listener at every change, with null when the object is deleted. Throws if no registered pod
   * refers to it.
   */
  subscribe(object: LookedUpObject, listener: (object: JsonObject | null) => void): () => void;
}
