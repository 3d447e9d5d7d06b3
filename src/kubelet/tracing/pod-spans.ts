/**
 * Defines the spans of a pod, for any tracer: one for each run of a sync handler, with the name that
 * Kubernetes' kubelet uses, and one for each status write. Kubernetes' kubelet has no span for status writes;
 * in podkeep this span shows how long a status waited between the sync and the API.
 */
import type { PodReference } from '../../api/pod-reference.ts';
import type { RunInSpan, SpanAttributes } from '../../ports/observe/run-in-span.ts';
import type { PodSync } from '../../ports/pod/pod-sync.ts';

/** OpenTelemetry has no attribute for work that was cancelled. */
export const CANCELLED_ATTRIBUTE = 'podkeep.cancelled';

/** The names are those of OpenTelemetry and the kubelet. */
export function attributesOf({ uid, name, namespace }: Partial<PodReference>): SpanAttributes {
  return {
    'k8s.pod.uid': uid,
    'k8s.pod': namespace === undefined ? name : `${namespace}/${name}`,
    'k8s.pod.name': name,
    'k8s.namespace.name': namespace,
  };
}

export function syncInSpans(podSync: PodSync, run: RunInSpan): PodSync {
  return {
    syncPod(request, signal) {
      const attributes = attributesOf(request.pod.metadata);
      // Set, not spread: a spread copy costs more than all the rest without an SDK.
      attributes['k8s.pod.update_type'] = request.updateType;
      return run({ name: 'syncPod', attributes, signal }, () => podSync.syncPod(request, signal));
    },
    syncTerminatingPod(request, signal) {
      const attributes = attributesOf(request.pod.metadata);
      return run({ name: 'syncTerminatingPod', attributes, signal }, () =>
        podSync.syncTerminatingPod(request, signal),
      );
    },
    syncTerminatingRuntimePod(pod, signal) {
      const attributes = attributesOf(pod);
      return run({ name: 'syncTerminatingRuntimePod', attributes, signal }, () =>
        podSync.syncTerminatingRuntimePod(pod, signal),
      );
    },
    syncTerminatedPod(request, signal) {
      const attributes = attributesOf(request.pod.metadata);
      return run({ name: 'syncTerminatedPod', attributes, signal }, () =>
        podSync.syncTerminatedPod(request, signal),
      );
    },
  };
}

/**
 * The span begins a new trace: the status writer writes for many pods in one run, and the span that is active
 * then may belong to the sync of another pod.
 */
export function writeInSpan<Result>(
  run: RunInSpan,
  pod: PodReference,
  write: () => Promise<Result>,
): Promise<Result> {
  return run({ name: 'writePodStatus', attributes: attributesOf(pod), isRoot: true }, write);
}
