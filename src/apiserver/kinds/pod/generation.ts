/** A pod has a new generation when its spec means something else. */
import type { JsonObject } from '../../../lib/json.ts';
import { readNumber, readStruct } from '../validation/json-reading.ts';
import { isSameSpec } from './spec-change.ts';

export function bumpGeneration(pod: JsonObject, old: JsonObject): JsonObject {
  if (isSameSpec(readStruct(pod['spec']), readStruct(old['spec']))) return pod;
  const metadata = readStruct(pod['metadata']);
  const generation = readNumber(metadata['generation']) + 1;
  return { ...pod, metadata: { ...metadata, generation } };
}
