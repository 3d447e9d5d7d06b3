/**
 * The metrics of alerts. ALERTS is the metric that Prometheus has for its own rules: 1 for each alert that is
 * pending or firing. Labels that rules add are left out, because all series of a metric must have the same
 * label names.
 */
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Family } from '../../lib/metrics/family.ts';
import type { Gauge } from '../../lib/metrics/gauge.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { AlertChange, AlertView } from './alert-view.ts';

type AlertLabel = 'alertname' | 'alertstate' | 'severity' | 'namespace' | 'pod' | 'container';

export class AlertMetrics {
  readonly #alerts: Family<Gauge, AlertLabel>;
  readonly #failures: Family<Counter, 'alertname'>;
  readonly #actions: Family<Counter, 'alertname' | 'action' | 'result'>;
  readonly #dropped: Family<Counter, 'receiver' | 'reason'>;

  constructor(registry: Registry) {
    this.#alerts = registry.gauges({
      name: 'ALERTS',
      help: 'Alerts of this node that are pending or firing.',
      labels: ['alertname', 'alertstate', 'severity', 'namespace', 'pod', 'container'],
    });
    this.#failures = registry.counters({
      name: 'podkeep_alert_rule_evaluation_failures_total',
      help: 'Evaluations of alert rules that failed, by alert.',
      labels: ['alertname'],
    });
    this.#actions = registry.counters({
      name: 'podkeep_alert_actions_total',
      help: 'Actions of alert rules, by what became of them.',
      labels: ['alertname', 'action', 'result'],
    });
    this.#dropped = registry.counters({
      name: 'podkeep_alert_deliveries_dropped_total',
      help: 'Alerts that were not delivered and are not tried again, by receiver and reason.',
      labels: ['receiver', 'reason'],
    });
  }

  changed({ before, after }: AlertChange): void {
    if (isShown(before)) this.#alerts.remove(labelsOf(before));
    if (isShown(after)) this.#alerts.with(labelsOf(after)).set(1);
  }

  evaluationFailed(alertname: string): void {
    this.#failures.with({ alertname }).inc();
  }

  acted(alertname: string, action: string, result: string): void {
    this.#actions.with({ alertname, action, result }).inc();
  }

  deliveryDropped(receiver: string, reason: string, alerts: number): void {
    this.#dropped.with({ receiver, reason }).inc(alerts);
  }
}

function isShown(alert: AlertView | null): alert is AlertView {
  return alert !== null && alert.state !== 'resolved';
}

function labelsOf({ labels, state, severity, alertname }: AlertView) {
  const { namespace = '', pod = '', container = '' } = labels;
  return { alertname, alertstate: state, severity, namespace, pod, container };
}
