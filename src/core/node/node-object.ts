/**
 * Builds the Node object that the kubelet registers, and decides which parts of an existing Node are updated
 * at registration.
 *
 *     labels       platform, host name and so on; configured ones take precedence over the defaults
 *     annotations  whether controllers attach the node's volumes; whether pods share the machine's network
 *     spec         initial taints, and the provider ID
 *
 * Other components write an existing Node, too. Of its labels, only the well-known ones that this node sets
 * are updated. Taints are set on new Nodes only: if one is missing later, an administrator removed it on
 * purpose. Huge page sizes that the machine no longer has are removed. Extended resources are kept.
 * (Kubernetes' kubelet sets them to zero until device plugins report them again; podkeep has no device
 * plugins.)
 */
import { POD_NETWORK_ANNOTATION, SHARED_POD_NETWORK } from '../../api/node-annotations.ts';
import type { ResourceList } from '../../api/resources.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { isHugePages } from './node-resources.ts';
import type { NodeSettings, RegisteredTaint } from './node-settings.ts';
import { resourcesIn } from './node-status.ts';

export interface NodeIdentity {
  readonly nodeName: string;
  /** Go's names. Empty: the machine could not be read. */
  readonly operatingSystem: string;
  readonly architecture: string;
}

const ATTACH_ANNOTATION = 'volumes.kubernetes.io/controller-managed-attach-detach';
const OWN_ANNOTATIONS = [ATTACH_ANNOTATION, POD_NETWORK_ANNOTATION];

/** Well-known labels about the location and the platform of a node. */
const WELL_KNOWN_LABELS = [
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'node.kubernetes.io/windows-build',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
];

export function newNode(
  identity: NodeIdentity,
  settings: NodeSettings,
  status: JsonObject,
): JsonObject {
  const { registerWithTaints, providerID, nodeLabels } = settings;
  const annotations = ownAnnotations(settings);
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: identity.nodeName,
      labels: { ...defaultLabels(identity), ...nodeLabels },
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: {
      ...(registerWithTaints.length > 0 && { taints: registerWithTaints.map(taintObject) }),
      ...(providerID !== '' && { providerID }),
    },
    status,
  };
}

/** The existing Node with the necessary updates; the same object if there are none. */
export function reconciledNode(existing: JsonObject, fresh: JsonObject): JsonObject {
  const metadata = reconciledMetadata(objectIn(existing, 'metadata'), objectIn(fresh, 'metadata'));
  const status = reconciledStatus(objectIn(existing, 'status'), objectIn(fresh, 'status'));
  const isSame = metadata === existing['metadata'] && status === existing['status'];
  return isSame ? existing : { ...existing, metadata, status };
}

/**
 * Restores the OS and architecture labels if they are missing or wrong: they show which images can run on
 * this node.
 */
export function withRequiredLabels(node: JsonObject, identity: NodeIdentity): JsonObject {
  const metadata = objectIn(node, 'metadata');
  const labels = objectIn(metadata, 'labels');
  const required = {
    'kubernetes.io/os': identity.operatingSystem,
    'kubernetes.io/arch': identity.architecture,
  };
  const wrong = Object.entries(required).filter(
    ([name, value]) => value !== '' && labels[name] !== value,
  );
  if (wrong.length === 0) return node;
  const mended = { ...labels, ...Object.fromEntries(wrong) };
  return { ...node, metadata: { ...metadata, labels: mended } };
}

function defaultLabels({ nodeName, operatingSystem, architecture }: NodeIdentity): JsonObject {
  const platform = {
    'kubernetes.io/os': operatingSystem,
    'kubernetes.io/arch': architecture,
    'beta.kubernetes.io/os': operatingSystem,
    'beta.kubernetes.io/arch': architecture,
  };
  const known = Object.entries(platform).filter(([, value]) => value !== '');
  return { 'kubernetes.io/hostname': nodeName, ...Object.fromEntries(known) };
}

function taintObject({ key, value, effect }: RegisteredTaint): JsonObject {
  return { key, ...(value !== undefined && value !== '' && { value }), effect };
}

function reconciledMetadata(existing: JsonObject, fresh: JsonObject): JsonObject {
  const annotations = reconciledAnnotations(existing, fresh);
  const labels = reconciledLabels(objectIn(existing, 'labels'), objectIn(fresh, 'labels'));
  if (annotations === null && labels === null) return existing;
  return { ...existing, ...(annotations && { annotations }), ...(labels && { labels }) };
}

function ownAnnotations({ hasControllerAttachDetach, sharesNetwork }: NodeSettings): JsonObject {
  return {
    ...(hasControllerAttachDetach && { [ATTACH_ANNOTATION]: 'true' }),
    ...(sharesNetwork && { [POD_NETWORK_ANNOTATION]: SHARED_POD_NETWORK }),
  };
}

/** Null: the annotations are up to date. Own annotations that this node no longer sets are removed. */
function reconciledAnnotations(existing: JsonObject, fresh: JsonObject): JsonObject | null {
  const before = objectIn(existing, 'annotations');
  const wanted = objectIn(fresh, 'annotations');
  if (OWN_ANNOTATIONS.every((name) => before[name] === wanted[name])) return null;
  const others = Object.entries(before).filter(([name]) => !OWN_ANNOTATIONS.includes(name));
  return { ...Object.fromEntries(others), ...wanted };
}

/** Null: the labels are up to date. A well-known label whose new value is empty is removed. */
function reconciledLabels(existing: JsonObject, fresh: JsonObject): JsonObject | null {
  const wrong = WELL_KNOWN_LABELS.filter(
    (name) => Object.hasOwn(fresh, name) && (existing[name] ?? '') !== fresh[name],
  );
  if (wrong.length === 0) return null;
  const right = wrong.map((name): [string, Json] => [name, fresh[name] ?? '']);
  const labels = Object.entries({ ...existing, ...Object.fromEntries(right) });
  const isSet = ([name, value]: [string, Json]): boolean => !wrong.includes(name) || value !== '';
  return Object.fromEntries(labels.filter(isSet));
}

function reconciledStatus(existing: JsonObject, fresh: JsonObject): JsonObject {
  const lists = (['capacity', 'allocatable'] as const).map((name) => {
    const [before, now] = [resourcesIn(existing, name), resourcesIn(fresh, name)];
    return [
      name,
      before,
      isJsonObject(existing[name]) ? withHugePagesOf(before, now) : now,
    ] as const;
  });
  const changed = lists.filter(([name, before, after]) => before !== after || !existing[name]);
  if (changed.length === 0) return existing;
  return { ...existing, ...Object.fromEntries(changed.map(([name, , after]) => [name, after])) };
}

/** `list` with the huge pages of `fresh`; the same object if nothing changes. */
function withHugePagesOf(list: ResourceList, fresh: ResourceList): ResourceList {
  const names = new Set([...Object.keys(list), ...Object.keys(fresh)].filter(isHugePages));
  if ([...names].every((name) => list[name] === fresh[name])) return list;
  const others = Object.entries(list).filter(([name]) => !isHugePages(name));
  const pages = Object.entries(fresh).filter(([name]) => isHugePages(name));
  return Object.fromEntries([...others, ...pages]);
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return isJsonObject(value) ? value : {};
}
