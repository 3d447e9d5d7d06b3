/**
 * One piece of work on a pod as a span: from its start to its end, and how it ended.
 *
 *   done        the span says nothing more, as OpenTelemetry wants it
 *   failed      status error, with the exception
 *   cancelled   marked as such. It was overtaken, which is no failure: nobody should be woken for it
 *
 * A failure is called cancelled exactly if the pod worker calls it so. While the work runs its span
 * is the active one, so requests and runtime calls made meanwhile hang below it.
 *
 * Without an SDK the API hands out spans that belong to no trace, and then the work is simply done.
 * Tracing never changes what the work returns or throws.
 */
import { context, isSpanContextValid, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Span, Tracer } from '@opentelemetry/api';
import type { PodReference } from '../../ports/pod-reference.ts';
import { messageOf, outcomeOf } from '../pod-workers/outcome.ts';

/** OpenTelemetry has no word for it. */
export const CANCELLED_ATTRIBUTE = 'podkeep.cancelled';

export interface SpanOptions {
  readonly name: string;
  readonly attributes: Attributes;
  /** The one that cancels the work, if there is one. */
  readonly signal?: AbortSignal;
}

const NEVER_ABORTED = new AbortController().signal;

export async function runInSpan<Result>(
  tracer: Tracer,
  { name, attributes, signal = NEVER_ABORTED }: SpanOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const span = tracer.startSpan(name, { attributes });
  // A span that is only not sampled does belong to a trace, and whoever is called must hear of it.
  if (!isSpanContextValid(span.spanContext())) return work();
  return context.with(trace.setSpan(context.active(), span), async () => {
    try {
      return await work();
    } catch (error) {
      markEnd(span, error, signal);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The names are OpenTelemetry's, and the kubelet's. */
export function attributesOf(pod: Partial<PodReference>): Attributes {
  return {
    'k8s.pod.uid': pod.uid,
    'k8s.pod.name': pod.name,
    'k8s.namespace.name': pod.namespace,
  };
}

function markEnd(span: Span, error: unknown, signal: AbortSignal): void {
  // The time matters to back-offs alone, and those are no question here.
  if (outcomeOf(error, signal, 0).kind === 'cancelled') {
    span.setAttribute(CANCELLED_ATTRIBUTE, true);
    return;
  }
  const message = messageOf(error);
  span.recordException(error instanceof Error ? error : message);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
