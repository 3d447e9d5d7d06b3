/**
 * Implements POST pods/binding: binds a pod to a node. A pod that was created without a node gets one in no
 * other way.
 *
 * Only an unbound pod can be bound; schedulers rely on a pod being bound at most once.
 */
import { formatTime } from '../../api/values/time.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ActionAnswer, ActionRequest } from '../objects/action.ts';
import { structAt, textAt } from '../objects/field-path.ts';
import { pods } from '../kinds/core/pods.ts';
import { readList } from '../../api/validation/json-reading.ts';
import { metadataOf, nameOf, textOf, withMetadata } from '../objects/metadata.ts';
import type { Registry } from '../registry/registry.ts';
import { badRequest, conflict, successStatus, unexpected } from '../objects/status.ts';
import { withCondition } from './pod-condition.ts';

const BINDING = { group: '', resource: 'pods/binding' };
const POD = { group: '', resource: 'Pod' };

export async function bindPod(
  registry: Registry,
  clock: Clock,
  { namespace, name, body, user, dryRun }: ActionRequest,
): Promise<ActionAnswer> {
  if (name !== nameOf(body)) throw badRequest('name in URL does not match name in Binding object');
  checkTarget(body);
  const change = (pod: JsonObject): JsonObject => {
    checkPreconditions(pod, body);
    const obstacle = obstacleOf(pod);
    if (obstacle !== undefined) throw conflict(BINDING, name, obstacle);
    return assign(pod, body, formatTime(clock.now()));
  };
  const part = { definition: pods, namespace, name, subresource: 'binding' };
  await registry.update({ ...part, change, user, dryRun, isExempt: true });
  return { code: 201, body: { ...successStatus(), code: 201 } };
}

function checkTarget(binding: JsonObject): void {
  const { kind = '', name = '' } = structAt(binding, 'target');
  const problems: string[] = [];
  if (kind !== '' && kind !== 'Node') {
    const given = JSON.stringify(kind);
    problems.push(`target.kind: Unsupported value: ${given}: supported values: "<empty>", "Node"`);
  }
  if (name === '') problems.push('target.name: Required value');
  if (problems.length === 0) return;
  throw unexpected(problems.length === 1 ? problems.join('') : `[${problems.join(', ')}]`);
}

function checkPreconditions(pod: JsonObject, binding: JsonObject): void {
  const wanted = metadataOf(binding);
  const found = metadataOf(pod);
  for (const [field, word] of [
    ['uid', 'UID'],
    ['resourceVersion', 'ResourceVersion'],
  ] as const) {
    const asked = textOf(wanted[field]);
    if (asked === '' || asked === found[field]) continue;
    const why = `Precondition failed: ${word} in precondition: ${asked}, ${word} in object meta: `;
    throw conflict(POD, nameOf(pod), why + textOf(found[field]));
  }
}

function obstacleOf(pod: JsonObject): string | undefined {
  const name = nameOf(pod);
  const node = textAt(pod, 'spec.nodeName');
  if (metadataOf(pod)['deletionTimestamp'] !== undefined) {
    return `pod ${name} is being deleted, cannot be assigned to a host`;
  }
  if (node !== '') return `pod ${name} is already assigned to node ${JSON.stringify(node)}`;
  const isGated = readList(structAt(pod, 'spec')['schedulingGates']).length > 0;
  return isGated ? `pod ${name} has non-empty .spec.schedulingGates` : undefined;
}

/** The pod with its node and the labels and annotations of the Binding. */
function assign(pod: JsonObject, binding: JsonObject, now: string): JsonObject {
  const { annotations, labels } = metadataOf(binding);
  const { nominatedNodeName: _, ...status } = structAt(pod, 'status');
  const spec = { ...structAt(pod, 'spec'), nodeName: textAt(binding, 'target.name') };
  const bound = withCondition(
    { ...pod, spec, status },
    { type: 'PodScheduled', status: 'True' },
    now,
  );
  return withMetadata(bound, {
    ...(isJsonObject(annotations) && { annotations: merge(bound, 'annotations', annotations) }),
    ...(isJsonObject(labels) && { labels: merge(bound, 'labels', labels) }),
  });
}

function merge(pod: JsonObject, field: string, added: JsonObject): JsonObject {
  return { ...structAt(pod, `metadata.${field}`), ...added };
}
