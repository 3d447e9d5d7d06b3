/**
 * Repeats the scheduler's checks on the node (resources, affinity, name, ports, taints): the cluster may have
 * no scheduler, or the node may have changed since the pod was scheduled.
 */
import type { Pod } from '../../api/pod.ts';
import { isStaticPod } from '../pod/pod-facts.ts';
import { admissionSpecOf, type AdmissionNode, type AdmissionView } from './admission-view.ts';
import { findPortClash, type PortClash } from './host-ports.ts';
import { wantsNode } from './node-affinity.ts';
import type { Rejection } from './rejection.ts';
import { findShortages, type Shortage } from './resource-fit.ts';
import { toleratesNoExecute } from './taints.ts';

export interface PredicateFailures {
  readonly shortages: readonly Shortage[];
  /** Failures that no preemption can remove. */
  readonly obstacles: readonly Rejection[];
}

const OS_LABEL = 'kubernetes.io/os';
/** The node's labels can be newer than podkeep's copy: a rejection by this predicate is worth a retry. */
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
  // The operating system is known here, whatever the label says or does not say yet.
  if (!wantsNode(pod, { name, labels: { ...labels, [OS_LABEL]: platform.os } })) {
    yield obstacle(NODE_AFFINITY, "node(s) didn't match Pod's node affinity/selector");
  }
  if (!isMeantFor(pod, name)) {
    yield obstacle('NodeName', "node(s) didn't match the requested node name");
  }
  const { sharesNetwork = false } = platform;
  const clash = findPortClash(pod, others, sharesNetwork);
  if (clash) {
    const whose = sharesNetwork ? `: ${describeClash(clash)}` : '';
    const taken = "node(s) didn't have free ports for the requested pod ports";
    yield obstacle('NodePorts', `${taken}${whose}`);
  }
  // A manifest on this machine is deliberate: static pods ignore taints.
  const { tolerations } = admissionSpecOf(pod);
  if (!isStaticPod(pod) && !toleratesNoExecute(tolerations, node.spec?.taints)) {
    yield obstacle('TaintToleration', "node(s) had taints that the pod didn't tolerate");
  }
}

/** Where pods share the machine's network, names the pod that has the port; the kubelet does not. */
function describeClash({ port, protocol, other: { metadata } }: PortClash): string {
  const other = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  return (
    `port ${port}/${protocol} is taken by pod ${other}, and pods share the network of the machine ` +
    'here; choose another port, or start podkeep as root to give each pod its own'
  );
}

function isMeantFor({ spec: { nodeName = '' } }: Pod, name: string): boolean {
  return nodeName === '' || nodeName === name;
}

function obstacle(predicate: string, why: string): Rejection {
  return { reason: predicate, message: `Predicate ${predicate} failed: ${why}` };
}
