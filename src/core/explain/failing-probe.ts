/** Describes a failing probe, for the explain rules of startup, readiness and liveness probes. */
import { probeWait } from '../pod-waits/wait-names.ts';
import type { ProbeKind } from '../probes/probe-worker.ts';
import { findWait, type CurrentWait } from './current-waits.ts';
import { lastEvent, type EventView } from './event-view.ts';
import { times, type Finding } from './finding.ts';
import { countAt, objectAt } from './loose-json.ts';
import type { ContainerView, PodView } from './pod-view.ts';

export interface FailingProbe {
  readonly wait: CurrentWait | undefined;
  readonly event: EventView | undefined;
  /** The last output of the probe. Empty: it is not known. */
  readonly output: string;
  readonly failureThreshold: number;
}

const TITLES = { liveness: 'Liveness', readiness: 'Readiness', startup: 'Startup' } as const;
const FAILURE_THRESHOLD = 3;

/** Null: the container has no such probe. */
export function findProbe(
  { waits, events }: PodView,
  { name, spec }: ContainerView,
  kind: ProbeKind,
): FailingProbe | null {
  const probe = objectAt(spec, `${kind}Probe`);
  if (!probe) return null;
  const prefix = `${TITLES[kind]} probe `;
  const event = lastEvent(
    events,
    ['Unhealthy', 'ProbeWarning'],
    (one) => one.container === name && one.message.startsWith(prefix),
  );
  return {
    wait: findWait(waits, probeWait(kind, name)),
    event,
    output: (event?.message ?? '').replace(/^\S+ probe (?:failed|warning): ?/, '').trim(),
    failureThreshold: countAt(probe, 'failureThreshold') || FAILURE_THRESHOLD,
  };
}

export function probeHistory({ wait, event, failureThreshold }: FailingProbe): Partial<Finding> {
  const count = wait?.attempts ?? event?.count ?? 0;
  const tried = times(count, 'The probe failed');
  return {
    sinceMs: wait?.sinceMs ?? event?.firstMs,
    tried: tried === null ? null : `${tried} (its failure threshold is ${failureThreshold})`,
    nextMs: wait?.nextMs,
    waits: [wait],
  };
}
