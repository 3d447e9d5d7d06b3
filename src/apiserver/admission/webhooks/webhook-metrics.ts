/**
 * Webhook metrics with kube-apiserver's names. Label values come from webhook configurations, never from
 * requests, so their number is bounded.
 */
import { Registry } from '../../../lib/metrics/registry.ts';
import { prometheusText } from '../../../lib/metrics/exposition.ts';
import type { Clock } from '../../../ports/clock.ts';

export type CallOutcome =
  | 'calling_webhook_error'
  | 'apiserver_internal_error'
  /** The webhook refused. */
  | 'no_error'
  /** The webhook failed, and its failure policy is Ignore. */
  | 'fail_open';

const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
const MS_PER_SECOND = 1000;

export class WebhookMetrics {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #registry = new Registry();
  readonly #durations = this.#registry.histograms({
    name: 'apiserver_admission_webhook_admission_duration_seconds',
    help: '[STABLE] Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    labels: ['name', 'type', 'operation', 'rejected'],
    buckets: BUCKETS,
  });
  readonly #requests = this.#registry.counters({
    name: 'apiserver_admission_webhook_request_total',
    help: '[ALPHA] Admission webhook request total, identified by name and broken out for each admission type (validating or mutating) and operation.',
    labels: ['name', 'type', 'operation', 'code', 'rejected'],
  });
  readonly #rejections = this.#registry.counters({
    name: 'apiserver_admission_webhook_rejection_count',
    help: '[ALPHA] Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation.',
    labels: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
  });
  readonly #failOpen = this.#registry.counters({
    name: 'apiserver_admission_webhook_fail_open_count',
    help: '[ALPHA] Admission webhook fail open count, identified by name and broken out for each admission type (validating or mutating).',
    labels: ['name', 'type'],
  });

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Returns the function to call at the end of the call. */
  begin(
    name: string,
    type: 'admit' | 'validating',
    operation: string,
  ): (outcome: CallOutcome | null, code: number) => void {
    const startMs = this.#clock.monotonic();
    return (outcome, code) => {
      const seconds = (this.#clock.monotonic() - startMs) / MS_PER_SECOND;
      const rejected = String(outcome !== null && outcome !== 'fail_open');
      this.#durations.with({ name, type, operation, rejected }).observe(seconds);
      this.#requests.with({ name, type, operation, code: String(code), rejected }).inc();
      if (outcome === 'fail_open') this.#failOpen.with({ name, type }).inc();
      else if (outcome !== null) {
        const rejection = { error_type: outcome, rejection_code: String(code) };
        this.#rejections.with({ name, type, operation, ...rejection }).inc();
      }
    };
  }

  text(): string {
    return prometheusText.expose(this.#registry);
  }
}
