/** Reports each restart by the supervisor once: as an Event on the Node, and in a metric. */
import type { NodeEvents } from '../../kubelet/node/node-events.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { Restart, SupervisorLink } from './supervisor-link.ts';

export interface RestartReportDeps {
  readonly events: NodeEvents;
  readonly metrics: Registry;
}

/** The metric shows each reason, even at 0: an alert on an increase needs a first value. */
const REASONS = ['hang', 'exit', 'signal'];

export function reportRestarts(
  link: Pick<SupervisorLink, 'restarts' | 'reported'>,
  { events, metrics }: RestartReportDeps,
): void {
  const { counts, pending } = link.restarts;
  const total = metrics.counters({
    name: 'podkeep_supervisor_restarts_total',
    help: 'Number of times the supervisor has started podkeep again, by what had happened to it.',
    labels: ['reason'],
  });
  for (const reason of REASONS) total.with({ reason }).inc(counts[reason] ?? 0);
  for (const restart of pending) {
    events.recordNode('Warning', 'KubeletRestarted', messageOf(restart));
  }
  if (pending.length > 0) link.reported(pending.length);
}

function messageOf(restart: Restart): string {
  const { time, attempt } = restart;
  return `Kubelet ${causeOf(restart)} at ${time} and was restarted by its supervisor (attempt ${attempt})`;
}

function causeOf({ reason, detail, signal, exitCode }: Restart): string {
  if (reason === 'hang') return `hung (${detail ?? 'no heartbeat'})`;
  return reason === 'signal' ? `was ended by ${signal}` : `exited with code ${exitCode}`;
}
