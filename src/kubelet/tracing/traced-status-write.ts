/**
 * A status on its way to the API, as a span. The kubelet has none; here it shows what a pod's news
 * waited for between the sync that found them and the API that knows them.
 */
import type { Tracer } from '@opentelemetry/api';
import type { PodReference } from '../../ports/pod-reference.ts';
import { attributesOf, runInSpan } from './span.ts';

export function traceStatusWrite<Result>(
  tracer: Tracer,
  pod: PodReference,
  write: () => Promise<Result>,
): Promise<Result> {
  return runInSpan(tracer, { name: 'writePodStatus', attributes: attributesOf(pod) }, write);
}
