/** Wraps the sync handlers of pods in spans of an OpenTelemetry tracer. */
import type { Tracer } from '@opentelemetry/api';
import type { PodSync } from '../../ports/pod/pod-sync.ts';
import { syncInSpans } from './pod-spans.ts';
import { runInSpan } from './span.ts';

export function tracePodSync(podSync: PodSync, tracer: Tracer): PodSync {
  return syncInSpans(podSync, (options, work) => runInSpan(tracer, options, work));
}
