/**
 * Builds the pod of a DaemonSet for a node: with node affinity for the node's name, and tolerations for the
 * taints that Kubernetes sets on nodes with a problem. The scheduler binds the pod.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { readStruct, readTexts } from '../../../../api/validation/json-reading.ts';
import { daemonSets } from '../../../kinds/apps/daemon-set.ts';
import { objectsAt, structAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { metadataOf, textOf, withMetadata } from '../../../objects/metadata.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { newControllerRef } from '../shared/controller-ref.ts';
import { podFromTemplate } from '../shared/pod-control.ts';
import { REVISION_LABEL } from '../shared/revision-data.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const NAME_FIELD = 'metadata.name';
const GENERATION_LABEL = 'pod-template-generation';
const GENERATION = 'deprecated.daemonset.template.generation';

/**
 * By key and effect. The node controllers set these taints, which must neither evict daemon pods nor keep
 * them away.
 */
const TOLERATED = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
] as const;
const WITHOUT_NETWORK = ['network-unavailable', 'NoSchedule'] as const;

export function newDaemonPod(set: JsonObject, node: string, hash: string): JsonObject {
  const template = structAt(set, 'spec.template');
  const pod = podFromTemplate(template, set, newControllerRef(daemonSets, set));
  const spec = daemonSpec(template);
  const generation = generationOf(set);
  const labels = {
    ...readStruct(metadataOf(pod)['labels']),
    ...(generation !== '' && { [GENERATION_LABEL]: generation }),
    [REVISION_LABEL]: hash,
  };
  return {
    ...withMetadata(pod, { labels }),
    spec: { ...spec, affinity: withNode(structAt(spec, 'affinity'), node) },
  };
}

/** The pod spec with the tolerations of daemon pods, not yet for one node. */
export function daemonSpec(template: JsonObject): JsonObject {
  const spec = structAt(template, 'spec');
  const given = objectsAt(spec, 'tolerations');
  const isOnHost = spec['hostNetwork'] === true;
  const added = [...TOLERATED, ...(isOnHost ? [WITHOUT_NETWORK] : [])].map(([name, effect]) => ({
    key: `node.kubernetes.io/${name}`,
    operator: 'Exists',
    effect,
  }));
  // A toleration of the same taint is replaced by one without tolerationSeconds.
  const kept = given.filter((one) => !added.some((other) => isSameToleration(one, other)));
  return { ...spec, tolerations: [...kept, ...added] };
}

/** Whether the pod was created from the current template. Old clients label it with the generation only. */
export function isUpdated(set: JsonObject, pod: JsonObject, hash: string): boolean {
  const labels = labelsOf(pod);
  const generation = generationOf(set);
  if (hash !== '' && labels[REVISION_LABEL] === hash) return true;
  return generation !== '' && labels[GENERATION_LABEL] === generation;
}

/** The node on which the pod runs, or for which it waits. Null: it names none. */
export function targetNodeOf(pod: JsonObject): string | null {
  const bound = textAt(pod, 'spec.nodeName');
  if (bound !== '') return bound;
  const terms = objectsAt(pod, `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`);
  const fields = terms.flatMap((term) => objectsAt(term, 'matchFields'));
  const found = fields.find(({ key, operator }) => key === NAME_FIELD && operator === 'In');
  const names = found ? readTexts(found['values']) : [];
  return names.length === 1 ? (names[0] ?? null) : null;
}

function generationOf(set: JsonObject): string {
  const text = textOf(readStruct(metadataOf(set)['annotations'])[GENERATION]);
  return /^[0-9]{1,15}$/.test(text) ? text : '';
}

/** Replaces the required node affinity, which was checked when the node was chosen. */
function withNode(affinity: JsonObject, node: string): JsonObject {
  const nodeAffinity = readStruct(valueAt(affinity, 'nodeAffinity'));
  const field = { key: NAME_FIELD, operator: 'In', values: [node] };
  const required = { nodeSelectorTerms: [{ matchFields: [field] }] };
  return { ...affinity, nodeAffinity: { ...nodeAffinity, [REQUIRED]: required } };
}

function isSameToleration(a: JsonObject, b: JsonObject): boolean {
  return ['key', 'operator', 'effect', 'value'].every(
    (name) => textAt(a, name) === textAt(b, name),
  );
}
