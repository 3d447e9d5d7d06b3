/**
 * Defines the kind Service: its defaults, validation, columns and subresources.
 *
 * Admission allocates cluster IPs and node ports (admission/service-addresses.ts). No service proxy routes
 * traffic to them.
 */
import { checkDns1123Label } from '../../../api/validation-names.ts';
import { parseIp } from '../../../lib/ip.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { printLabels, textColumn, wide } from '../../objects/columns.ts';
import { changeStructAt, objectsAt, textAt, valueAt } from '../../objects/field-path.ts';
import { withoutStatus } from '../lifecycle.ts';
import {
  AGE,
  NAME,
  plainKind,
  proxySubresource,
  statusSubresource,
} from '../../objects/plain-kind.ts';
import { validateService } from './service-rules.ts';
import { dropUnneeded, keepAllocated } from './service-transition.ts';
import {
  changeObjects,
  fillAbsent,
  fillEmpty,
  withField,
  withFieldOf,
  withoutField,
} from '../../../api/validation/json-changes.ts';
import {
  isGiven,
  readNumber,
  readStruct,
  readText,
  readTexts,
} from '../../../api/validation/json-reading.ts';

const AFFINITY_SECONDS = 10_800;
const EXTERNAL_TYPES: ReadonlySet<string> = new Set(['NodePort', 'LoadBalancer']);

export const services = plainKind('v1', {
  kind: 'Service',
  resource: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  subresources: [proxySubresource('ServiceProxyOptions'), statusSubresource('Service')],
  rules: {
    createsOnUpdate: true,
    applyDefaults: (object) => changeStructAt(object, 'spec', defaultSpec),
    prepareForCreate: withoutStatus,
    prepareForUpdate: (object, old) =>
      dropUnneeded(keepAllocated(withFieldOf(object, 'status', old), old), old),
    checkName: checkDns1123Label,
    validate: (object) => [...validateService(object)],
    validateUpdate: (object, old) => [...validateService(object, old)],
    selectableFields: (object) => ({
      'spec.clusterIP': textAt(object, 'spec.clusterIP'),
      'spec.type': textAt(object, 'spec.type'),
    }),
  },
  columns: [
    NAME,
    textColumn('Type', 'From where it can be reached.', (object) => textAt(object, 'spec.type')),
    textColumn('Cluster-IP', 'Its address in the cluster.', (object) => {
      return readTexts(valueAt(object, 'spec.clusterIPs'))[0] ?? '<none>';
    }),
    textColumn('External-IP', 'Its addresses in the world.', printExternal),
    textColumn('Port(s)', 'Its ports.', printPorts),
    AGE,
    wide(
      textColumn('Selector', 'The labels of the pods behind it.', (object) =>
        printLabels(valueAt(object, 'spec.selector')),
      ),
    ),
  ],
});

function defaultSpec(spec: JsonObject): JsonObject {
  let next = fillEmpty(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
  next = defaultAffinity(next);
  next = changeObjects(next, 'ports', (port) => {
    const target = readNumber(port['port']);
    return fillEmpty(port, { protocol: 'TCP', ...(target !== 0 && { targetPort: target }) });
  });
  const type = readText(next['type']);
  const isExternal = EXTERNAL_TYPES.has(type) || readTexts(next['externalIPs']).length > 0;
  if (isExternal && type !== 'ExternalName') {
    next = fillEmpty(next, { externalTrafficPolicy: 'Cluster' });
  }
  if (type === 'ExternalName') return next;
  next = fillAbsent(next, { internalTrafficPolicy: 'Cluster' });
  if (type === 'LoadBalancer') next = fillAbsent(next, { allocateLoadBalancerNodePorts: true });
  return defaultFamilies(next);
}

function defaultAffinity(spec: JsonObject): JsonObject {
  if (spec['sessionAffinity'] === 'None') return withoutField(spec, 'sessionAffinityConfig');
  if (spec['sessionAffinity'] !== 'ClientIP') return spec;
  if (isGiven(valueAt(spec, 'sessionAffinityConfig.clientIP.timeoutSeconds'))) return spec;
  return withField(spec, 'sessionAffinityConfig', {
    clientIP: { timeoutSeconds: AFFINITY_SECONDS },
  });
}

/** The cluster IP is stored twice: as clusterIP, and as the first of clusterIPs, next to ipFamilies. */
function defaultFamilies(spec: JsonObject): JsonObject {
  const address = readText(spec['clusterIP']) || (readTexts(spec['clusterIPs'])[0] ?? '');
  const family = parseIp(address)?.family === 6 ? 'IPv6' : 'IPv4';
  const alone = readText(spec['clusterIP']);
  const listed = alone === '' ? spec : fillAbsent(spec, { clusterIPs: [alone] });
  const isAnywhere = address === 'None' && Object.keys(readStruct(spec['selector'])).length === 0;
  if (!isAnywhere)
    return fillAbsent(listed, { ipFamilies: [family], ipFamilyPolicy: 'SingleStack' });
  // A client writes the endpoints of a headless Service without a selector, so any family is allowed.
  const next = fillAbsent(listed, { ipFamilyPolicy: 'RequireDualStack' });
  const [first = family, second] = readTexts(next['ipFamilies']);
  const isSingle = next['ipFamilyPolicy'] === 'SingleStack' || second !== undefined;
  if (isSingle) return fillAbsent(next, { ipFamilies: [family] });
  return withField(next, 'ipFamilies', [first, first === 'IPv4' ? 'IPv6' : 'IPv4']);
}

function printExternal(object: JsonObject): string {
  const external = readTexts(valueAt(object, 'spec.externalIPs'));
  switch (textAt(object, 'spec.type')) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || '<none>';
    case 'LoadBalancer':
      return [...printBalancers(object), ...external].join(',') || '<pending>';
    case 'ExternalName':
      return textAt(object, 'spec.externalName');
    default:
      return '<unknown>';
  }
}

/** The addresses or host names of the load balancers of a Service or an Ingress, without duplicates. */
export function printBalancers(object: JsonObject): readonly string[] {
  const found = objectsAt(object, 'status.loadBalancer.ingress').map(
    (one) => readText(one['ip']) || readText(one['hostname']),
  );
  return [...new Set(found)].filter((text) => text !== '').toSorted();
}

function printPorts(object: JsonObject): string {
  const ports = objectsAt(object, 'spec.ports').map((port) => {
    const [number, nodePort] = [readNumber(port['port']), readNumber(port['nodePort'])];
    const shown = nodePort > 0 ? `${number}:${nodePort}` : String(number);
    return `${shown}/${readText(port['protocol'])}`;
  });
  return ports.join(',') || '<none>';
}
