/**
 * Rejects a pod if the machine or its runtime lacks what the pod needs: the operating system, strict
 * supplemental groups, pod-level resources, or declared node features.
 */
import type { Pod } from '../../api/pod.ts';
import { admissionSpecOf, type AdmissionNode, type AdmissionView } from './admission-view.ts';
import type { Rejection } from './rejection.ts';

const OS_LABEL = 'kubernetes.io/os';

/** Compares the OS with the labels of the pod itself, not with its node selector, as the kubelet does. */
export function rejectOtherOs({ pod, platform: { os } }: AdmissionView): Rejection | null {
  const label = pod.metadata.labels?.[OS_LABEL];
  if (label !== undefined && label !== os) {
    return {
      reason: 'PodOSSelectorNodeLabelDoesNotMatch',
      message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    };
  }
  const field = admissionSpecOf(pod).os?.name;
  if (field !== undefined && field !== os) {
    return {
      reason: 'PodOSNotSupported',
      message: "Failed to admit pod as the OS field doesn't match node OS",
    };
  }
  return null;
}

export function rejectStrictGroups(pod: Pod, { status }: AdmissionNode): Rejection | null {
  const { supplementalGroupsPolicy } = admissionSpecOf(pod).securityContext ?? {};
  if (supplementalGroupsPolicy !== 'Strict') return null;
  if (status?.features?.supplementalGroupsPolicy === true) return null;
  return {
    reason: 'SupplementalGroupsPolicyNotSupported',
    message: 'SupplementalGroupsPolicy=Strict is not supported in this node',
  };
}

/** Pod-level resources need cgroups, which only Linux has. */
export function rejectPodLevelResources({ pod, platform: { os } }: AdmissionView) {
  if (os === 'linux' || !hasPodLevelResources(pod)) return null;
  return {
    reason: 'PodLevelResourcesNotSupported',
    message: `pod-level resources are not supported on ${os === 'windows' ? 'Windows' : 'the node'}`,
  };
}

/**
 * Rejects a pod that needs features which this node does not declare. The message lists them in alphabetical
 * order.
 */
export function rejectMissingFeatures({ pod, platform }: AdmissionView): Rejection | null {
  const missing = [...neededFeatures(pod)].filter((name) => !platform.declaredFeatures.has(name));
  if (missing.length === 0) return null;
  return {
    reason: 'PodFeatureUnsupported',
    message: `Pod requires node features that are not available: ${missing.join(', ')}`,
  };
}

function* neededFeatures(pod: Pod): Generator<string> {
  const { containers, initContainers = [], hostNetwork, hostUsers } = admissionSpecOf(pod);
  const rules = [...containers, ...initContainers].flatMap((one) => one.restartPolicyRules ?? []);
  if (rules.some(({ action }) => action === 'RestartAllContainers')) {
    yield 'RestartAllContainersOnContainerExits';
  }
  if (hostNetwork === true && hostUsers === false) yield 'UserNamespacesHostNetworkSupport';
}

function hasPodLevelResources({ spec: { resources } }: Pod): boolean {
  return [resources?.requests, resources?.limits].some((list) =>
    Object.keys(list ?? {}).some(
      (name) => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-'),
    ),
  );
}
