/**
 * Sets the hints of endpoints from `spec.trafficDistribution`: clients prefer endpoints in their own zone or
 * on their own node.
 *
 *     PreferClose, PreferSameZone ──> the zone of the endpoint
 *     PreferSameNode ───────────────> its zone and its node
 *     absent ───────────────────────> no hints
 */
import { readText, readTextMap } from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { textAt, valueAt } from '../../../objects/field-path.ts';
import { metadataOf } from '../../../objects/metadata.ts';

const ZONES: ReadonlySet<string> = new Set(['PreferClose', 'PreferSameZone', 'PreferSameNode']);
const MODES = ['service.kubernetes.io/topology-aware-hints', 'service.kubernetes.io/topology-mode'];

export function withHints(endpoint: JsonObject, service: JsonObject): JsonObject {
  const { hints: _, ...plain } = endpoint;
  const distribution = textAt(service, 'spec.trafficDistribution');
  const isReady = valueAt(endpoint, 'conditions.ready') === true;
  if (!ZONES.has(distribution) || !isReady || asksForTopology(service)) return plain;
  const zone = readText(endpoint['zone']);
  const node = distribution === 'PreferSameNode' ? readText(endpoint['nodeName']) : '';
  if (zone === '' && node === '') return plain;
  const hints = {
    ...(zone !== '' && { forZones: [{ name: zone }] }),
    ...(node !== '' && { forNodes: [{ name: node }] }),
  };
  return { ...plain, hints };
}

/**
 * Whether the Service has the annotation that preceded `spec.trafficDistribution`, and that takes precedence
 * over it.
 */
export function asksForTopology(service: JsonObject): boolean {
  const annotations = readTextMap(metadataOf(service)['annotations']);
  const mode = MODES.map((name) => annotations.get(name)).find((value) => value !== undefined);
  return mode === 'Auto' || mode === 'auto';
}
