/**
 * Labels of nodes that have had another name once. Pods still select by the old ones, so a node has
 * both, and the old one says what the new one says.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { structAt } from '../../kinds/field-path.ts';
import { readText } from '../../kinds/validation/json-reading.ts';
import { withMetadata } from '../../metadata.ts';

const OLD_NAMES = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
] as const;

/** The very same node if its labels agree. */
export function withOldLabels(node: JsonObject): JsonObject {
  const labels = structAt(node, 'metadata.labels');
  const missing = OLD_NAMES.flatMap(([name, old]) => {
    const isSaid = Object.hasOwn(labels, name);
    return isSaid && labels[old] !== labels[name] ? [[old, readText(labels[name])] as const] : [];
  });
  if (missing.length === 0) return node;
  return withMetadata(node, { labels: { ...labels, ...Object.fromEntries(missing) } });
}
