/**
 * An alert as the metric, Events, the query API and receivers show it. Its texts are limited in length
 * (alert-text.ts).
 */
import type { PodReference } from '../../api/pod-reference.ts';
import type { JsonObject } from '../../lib/json.ts';

export interface AlertView {
  /** The same for the same rule and subject, as long as this process runs. */
  readonly key: string;
  readonly ruleId: string;
  readonly alertname: string;
  readonly severity: string;
  readonly state: 'pending' | 'firing' | 'resolved';
  /** Null: the node. */
  readonly pod: PodReference | null;
  /** Null: the alert is not about a single container. */
  readonly container: string | null;
  /** Includes alertname, severity, and the labels that identify the subject. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly activeAtMs: number;
  /** Null: it has not fired yet. */
  readonly firedAtMs: number | null;
  /** Null: it is not resolved. */
  readonly resolvedAtMs: number | null;
}

/** `before` null: it is new. `after` null: it is inactive, or no longer shown. */
export interface AlertChange {
  readonly before: AlertView | null;
  readonly after: AlertView | null;
}

export type AlertSubscriber = (change: AlertChange) => void;

export function alertJsonOf(alert: AlertView, timeOf: (ms: number) => string): JsonObject {
  const { alertname, severity, state, labels, annotations } = alert;
  const { activeAtMs, firedAtMs, resolvedAtMs } = alert;
  return {
    alertname,
    severity,
    state,
    labels,
    annotations,
    activeAt: timeOf(activeAtMs),
    ...(firedAtMs !== null && { firedAt: timeOf(firedAtMs) }),
    ...(resolvedAtMs !== null && { resolvedAt: timeOf(resolvedAtMs) }),
  };
}
