/** The parts of a probe worker's life, for tests: everything has a default. */
import type { ContainerStatus, PodStatus } from '../../src/api/pod.ts';
import { parseTime } from '../../src/api/values/time.ts';
import type { Assignment, Event, Outcome } from '../../src/core/probes/probe-worker.ts';
import { container, EARLIER, NOW, podOf, running } from './pod-parts.ts';

export const NOW_MS = parseTime(NOW).ms;
export const ID = 'sim://1';
export const PERIOD_MS = 10_000;

export function assign(fields: Partial<Assignment> = {}): Assignment {
  const pod = fields.pod ?? podOf();
  return {
    kind: 'readiness',
    pod,
    container: pod.spec.containers[0] ?? container('c'),
    initialDelaySeconds: 0,
    periodMs: PERIOD_MS,
    successThreshold: 1,
    failureThreshold: 3,
    since: EARLIER,
    ...fields,
  };
}

export function statusOf(shown: ContainerStatus, rest: Partial<PodStatus> = {}): PodStatus {
  return { phase: 'Running', containerStatuses: [shown], ...rest };
}

export const RUNNING = running('c', { containerID: ID, started: true });
export const STARTING = running('c', { containerID: ID, started: false });

export function woke(status: PodStatus | undefined): Event {
  return { type: 'woke', view: { status, nowMs: NOW_MS } };
}

export function probed(outcome: Outcome, status: PodStatus | undefined = statusOf(RUNNING)): Event {
  return { type: 'probed', outcome, view: { status, nowMs: NOW_MS } };
}
