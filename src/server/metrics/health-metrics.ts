/** Serves /metrics/slis: the results of the health checks, updated by each request for all checks. */
import { prometheusText } from '../../lib/metrics/exposition.ts';
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Family } from '../../lib/metrics/family.ts';
import type { Gauge } from '../../lib/metrics/gauge.ts';
import { Registry } from '../../lib/metrics/registry.ts';
import type { HealthEndpoint, HealthObserver } from '../../lib/health-report.ts';

export class HealthMetrics implements HealthObserver {
  readonly #registry = new Registry();
  readonly #healthy: Family<Gauge, 'name' | 'type'>;
  readonly #checks: Family<Counter, 'name' | 'type' | 'status'>;

  constructor() {
    this.#healthy = this.#registry.gauges({
      name: 'kubernetes_healthcheck',
      help: '[STABLE] This metric records the result of a single healthcheck.',
      labels: ['name', 'type'],
    });
    this.#checks = this.#registry.counters({
      name: 'kubernetes_healthchecks_total',
      help: '[STABLE] This metric records the results of all healthcheck.',
      labels: ['name', 'type', 'status'],
    });
  }

  checked(name: string, isHealthy: boolean, type: HealthEndpoint): void {
    const status = isHealthy ? 'success' : 'error';
    this.#healthy.with({ name, type }).set(isHealthy ? 1 : 0);
    this.#checks.with({ name, type, status }).inc();
  }

  text(): string {
    return prometheusText.expose(this.#registry);
  }
}
