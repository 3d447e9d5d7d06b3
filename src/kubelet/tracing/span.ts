/**
 * Runs work on a pod, such as a sync, in an OpenTelemetry span that records its duration and its outcome.
 *
 *   done        no status, as OpenTelemetry recommends
 *   failed      status error, with the exception
 *   cancelled   an attribute instead of an error: newer work replaced it, which must not cause an alert
 *
 * The pod worker's rule decides which errors count as cancelled. While the work runs, its span is active, so
 * requests and runtime calls become its children.
 *
 * Without an SDK, the OpenTelemetry API returns spans without a trace, and the work just runs. Tracing never
 * changes the result or the error of the work.
 */
import { context, isSpanContextValid, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Span, Tracer } from '@opentelemetry/api';
import type { SpanOptions } from '../../ports/observe/run-in-span.ts';
import { messageOf, outcomeOf } from '../pod-workers/outcome.ts';
import { CANCELLED_ATTRIBUTE } from './pod-spans.ts';

const NEVER_ABORTED = new AbortController().signal;

export async function runInSpan<Result>(
  tracer: Tracer,
  { name, attributes, signal = NEVER_ABORTED }: Omit<SpanOptions, 'kind' | 'isRoot'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const span = tracer.startSpan(name, { attributes });
  // A span that is only not sampled still belongs to a trace, which must be propagated.
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

function markEnd(span: Span, error: unknown, signal: AbortSignal): void {
  // The time matters only to back-offs, which are not used here.
  if (outcomeOf(error, signal, 0).kind === 'cancelled') {
    span.setAttribute(CANCELLED_ATTRIBUTE, true);
    return;
  }
  const message = messageOf(error);
  span.recordException(error instanceof Error ? error : message);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
