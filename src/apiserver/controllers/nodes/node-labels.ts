/**
 * Keeps the deprecated names of node labels: pods may still select by them, so a node has both, and the old
 * label gets the value of the new one.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { structAt } from '../../objects/field-path.ts';
import { readText } from '../../../api/validation/json-reading.ts';
import { withMetadata } from '../../objects/metadata.ts';

const OLD_NAMES = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
] as const;

/** The very same node if its labels already agree. */
export function withOldLabels(node: JsonObject): JsonObject {
  const labels = structAt(node, 'metadata.labels');
  const missing = OLD_NAMES.flatMap(([name, old]) => {
    const isSet = Object.hasOwn(labels, name);
    return isSet && labels[old] !== labels[name] ? [[old, readText(labels[name])] as const] : [];
  });
  if (missing.length === 0) return node;
  return withMetadata(node, { labels: { ...labels, ...Object.fromEntries(missing) } });
}
