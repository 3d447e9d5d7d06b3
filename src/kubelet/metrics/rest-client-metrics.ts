/** The metrics of the kubelet's requests to the API server, under the names of client-go. */
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Family } from '../../lib/metrics/family.ts';
import type { Histogram } from '../../lib/metrics/histogram.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { RequestObserver } from '../../ports/observe/request-observer.ts';
import type { Recorder } from './recorder.ts';

export class RestClientMetrics implements RequestObserver {
  /** How far the API server's clock is ahead of this machine's. Null: its answers have no Date header. */
  clockSkewMs: number | null = null;
  readonly #recorder: Recorder;
  readonly #requests: Family<Counter, 'code' | 'method' | 'host'>;
  readonly #durations: Family<Histogram, 'verb' | 'host'>;

  constructor(registry: Registry, recorder: Recorder) {
    this.#recorder = recorder;
    this.#requests = registry.counters({
      name: 'rest_client_requests_total',
      help: '[ALPHA] Number of HTTP requests, partitioned by status code, method, and host.',
      labels: ['code', 'method', 'host'],
    });
    this.#durations = registry.histograms({
      name: 'rest_client_request_duration_seconds',
      help: '[ALPHA] Request latency in seconds. Broken down by verb, and host.',
      labels: ['verb', 'host'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
    });
  }

  serverAhead(ms: number): void {
    this.clockSkewMs = ms;
  }

  answered(host: string, method: string, code: number | null, seconds: number): void {
    // client-go writes this for a request without an answer.
    const text = code === null ? '<error>' : String(code);
    this.#requests.with({ code: text, method, host }).inc();
    this.#recorder.observe(this.#durations.with({ verb: method, host }), seconds);
  }
}
