/** Increases a pod's generation when its spec changes in substance. */
import type { JsonObject } from '../../../../lib/json.ts';
import { readNumber, readStruct } from '../../../../api/validation/json-reading.ts';
import { isSameSpec } from '../../../../api/pod-validation/update/spec-change.ts';

export function bumpPodGeneration(pod: JsonObject, old: JsonObject): JsonObject {
  if (isSameSpec(readStruct(pod['spec']), readStruct(old['spec']))) return pod;
  const metadata = readStruct(pod['metadata']);
  const generation = readNumber(metadata['generation']) + 1;
  return { ...pod, metadata: { ...metadata, generation } };
}
