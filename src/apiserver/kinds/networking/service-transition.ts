/**
 * Decides what an update of a Service keeps and drops implicitly.
 *
 * Allocated values (cluster IP, node ports, health check port) are kept if the update omits them and the
 * Service still needs them. Values that only the old type allows are dropped if the update did not change
 * them; if it did, the client made a mistake, and validation reports it.
 */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { changeStructAt, objectsAt, structAt } from '../../objects/field-path.ts';
import {
  changeObjects,
  fillEmpty,
  withField,
  withoutField,
} from '../../../api/validation/json-changes.ts';
import { readNumber, readText, readTexts } from '../../../api/validation/json-reading.ts';

export function keepAllocated(object: JsonObject, old: JsonObject): JsonObject {
  return changeStructAt(object, 'spec', (spec) => keepIn(spec, structAt(old, 'spec')));
}

export function dropUnneeded(object: JsonObject, old: JsonObject): JsonObject {
  const dropped = changeStructAt(object, 'spec', (spec) => dropIn(spec, structAt(old, 'spec')));
  const isBalanced = structAt(dropped, 'spec')['type'] === 'LoadBalancer';
  return isBalanced ? dropped : changeStructAt(dropped, 'status', () => ({ loadBalancer: {} }));
}

/** A client that only knows clusterIP changes or removes it in clusterIPs, too. */
function withSameFirst(spec: JsonObject, before: JsonObject): JsonObject {
  const alone = readText(spec['clusterIP']);
  const listed = readTexts(spec['clusterIPs']);
  const isSameList = listed.join() === readTexts(before['clusterIPs']).join();
  if (listed.length === 0 || !isSameList || alone === readText(before['clusterIP'])) return spec;
  return alone === ''
    ? withoutField(spec, 'clusterIPs')
    : withField(spec, 'clusterIPs', [alone, ...listed.slice(1)]);
}

function keepIn(spec: JsonObject, before: JsonObject): JsonObject {
  let next = withSameFirst(spec, before);
  if (needsAddress(before) && needsAddress(spec)) {
    const { clusterIP = '', clusterIPs = [] } = before;
    next = fillEmpty(next, clusterIP === '' ? {} : { clusterIP });
    const isListed = readTexts(next['clusterIPs']).length > 0;
    if (!isListed && readTexts(clusterIPs).length > 0)
      next = withField(next, 'clusterIPs', clusterIPs);
  }
  if (needsNodePorts(before) && needsNodePorts(spec)) next = keepNodePorts(next, before);
  if (needsHealthPort(before) && needsHealthPort(spec)) {
    next = fillEmpty(next, { healthCheckNodePort: readNumber(before['healthCheckNodePort']) });
  }
  return next;
}

/** Matches ports by name, unless another port already has the node port. */
function keepNodePorts(spec: JsonObject, before: JsonObject): JsonObject {
  const now = new Set(nodePortsOf(spec));
  const known = new Map(
    objectsAt(before, 'ports').map((port) => [
      readText(port['name']),
      readNumber(port['nodePort']),
    ]),
  );
  return changeObjects(spec, 'ports', (port) => {
    const kept = known.get(readText(port['name'])) ?? 0;
    if (readNumber(port['nodePort']) !== 0 || kept === 0 || now.has(kept)) return port;
    return withField(port, 'nodePort', kept);
  });
}

function dropIn(spec: JsonObject, before: JsonObject): JsonObject {
  let next = spec;
  const drop = (name: string): void => {
    if (jsonEqual(next[name] ?? null, before[name] ?? null)) next = withoutField(next, name);
  };
  if (needsAddress(before) && !needsAddress(spec)) {
    const isSame = ['clusterIP', 'clusterIPs'].every((name) =>
      jsonEqual(spec[name] ?? null, before[name] ?? null),
    );
    if (isSame) next = withoutField(withoutField(next, 'clusterIP'), 'clusterIPs');
    drop('ipFamilies');
    drop('ipFamilyPolicy');
    next = withoutField(next, 'internalTrafficPolicy');
  }
  if (needsNodePorts(before, true) && !needsNodePorts(spec, true))
    next = dropNodePorts(next, before);
  if (needsHealthPort(before) && !needsHealthPort(spec)) drop('healthCheckNodePort');
  if (before['type'] === 'LoadBalancer' && spec['type'] !== 'LoadBalancer') {
    drop('allocateLoadBalancerNodePorts');
    drop('loadBalancerClass');
  }
  if (isReachable(before) && !isReachable(spec)) drop('externalTrafficPolicy');
  return next;
}

function dropNodePorts(spec: JsonObject, before: JsonObject): JsonObject {
  const known = new Set(nodePortsOf(before));
  if (!nodePortsOf(spec).every((port) => known.has(port))) return spec;
  return changeObjects(spec, 'ports', (port) => withoutField(port, 'nodePort'));
}

export function nodePortsOf(spec: JsonObject): readonly number[] {
  return objectsAt(spec, 'ports').flatMap((port) => readNumber(port['nodePort']) || []);
}

function needsAddress(spec: JsonObject): boolean {
  return spec['type'] !== 'ExternalName';
}

/** `byType`: ignores allocateLoadBalancerNodePorts. */
function needsNodePorts(spec: JsonObject, byType = false): boolean {
  if (spec['type'] === 'NodePort') return true;
  const isWanted = byType || spec['allocateLoadBalancerNodePorts'] !== false;
  return spec['type'] === 'LoadBalancer' && isWanted;
}

/** With externalTrafficPolicy Local, load balancers must find the nodes that have endpoints. */
export function needsHealthPort(spec: JsonObject): boolean {
  return spec['type'] === 'LoadBalancer' && spec['externalTrafficPolicy'] === 'Local';
}

function isReachable(spec: JsonObject): boolean {
  const isExternal = spec['type'] === 'NodePort' || spec['type'] === 'LoadBalancer';
  const hasAddresses = spec['type'] === 'ClusterIP' && readTexts(spec['externalIPs']).length > 0;
  return isExternal || hasAddresses;
}
