/** The metrics of when the last graceful shutdown of the node began and ended. Zero: there was none. */
import type { Gauge } from '../../lib/metrics/gauge.ts';
import type { Registry } from '../../lib/metrics/registry.ts';

export class NodeShutdownMetrics {
  readonly #start: Gauge;
  readonly #end: Gauge;

  constructor(registry: Registry) {
    this.#start = registry.gauge({
      name: 'kubelet_graceful_shutdown_start_time_seconds',
      help: '[ALPHA] Last graceful shutdown start time since unix epoch in seconds',
    });
    this.#end = registry.gauge({
      name: 'kubelet_graceful_shutdown_end_time_seconds',
      help: '[ALPHA] Last graceful shutdown end time since unix epoch in seconds',
    });
  }

  /** Milliseconds since 1970. Null: it has not begun, or not ended. */
  shutdownTimes(startMs: number | null, endMs: number | null): void {
    this.#start.set(Math.floor((startMs ?? 0) / 1000));
    this.#end.set(Math.floor((endMs ?? 0) / 1000));
  }
}
