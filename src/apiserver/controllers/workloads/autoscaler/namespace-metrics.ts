/**
 * Reads the PodMetrics of a namespace from the metrics API, once for all autoscalers that ask within a
 * second: metrics change only every 15 seconds, and many autoscalers sync at the same time.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import { messageOf } from '../shared/pod-control.ts';

type Figures = readonly JsonObject[] | string;

const SHARED_MS = 1000;
const NO_METRICS_API =
  'unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)';

export class NamespaceMetrics {
  readonly #parts: Pick<ServerParts, 'catalog' | 'clock'>;
  readonly #read = new Map<string, Promise<Figures>>();
  #sinceMs = -Infinity;

  constructor(parts: Pick<ServerParts, 'catalog' | 'clock'>) {
    this.#parts = parts;
  }

  /** A string: the reason why there are no metrics. */
  in(namespace: string): Promise<Figures> {
    const nowMs = this.#parts.clock.monotonic();
    if (nowMs - this.#sinceMs >= SHARED_MS) {
      this.#read.clear();
      this.#sinceMs = nowMs;
    }
    const known = this.#read.get(namespace);
    if (known) return known;
    const reading = this.#figuresOf(namespace);
    this.#read.set(namespace, reading);
    return reading;
  }

  async #figuresOf(namespace: string): Promise<Figures> {
    const kind = this.#parts.catalog.find('metrics.k8s.io', 'v1beta1', 'pods');
    if (!kind?.made) return NO_METRICS_API;
    try {
      return await kind.made({ namespace, name: null });
    } catch (error) {
      return `unable to fetch metrics from resource metrics API: ${messageOf(error)}`;
    }
  }
}
