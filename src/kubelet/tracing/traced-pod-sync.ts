/**
 * The four recipes of a pod, each call of them a span under the name that the kubelet gives it.
 */
import type { Tracer } from '@opentelemetry/api';
import type { PodSync } from '../../ports/pod-sync.ts';
import { attributesOf, runInSpan } from './span.ts';

export function tracePodSync(podSync: PodSync, tracer: Tracer): PodSync {
  return {
    syncPod(request, signal) {
      const attributes = attributesOf(request.pod.metadata);
      // Set, not spread: a spread copy costs more than all the rest when nobody traces.
      attributes['k8s.pod.update_type'] = request.updateType;
      return runInSpan(tracer, { name: 'syncPod', attributes, signal }, () =>
        podSync.syncPod(request, signal),
      );
    },
    syncTerminatingPod(request, signal) {
      const attributes = attributesOf(request.pod.metadata);
      return runInSpan(tracer, { name: 'syncTerminatingPod', attributes, signal }, () =>
        podSync.syncTerminatingPod(request, signal),
      );
    },
    syncTerminatingRuntimePod(pod, signal) {
      const attributes = attributesOf(pod);
      return runInSpan(tracer, { name: 'syncTerminatingRuntimePod', attributes, signal }, () =>
        podSync.syncTerminatingRuntimePod(pod, signal),
      );
    },
    syncTerminatedPod(request, signal) {
      const attributes = attributesOf(request.pod.metadata);
      return runInSpan(tracer, { name: 'syncTerminatedPod', attributes, signal }, () =>
        podSync.syncTerminatedPod(request, signal),
      );
    },
  };
}
