/**
 * The questions that the scheduler would have asked, asked again by the node: there may be no
 * scheduler, or the world may have changed since it looked.
 */
import type { Pod } from '../../api/pod.ts';
import { isStaticPod } from '../pod-facts.ts';
import { admissionSpecOf, type AdmissionNode, type AdmissionView } from './admission-view.ts';
import { hasFreePorts } from './host-ports.ts';
import { wantsNode } from './node-affinity.ts';
import type { Rejection } from './rejection.ts';
import { findShortages, type Shortage } from './resource-fit.ts';
import { toleratesNoExecute } from './taints.ts';

export interface PredicateFailures {
  readonly shortages: readonly Shortage[];
  /** What no amount of room would help against. */
  readonly obstacles: readonly Rejection[];
}

const OS_LABEL = 'kubernetes.io/os';
/** A node's labels can be newer than what podkeep knows of them: this one is worth a second look. */
export const NODE_AFFINITY = 'NodeAffinity';

type PredicateView = Pick<AdmissionView, 'pod' | 'others' | 'allocatable' | 'platform'> & {
  readonly node: AdmissionNode;
};

export function findFailures(view: PredicateView): PredicateFailures {
  const { pod, others, allocatable } = view;
  return {
    shortages: findShortages(pod, others, allocatable),
    obstacles: [...findObstacles(view)],
  };
}

export function describeShortage({ resource, requested, used, capacity }: Shortage): Rejection {
  return {
    reason: `OutOf${resource}`,
    message:
      `Node didn't have enough resource: ${resource}, requested: ${requested}, ` +
      `used: ${used}, capacity: ${capacity}`,
  };
}

function* findObstacles({ pod, others, node, platform }: PredicateView): Generator<Rejection> {
  const { name = '', labels } = node.metadata;
  // What the node runs on is known here, whatever its labels say or do not say yet.
  if (!wantsNode(pod, { name, labels: { ...labels, [OS_LABEL]: platform.os } })) {
    yield obstacle(NODE_AFFINITY, "node(s) didn't match Pod's node affinity/selector");
  }
  if (!isMeantFor(pod, name)) {
    yield obstacle('NodeName', "node(s) didn't match the requested node name");
  }
  if (!hasFreePorts(pod, others)) {
    yield obstacle('NodePorts', "node(s) didn't have free ports for the requested pod ports");
  }
  // Whoever put a manifest onto this machine means it.
  const { tolerations } = admissionSpecOf(pod);
  if (!isStaticPod(pod) && !toleratesNoExecute(tolerations, node.spec?.taints)) {
    yield obstacle('TaintToleration', "node(s) had taints that the pod didn't tolerate");
  }
}

function isMeantFor({ spec: { nodeName = '' } }: Pod, name: string): boolean {
  return nodeName === '' || nodeName === name;
}

function obstacle(predicate: string, why: string): Rejection {
  return { reason: predicate, message: `Predicate ${predicate} failed: ${why}` };
}
