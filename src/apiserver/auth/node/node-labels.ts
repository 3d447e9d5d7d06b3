/** Finds labels that a kubelet must not set on its own Node, because they could attract pods to it. */
import { mayNodeSetLabel } from '../../../api/node-labels.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { readTextMap } from '../../../api/validation/json-reading.ts';
import { metadataOf } from '../../objects/metadata.ts';

/** The keys of labels that were added, removed or changed. */
export function labelChanges(node: JsonObject, old: JsonObject): readonly string[] {
  const now = readTextMap(metadataOf(node)['labels']);
  const before = readTextMap(metadataOf(old)['labels']);
  return [...new Set([...now.keys(), ...before.keys()])].filter(
    (key) => now.get(key) !== before.get(key),
  );
}

/** The keys that a kubelet may not set, sorted. */
export function forbiddenLabels(keys: readonly string[]): readonly string[] {
  return keys.filter((key) => !mayNodeSetLabel(key)).toSorted();
}
