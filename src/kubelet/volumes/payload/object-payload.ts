/** Builds the files of a ConfigMap or Secret volume: one for each key, or only for the keys in `items`. */
import type { JsonObject } from '../../../lib/json.ts';
import { bytesOf } from '../../../core/environment/object-data.ts';
import type { FileProjection, Payload } from './payload.ts';
import type { ObjectItems } from '../volume-spec.ts';
import { volumeUnusable } from '../volume-errors.ts';

/** `object` is null if it is optional and does not exist. */
export function objectPayload(
  kind: 'ConfigMap' | 'Secret',
  object: JsonObject | null,
  { items = [], optional = false }: ObjectItems,
  defaultMode: number,
): Payload {
  const data = object ? bytesOf(kind, object) : new Map<string, Uint8Array>();
  if (items.length === 0) {
    return new Map([...data].map(([key, bytes]) => [key, { data: bytes, mode: defaultMode }]));
  }
  const files = new Map<string, FileProjection>();
  for (const { key, path, mode = defaultMode } of items) {
    const bytes = data.get(key);
    if (bytes) files.set(path, { data: bytes, mode });
    else if (!optional) throw volumeUnusable({ reason: missingKey(kind, key) });
  }
  return files;
}

function missingKey(kind: 'ConfigMap' | 'Secret', key: string): string {
  return kind === 'ConfigMap'
    ? `configmap references non-existent config key: ${key}`
    : `references non-existent secret key: ${key}`;
}
