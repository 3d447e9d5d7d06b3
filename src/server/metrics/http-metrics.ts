/**
 * Counts the requests to the kubelet's server and measures their duration, with the metric names of
 * Kubernetes' kubelet. A request lasts until its last byte is sent: a log that is followed for an hour takes
 * an hour.
 */
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Family } from '../../lib/metrics/family.ts';
import type { Gauge } from '../../lib/metrics/gauge.ts';
import type { Histogram } from '../../lib/metrics/histogram.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';

type Label = 'method' | 'path' | 'server_type' | 'long_running';

const LABELS: readonly Label[] = ['method', 'path', 'server_type', 'long_running'];
const METHODS: ReadonlySet<string> = new Set(
  'OPTIONS GET HEAD POST PUT DELETE TRACE CONNECT'.split(' '),
);
/**
 * Paths with their own label value. All others are `other`, so that requests for unknown paths do not create
 * new metrics.
 */
const PATHS: ReadonlySet<string> = new Set([
  ...['healthz', 'livez', 'readyz', 'pods', 'stats', 'metrics', 'run', 'exec', 'attach'],
  ...['portForward', 'containerLogs', 'configz', 'runningpods', 'logs', 'debug', 'flagz'],
  ...['statusz', 'podkeep'],
  ...['metrics/cadvisor', 'metrics/probes', 'metrics/resource'],
]);
const LONG_RUNNING: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'debug']);

export class HttpMetrics {
  readonly #clock: Clock;
  readonly #requests: Family<Counter, Label>;
  readonly #inFlight: Family<Gauge, Label>;
  readonly #durations: Family<Histogram, Label>;

  constructor(registry: Registry, clock: Clock) {
    this.#clock = clock;
    this.#requests = registry.counters({
      name: 'kubelet_http_requests_total',
      help: '[ALPHA] Number of the http requests received since the server started',
      labels: LABELS,
    });
    this.#inFlight = registry.gauges({
      name: 'kubelet_http_inflight_requests',
      help: '[ALPHA] Number of the inflight http requests',
      labels: LABELS,
    });
    this.#durations = registry.histograms({
      name: 'kubelet_http_requests_duration_seconds',
      help: '[ALPHA] Duration in seconds to serve http requests',
      labels: LABELS,
    });
  }

  /** Returns a function that ends the request; further calls do nothing. */
  begin(method: string, path: string): () => void {
    const bucket = bucketOf(path);
    const labels = {
      method: METHODS.has(method) ? method : 'other',
      path: bucket,
      server_type: 'readwrite',
      long_running: String(LONG_RUNNING.has(bucket)),
    };
    const startMs = this.#clock.monotonic();
    const inFlight = this.#inFlight.with(labels);
    this.#requests.with(labels).inc();
    inFlight.add(1);
    let isOver = false;
    return () => {
      // A client that disconnects during a read ends the request twice.
      if (isOver) return;
      isOver = true;
      inFlight.add(-1);
      this.#durations.with(labels).observe((this.#clock.monotonic() - startMs) / 1000);
    };
  }
}

function bucketOf(path: string): string {
  const [first = '', second] = path.split('/').slice(1);
  const root = first === 'metrics' && second !== undefined ? `${first}/${second}` : first;
  return PATHS.has(root) ? root : 'other';
}

/** Calls `ended` when the body has been sent or the client has disconnected. */
export function whenSent(response: ApiResponse, ended: () => void): ApiResponse {
  const { body } = response;
  if (!(body instanceof ReadableStream)) {
    ended();
    return response;
  }
  const reader = body.getReader();
  const watched = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        // The body may fail while the client does not read; `ended` must not wait for the client then.
        reader.closed.catch((error: unknown) => {
          ended();
          controller.error(error);
        });
      },
      pull: async (controller) => {
        const next = await reader.read().catch((error: unknown) => {
          ended();
          throw error;
        });
        if (!next.done) return controller.enqueue(next.value);
        ended();
        controller.close();
      },
      cancel: async (reason: unknown) => {
        ended();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return { ...response, body: watched };
}
