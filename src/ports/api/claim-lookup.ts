/** Persistent volumes and their claims, read from the API each time: they change rarely. */
import type { JsonObject } from '../../lib/json.ts';

export interface ClaimLookup {
  getClaim(namespace: string, name: string, signal?: AbortSignal): Promise<JsonObject>;
  getVolume(name: string, signal?: AbortSignal): Promise<JsonObject>;
}
