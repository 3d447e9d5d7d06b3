/** Admission and allocation, joined for a kubelet: who is let in, and with what (KL-59, E-3). */
import type { Pod } from '../../api/pod.ts';
import type { AdmissionNode } from '../../core/admission/admission-view.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import { AllocationManager } from '../allocation/allocation-manager.ts';
import type { AllocationRoom, NodeView } from '../allocation/allocation-room.ts';
import type { AdmissionRoom, KubeletAdmission } from '../kubelet-options.ts';
import { activePods } from '../main-loop/active-pods.ts';
import type { KubeletMetrics } from '../metrics/kubelet-metrics.ts';
import { podReferenceOf } from '../pod-runner/run-spec.ts';
import { NodeAdmission } from './node-admission.ts';

export interface KubeletAdmissionOptions extends Pick<AllocationRoom, 'store' | 'clock' | 'log'> {
  readonly events: EventRecorder;
  readonly metrics: KubeletMetrics;
  readonly node: NodeView;
  /** Reads the node anew; absent: there is nothing newer to read. */
  readonly readNode?: () => Promise<AdmissionNode | null>;
}

export function createKubeletAdmission(
  options: KubeletAdmissionOptions,
  room: AdmissionRoom,
): KubeletAdmission {
  const { metrics, events, log, readNode } = options;
  const { status, sync } = room;
  const allocations = new AllocationManager({
    ...options,
    ...room,
    observer: {
      resizeRequested: (change) => metrics.resizes.resizeRequested(change),
      resizeRefused: (detail) => metrics.resizes.resizeRefused(detail),
      deferredResizeAccepted: (trigger) => metrics.resizes.deferredResizeAccepted(trigger),
      podPreempted: (resource) => metrics.admission.podPreempted(resource),
    },
    activePods: () => activePods(room),
    syncPod: (pod) => sync(podReferenceOf(pod).uid),
  });
  const podRejected = (reason: string): void => metrics.admission.podRejected(reason);
  const more = readNode && { readNode };
  const door = new NodeAdmission({ allocations, status, events, log, podRejected, ...more });
  const leave = status.subscribe(allocations);
  allocations.start();
  return {
    admit: (pod) => door.admit(pod),
    kept: (pod) => door.kept(pod),
    changed: (before, pod) => door.changed(before, pod),
    removed: (pod) => door.removed(pod),
    allocated: (pod: Pod) => allocations.updatePodFromAllocation(pod),
    keepOnly: (uids) => allocations.removeOrphanedPods(uids),
    stop: () => {
      leave();
      allocations.stop();
    },
  };
}
