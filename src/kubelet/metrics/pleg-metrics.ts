/** The metrics of relists of the PLEG. */
import type { Gauge } from '../../lib/metrics/gauge.ts';
import type { Histogram } from '../../lib/metrics/histogram.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { Recorder } from './recorder.ts';

export class PlegMetrics {
  readonly #recorder: Recorder;
  readonly #durations: Histogram;
  readonly #intervals: Histogram;
  readonly #podDurations: Histogram;
  readonly #lastSeen: Gauge;

  constructor(registry: Registry, recorder: Recorder) {
    this.#recorder = recorder;
    this.#durations = registry.histogram({
      name: 'kubelet_pleg_relist_duration_seconds',
      help: '[ALPHA] Duration in seconds for relisting pods in PLEG.',
    });
    this.#intervals = registry.histogram({
      name: 'kubelet_pleg_relist_interval_seconds',
      help: '[ALPHA] Interval in seconds between relisting in PLEG.',
    });
    this.#podDurations = registry.histogram({
      name: 'kubelet_pleg_pod_relist_duration_seconds',
      help: '[ALPHA] Duration in seconds for relisting a single pod in PLEG.',
    });
    this.#lastSeen = registry.gauge({
      name: 'kubelet_pleg_last_seen_seconds',
      help: '[ALPHA] Timestamp in seconds when PLEG was last seen active.',
    });
  }

  /** A listing of all pods begins; `sincePreviousSeconds` is null for the first. */
  relistBegan(nowSeconds: number, sincePreviousSeconds: number | null): void {
    this.#recorder.set(this.#lastSeen, nowSeconds);
    if (sincePreviousSeconds !== null) {
      this.#recorder.observe(this.#intervals, sincePreviousSeconds);
    }
  }

  relistEnded(seconds: number): void {
    this.#recorder.observe(this.#durations, seconds);
  }

  podRelisted(seconds: number): void {
    this.#recorder.observe(this.#podDurations, seconds);
  }
}
