/** Wraps a status write in a span of an OpenTelemetry tracer. */
import type { Tracer } from '@opentelemetry/api';
import type { PodReference } from '../../api/pod-reference.ts';
import { writeInSpan } from './pod-spans.ts';
import { runInSpan } from './span.ts';

export function traceStatusWrite<Result>(
  tracer: Tracer,
  pod: PodReference,
  write: () => Promise<Result>,
): Promise<Result> {
  return writeInSpan((options, work) => runInSpan(tracer, options, work), pod, write);
}
