/** Metrics of conversion webhooks under kube-apiserver's names. Labels come from definitions, never from requests. */
import { prometheusText } from '../../../lib/metrics/exposition.ts';
import { Registry } from '../../../lib/metrics/registry.ts';
import type { Clock } from '../../../ports/clock.ts';

export type ConversionFailure =
  | 'conversion_webhook_call_failure'
  | 'conversion_webhook_malformed_response_failure'
  | 'conversion_webhook_partial_response_failure'
  | 'conversion_webhook_invalid_converted_object_failure';

/** What was converted. */
export interface ConversionLabels {
  readonly crd: string;
  readonly from: string;
  readonly to: string;
}

const MS_PER_SECOND = 1000;
const CALL_BUCKETS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60];
const CRD_BUCKETS = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);

export class ConversionMetrics {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #registry = new Registry();
  readonly #requests = this.#registry.counters({
    name: 'apiserver_conversion_webhook_request_total',
    help: '[ALPHA] Counter for conversion webhook requests with success/failure and failure error type',
    labels: ['result', 'failure_type'],
  });
  readonly #calls = this.#registry.histograms({
    name: 'apiserver_conversion_webhook_duration_seconds',
    help: '[ALPHA] Conversion webhook request latency',
    labels: ['result', 'failure_type'],
    buckets: CALL_BUCKETS,
  });
  readonly #durations = this.#registry.histograms({
    name: 'apiserver_crd_conversion_webhook_duration_seconds',
    help: '[ALPHA] CRD webhook conversion duration in seconds',
    labels: ['crd_name', 'from_version', 'to_version', 'succeeded'],
    buckets: CRD_BUCKETS,
  });

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Returns the function to call at the end of the call; null: it succeeded. */
  begin({ crd, from, to }: ConversionLabels): (failure: ConversionFailure | null) => void {
    const startMs = this.#clock.monotonic();
    return (failure) => {
      const seconds = (this.#clock.monotonic() - startMs) / MS_PER_SECOND;
      const result = failure === null ? 'success' : 'failure';
      const labels = { result, failure_type: failure ?? '' };
      this.#requests.with(labels).inc();
      this.#calls.with(labels).observe(seconds);
      const succeeded = String(failure === null);
      const versions = { crd_name: crd, from_version: from, to_version: to, succeeded };
      this.#durations.with(versions).observe(seconds);
    };
  }

  text(): string {
    return prometheusText.expose(this.#registry);
  }
}
