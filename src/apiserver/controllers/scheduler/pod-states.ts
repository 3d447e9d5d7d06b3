/**
 * Classifies pods for the scheduler (pending, on a node), and decides which changes of pods and nodes matter
 * to it.
 */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { objectsAt, structAt, textAt } from '../../objects/field-path.ts';
import { metadataOf } from '../../objects/metadata.ts';
import type { NodeView } from './cluster.ts';
import { reportedResources } from './pod-amounts.ts';

export const SCHEDULER_NAME = 'default-scheduler';

/** Whether the pod has no node, names this scheduler, and has no scheduling gate. */
export function isPending(pod: JsonObject): boolean {
  return (
    textAt(pod, 'spec.nodeName') === '' &&
    textAt(pod, 'spec.schedulerName') === SCHEDULER_NAME &&
    objectsAt(pod, 'spec.schedulingGates').length === 0 &&
    metadataOf(pod)['deletionTimestamp'] === undefined &&
    !isOver(pod)
  );
}

/** Whether the pod uses capacity of a node. A finished pod does not. */
export function isOnNode(pod: JsonObject): boolean {
  return textAt(pod, 'spec.nodeName') !== '' && !isOver(pod);
}

function isOver(pod: JsonObject): boolean {
  return ['Succeeded', 'Failed'].includes(textAt(pod, 'status.phase'));
}

/** Whether a change does not matter: most changes are in the status, and few of those matter. */
export function isSamePod(pod: JsonObject, before: JsonObject): boolean {
  const [now, then] = [metadataOf(pod), metadataOf(before)];
  return (
    pod['spec'] === before['spec'] &&
    now['labels'] === then['labels'] &&
    now['deletionTimestamp'] === then['deletionTimestamp'] &&
    isOver(pod) === isOver(before) &&
    ['status.nominatedNodeName', 'status.startTime'].every(
      (path) => textAt(pod, path) === textAt(before, path),
    ) &&
    jsonEqual(reportedResources(pod), reportedResources(before))
  );
}

/**
 * A change of the pod itself may make it schedulable; a change of its status, which the scheduler writes,
 * does not.
 */
export function differsInSubstance(pod: JsonObject, before: JsonObject): boolean {
  const hasOtherSpec =
    pod['spec'] !== before['spec'] && !jsonEqual(structAt(pod, 'spec'), structAt(before, 'spec'));
  return hasOtherSpec || differsIn('labels', pod, before);
}

export function differsIn(field: string, object: JsonObject, before: JsonObject): boolean {
  const [now, then] = [metadataOf(object)[field] ?? null, metadataOf(before)[field] ?? null];
  return now !== then && !jsonEqual(now, then);
}

/** Whether a change does not matter, as a heartbeat every few seconds. */
export function isSameNode(node: NodeView, before: NodeView): boolean {
  const shape = ({ labels, taints, isUnschedulable, allocatable }: NodeView): Json => {
    const plain = taints.map(({ key, value, effect }) => [key, value, effect]);
    const amounts = [...allocatable].map(([name, amount]) => [name, String(amount)]);
    return [labels, plain, isUnschedulable, amounts];
  };
  return jsonEqual(shape(node), shape(before));
}
