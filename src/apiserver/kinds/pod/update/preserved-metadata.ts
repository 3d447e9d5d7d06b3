/** Restores the metadata that an update through a subresource must not change. */
import type { JsonObject } from '../../../../lib/json.ts';
import { withFieldOf } from '../../../../api/validation/json-changes.ts';
import { readStruct } from '../../../../api/validation/json-reading.ts';

const KEPT = [
  'deletionTimestamp',
  'generation',
  'selfLink',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
] as const;

export function keepMetadata(object: JsonObject, old: JsonObject): JsonObject {
  const before = readStruct(old['metadata']);
  return KEPT.reduce(
    (metadata: JsonObject, name) => withFieldOf(metadata, name, before),
    readStruct(object['metadata']),
  );
}
