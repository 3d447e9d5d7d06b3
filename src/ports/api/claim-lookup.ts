/**
 * Reads PersistentVolumeClaims and PersistentVolumes from the API server at each call; they change too rarely
 * for a watch.
 */
import type { JsonObject } from '../../lib/json.ts';

export interface ClaimLookup {
  getClaim(namespace: string, name: string, signal?: AbortSignal): Promise<JsonObject>;
  getVolume(name: string, signal?: AbortSignal): Promise<JsonObject>;
}
