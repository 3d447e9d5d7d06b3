/**
 * kube-apiserver's metrics of requests, watches and the store, under its names, labels and buckets.
 *
 *     begin ──> finish(answer) ──> counted; a streamed body is counted when it has ended
 *                    └── a watch: `watch` counts it when it has ended, as kube-apiserver does
 *
 * Invariants:
 *   1. Labels come from the catalog, never from a client alone: an unknown resource, subresource or method
 *      cannot create a metric.
 *   2. Every request is counted once.
 */
import { prometheusText } from '../../lib/metrics/exposition.ts';
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Histogram } from '../../lib/metrics/histogram.ts';
import { Registry } from '../../lib/metrics/registry.ts';
import type { ApiRequest, ApiResponse } from '../../ports/api/http-handler.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import { withEnd } from '../flow/stream-end.ts';
import type { KindDefinition } from '../objects/kind.ts';
import type { Catalog } from '../registry/catalog.ts';
import { prefixOf } from '../registry/registry.ts';
import { labelsOfRequest, type RequestLabels } from './request-labels.ts';

const WHERE = [
  'verb',
  'group',
  'version',
  'resource',
  'subresource',
  'scope',
  'component',
] as const;
const DURATION_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45,
  60,
];
const SIZE_BUCKETS = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const READS: ReadonlySet<string> = new Set(['GET', 'LIST', 'WATCH']);

export interface RequestMetricsDeps {
  readonly clock: Clock;
  readonly catalog: Catalog;
  readonly store: ObjectStore;
}

export class RequestMetrics {
  readonly #deps: RequestMetricsDeps;
  readonly #registry = new Registry();
  readonly #requests = this.#registry.counters({
    name: 'apiserver_request_total',
    help: '[STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
    labels: [...WHERE, 'dry_run', 'code'],
  });
  readonly #durations = this.#registry.histograms({
    name: 'apiserver_request_duration_seconds',
    help: '[STABLE] Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
    labels: [...WHERE, 'dry_run'],
    buckets: DURATION_BUCKETS,
  });
  readonly #sizes = this.#registry.histograms({
    name: 'apiserver_response_sizes',
    help: '[STABLE] Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.',
    labels: WHERE,
    buckets: SIZE_BUCKETS,
  });
  readonly #longRunning = this.#registry.gauges({
    name: 'apiserver_longrunning_requests',
    help: '[STABLE] Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.',
    labels: WHERE,
  });
  readonly #inFlight = this.#registry.gauges({
    name: 'apiserver_current_inflight_requests',
    help: '[STABLE] Number of requests per request kind that are being answered now (kube-apiserver: the maximum of the last second).',
    labels: ['request_kind'],
  });
  readonly #watchEvents = this.#registry.counters({
    name: 'apiserver_watch_events_total',
    help: '[ALPHA] Number of events sent in watch clients',
    labels: ['group', 'version', 'resource'],
  });
  readonly #objects = this.#registry.gauges({
    name: 'apiserver_resource_objects',
    help: '[ALPHA] Number of stored objects at the time of last check split by kind.',
    labels: ['group', 'resource'],
  });
  readonly #known = new Map<string, Counted>();
  readonly #kinds = {
    readOnly: this.#inFlight.with({ request_kind: 'readOnly' }),
    mutating: this.#inFlight.with({ request_kind: 'mutating' }),
  };

  constructor(deps: RequestMetricsDeps) {
    this.#deps = deps;
  }

  begin(request: ApiRequest): (answer: ApiResponse) => ApiResponse {
    const { clock, catalog } = this.#deps;
    const labels = labelsOfRequest(request, catalog);
    const startMs = clock.monotonic();
    const isLong = labels.where.verb === 'WATCH' || labels.where.verb === 'CONNECT';
    const kind = this.#kinds[READS.has(labels.where.verb) ? 'readOnly' : 'mutating'];
    const gauge = labels.where.verb === 'CONNECT' ? this.#longRunning.with(labels.where) : null;
    if (!isLong) kind.add(1);
    gauge?.add(1);
    return (answer) => {
      if (!isLong) kind.add(-1);
      // A watch is counted when it has ended.
      if (labels.where.verb === 'WATCH' && answer.status === 200) return answer;
      return withEndOnce(answer, () => {
        gauge?.add(-1);
        this.#count(labels, answer, startMs);
      });
    };
  }

  /** Called when a watch has begun. Returns the function to call at its end. */
  watch(request: ApiRequest): () => void {
    const { clock, catalog } = this.#deps;
    const labels = labelsOfRequest(request, catalog);
    const startMs = clock.monotonic();
    const gauge = this.#longRunning.with(labels.where);
    gauge.add(1);
    return once(() => {
      gauge.add(-1);
      this.#count(labels, { status: 200, headers: [], body: null }, startMs);
    });
  }

  /** Called when a connection was upgraded. Returns the function to call at its end. */
  upgraded(request: ApiRequest): () => void {
    const finish = this.begin(request);
    return once(() => void finish({ status: 101, headers: [], body: null }));
  }

  watchEvents({ group, version, resource }: KindDefinition, count: number): void {
    this.#watchEvents.with({ group, version, resource }).inc(count);
  }

  /** The current values. */
  text(): string {
    const { catalog, store } = this.#deps;
    this.#objects.reset();
    for (const definition of catalog.all()) {
      const { group, resource } = definition;
      const { objects, remaining } = store.list(prefixOf(definition, ''), { limit: 1 });
      this.#objects.with({ group, resource }).set(objects.length + remaining);
    }
    return prometheusText.expose(this.#registry);
  }

  #count({ where, dryRun }: RequestLabels, { status, body }: ApiResponse, startMs: number): void {
    const seconds = Math.max(0, this.#deps.clock.monotonic() - startMs) / 1000;
    const found = this.#metricsOf(where, dryRun);
    let counter = found.codes.get(status);
    if (!counter) {
      counter = this.#requests.with({ ...where, dry_run: dryRun, code: String(status) });
      found.codes.set(status, counter);
    }
    counter.inc();
    found.duration.observe(seconds);
    // Streams, and objects for clients in this process, have no length.
    const isSized = typeof body === 'string' || body instanceof Uint8Array;
    if (isSized && (where.verb === 'GET' || where.verb === 'LIST')) {
      found.size ??= this.#sizes.with(where);
      found.size.observe(body.length);
    }
  }

  /** Cached by one key, because looking up nine labels costs more than everything else. */
  #metricsOf(where: RequestLabels['where'], dryRun: string): Counted {
    const { verb, group, version, resource, subresource, scope } = where;
    const key = `${verb} ${group} ${version} ${resource} ${subresource} ${scope} ${dryRun}`;
    let found = this.#known.get(key);
    if (!found) {
      found = {
        codes: new Map(),
        duration: this.#durations.with({ ...where, dry_run: dryRun }),
        size: null,
      };
      this.#known.set(key, found);
    }
    return found;
  }
}

interface Counted {
  readonly codes: Map<number, Counter>;
  readonly duration: Histogram;
  size: Histogram | null;
}

function withEndOnce(answer: ApiResponse, onEnd: () => void): ApiResponse {
  if (answer.body instanceof ReadableStream) return withEnd(answer, once(onEnd));
  onEnd();
  return answer;
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
