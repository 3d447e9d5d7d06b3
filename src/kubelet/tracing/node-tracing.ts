/**
 * Sets up the traces of a node: spans of pod syncs, status writes and runtime calls, exported by OTLP over
 * HTTP. Loaded only if the configuration has `tracing` with a sampling rate.
 */
import { isGrpcPort, otlpTracesUrl } from '../../core/tracing/otlp-endpoint.ts';
import { otlpTraces } from '../../core/tracing/otlp-json.ts';
import { assert } from '../../lib/assert.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HttpPost } from '../../ports/http-post.ts';
import type { Log } from '../../ports/log.ts';
import type { IdentityRandom } from '../../ports/random.ts';
import type { PodSync } from '../../ports/pod/pod-sync.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import { NodeTracer } from './node-tracer.ts';
import { syncInSpans, writeInSpan } from './pod-spans.ts';
import { SpanExporter } from './span-exporter.ts';
import { SpanMetrics } from './span-metrics.ts';
import { tracedRuntime } from './traced-runtime.ts';

export interface NodeTracingOptions {
  readonly clock: Clock;
  readonly random: IdentityRandom;
  readonly log: Log;
  readonly post: HttpPost;
  readonly registry: Registry;
  readonly nodeName: string;
  /** podkeep's version. */
  readonly version: string;
  readonly endpoint: string;
  readonly samplingRatePerMillion: number;
  /** The runtime is called by gRPC. */
  readonly isRemote: boolean;
}

export interface NodeTracing {
  /** To be passed to the kubelet. */
  readonly around: {
    readonly aroundSync: (podSync: PodSync) => PodSync;
    readonly aroundWrite: (pod: PodReference, write: () => Promise<void>) => Promise<void>;
    readonly aroundRuntime: (runtime: PodRuntime) => PodRuntime;
  };
  /** Exports the queued spans. Resolves after two seconds at the latest. */
  close(): Promise<void>;
}

export function openNodeTracing(options: NodeTracingOptions): NodeTracing {
  const { clock, random, log, post, samplingRatePerMillion, isRemote } = options;
  const url = otlpTracesUrl(options.endpoint);
  assert(url !== null, 'the configuration was checked');
  if (isGrpcPort(url)) {
    log.warn('Port 4317 is that of OTLP over gRPC; podkeep exports spans over HTTP', { url });
  }
  const resource = {
    // As the kubelet names itself.
    attributes: { 'service.name': 'kubelet', 'host.name': options.nodeName },
    scope: { name: 'podkeep', version: options.version },
  };
  const exporter = new SpanExporter({
    clock,
    random,
    log,
    post,
    url,
    encode: (spans) => JSON.stringify(otlpTraces(spans, resource)),
    metrics: new SpanMetrics(options.registry),
  });
  const { run } = new NodeTracer({
    clock,
    random,
    samplingRatePerMillion,
    ended: (span) => exporter.add(span),
  });
  return {
    around: {
      aroundSync: (podSync) => syncInSpans(podSync, run),
      aroundWrite: (pod, write) => writeInSpan(run, pod, write),
      aroundRuntime: (runtime) => tracedRuntime(runtime, { run, isRemote }),
    },
    close: () => exporter.close(),
  };
}
