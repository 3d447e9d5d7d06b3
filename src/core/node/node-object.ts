/**
 * The Node object: as it is registered, and what of one that exists is set right then.
 *
 *     labels       who made it and where it runs; those that people chose win over the defaults
 *     annotations  whether controllers attach its volumes
 *     spec         taints to begin with, and the ID that a cloud knows it by
 *
 * An existing Node belongs to others too. Of its labels only the well-known ones are brought up to date,
 * and only if this node has something to say about them. Taints are for new nodes: whoever took one off
 * meant it. Sizes of huge pages that the machine does not have any more go away. Extended resources are
 * kept: the kubelet zeroes them for device plugins to count again, and podkeep has no such plugins.
 */
import type { ResourceList } from '../../api/resources.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { isHugePages } from './node-resources.ts';
import type { NodeSettings, Taint } from './node-settings.ts';
import { resourcesIn } from './node-status.ts';

export interface NodeIdentity {
  readonly nodeName: string;
  /** Go's words. Empty: the machine could not be read. */
  readonly operatingSystem: string;
  readonly architecture: string;
}

const ATTACH_ANNOTATION = 'volumes.kubernetes.io/controller-managed-attach-detach';

/** Labels that say where a node is and what it is, wherever they came from. */
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
  const { registerWithTaints, providerID, hasControllerAttachDetach, nodeLabels } = settings;
  const annotations = hasControllerAttachDetach ? { [ATTACH_ANNOTATION]: 'true' } : null;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: identity.nodeName,
      labels: { ...defaultLabels(identity), ...nodeLabels },
      ...(annotations && { annotations }),
    },
    spec: {
      ...(registerWithTaints.length > 0 && { taints: registerWithTaints.map(taintObject) }),
      ...(providerID !== '' && { providerID }),
    },
    status,
  };
}

/** The existing Node with what has to be set right; the very same object if nothing has. */
export function reconciledNode(existing: JsonObject, fresh: JsonObject): JsonObject {
  const metadata = reconciledMetadata(objectIn(existing, 'metadata'), objectIn(fresh, 'metadata'));
  const status = reconciledStatus(objectIn(existing, 'status'), objectIn(fresh, 'status'));
  const isSame = metadata === existing['metadata'] && status === existing['status'];
  return isSame ? existing : { ...existing, metadata, status };
}

/** Without these nobody could say which images run here: they are put back whenever they are gone. */
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

function taintObject({ key, value, effect }: Taint): JsonObject {
  return { key, ...(value !== undefined && value !== '' && { value }), effect };
}

function reconciledMetadata(existing: JsonObject, fresh: JsonObject): JsonObject {
  const annotations = reconciledAnnotations(existing, fresh);
  const labels = reconciledLabels(objectIn(existing, 'labels'), objectIn(fresh, 'labels'));
  if (annotations === null && labels === null) return existing;
  return { ...existing, ...(annotations && { annotations }), ...(labels && { labels }) };
}

/** Null: they stay as they are. */
function reconciledAnnotations(existing: JsonObject, fresh: JsonObject): JsonObject | null {
  const before = objectIn(existing, 'annotations');
  const wanted = objectIn(fresh, 'annotations')[ATTACH_ANNOTATION];
  if (before[ATTACH_ANNOTATION] === wanted) return null;
  const { [ATTACH_ANNOTATION]: _old, ...others } = before;
  return wanted === undefined ? others : { ...others, [ATTACH_ANNOTATION]: wanted };
}

/** Null: they stay as they are. A well-known label that is empty here says nothing. */
function reconciledLabels(existing: JsonObject, fresh: JsonObject): JsonObject | null {
  const wrong = WELL_KNOWN_LABELS.filter(
    (name) => Object.hasOwn(fresh, name) && (existing[name] ?? '') !== fresh[name],
  );
  if (wrong.length === 0) return null;
  const right = wrong.map((name): [string, Json] => [name, fresh[name] ?? '']);
  const labels = Object.entries({ ...existing, ...Object.fromEntries(right) });
  const isSaid = ([name, value]: [string, Json]): boolean => !wrong.includes(name) || value !== '';
  return Object.fromEntries(labels.filter(isSaid));
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

/** `list`, with the huge pages of `fresh` instead of its own; itself if they are the same. */
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
