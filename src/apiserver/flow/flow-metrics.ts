/** kube-apiserver's metrics of API priority and fairness, under the same names. */
import { Registry } from '../../lib/metrics/registry.ts';
import type { FairQueues } from './fair-queues.ts';
import { LEVELS, type PriorityLevel } from './priority.ts';

/** Each priority level has one flow schema, of the same name. */
const LABELS = ['priority_level', 'flow_schema'] as const;

export class FlowMetrics {
  readonly #queues: FairQueues<PriorityLevel>;
  readonly #registry = new Registry();
  readonly #rejected = this.#registry.counters({
    name: 'apiserver_flowcontrol_rejected_requests_total',
    help: 'Number of requests rejected by API Priority and Fairness subsystem',
    labels: [...LABELS, 'reason'],
  });
  readonly #dispatched = this.#registry.counters({
    name: 'apiserver_flowcontrol_dispatched_requests_total',
    help: 'Number of requests executed by API Priority and Fairness subsystem',
    labels: LABELS,
  });
  readonly #waiting = this.#registry.gauges({
    name: 'apiserver_flowcontrol_current_inqueue_requests',
    help: 'Number of requests currently pending in queues of the API Priority and Fairness subsystem',
    labels: LABELS,
  });
  readonly #executing = this.#registry.gauges({
    name: 'apiserver_flowcontrol_current_executing_requests',
    help:
      'Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the ' +
      'API Priority and Fairness subsystem',
    labels: LABELS,
  });

  constructor(queues: FairQueues<PriorityLevel>) {
    this.#queues = queues;
  }

  rejected(level: PriorityLevel, reason: string): void {
    this.#rejected.with({ ...labelsOf(level), reason }).inc();
  }

  dispatched(level: PriorityLevel): void {
    this.#dispatched.with(labelsOf(level)).inc();
  }

  /** The current values. */
  read(): Registry {
    for (const level of LEVELS) {
      const { waiting, executing } = this.#queues.counts(level);
      this.#waiting.with(labelsOf(level)).set(waiting);
      this.#executing.with(labelsOf(level)).set(executing);
    }
    return this.#registry;
  }
}

function labelsOf(level: PriorityLevel): {
  readonly priority_level: string;
  readonly flow_schema: string;
} {
  return { priority_level: level, flow_schema: level };
}
