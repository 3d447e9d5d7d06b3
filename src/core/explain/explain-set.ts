/**
 * Explains a StatefulSet or a DaemonSet: how many pods are missing, why its controller cannot create them,
 * whether a controller acts on it at all, and why its worst pod is stuck. (A StatefulSet with ordered pods
 * creates no further pod until that pod is ready.)
 */
import type { JsonObject } from '../../lib/json.ts';
import { lastEvent, readEvents } from './event-view.ts';
import type { ExplainedCause, Explanation } from './explanation.ts';
import { because, quoted, sentence, toCause } from './finding.ts';
import { countAt, isoTime, valueAt, wordAt } from './loose-json.ts';
import { eventEntries } from './pod-timeline.ts';
import {
  controllerBehind,
  hasController,
  noController,
  worstPodCauses,
} from './workload-causes.ts';

export interface SetInput {
  readonly kind: 'StatefulSet' | 'DaemonSet';
  readonly namespace: string;
  readonly name: string;
  readonly set: JsonObject;
  readonly events: readonly JsonObject[];
  /** Each with its explanation. */
  readonly pods: readonly Explanation[];
  readonly notes: readonly string[];
  readonly now: number;
}

const FAILURES = ['FailedCreate', 'FailedUpdate', 'FailedDelete', 'FailedDaemonPod'];

export function explainSet(input: SetInput): Explanation {
  const { kind, namespace, name, set, now } = input;
  const { desired, available } = countsOf(input);
  const missing = Math.max(0, desired - available);
  const isActedOn = hasController(set);
  const isFine = isActedOn && missing === 0 && controllerBehind(kind, set).length === 0;
  const causes = isActedOn
    ? [...controllerBehind(kind, set), ...missingPods(input), ...worstPodCauses(input.pods)]
    : [noController(kind, set)];
  return {
    kind: 'Explanation',
    apiVersion: 'podkeep/v1',
    subject: { kind, namespace, name, uid: wordAt(set, 'metadata', 'uid') || null },
    at: isoTime(now) ?? '',
    state: isFine ? 'Available' : 'NotAvailable',
    summary:
      `${kind} ${quoted(name)} in namespace ${quoted(namespace)} has ${available} of ${desired} pods available` +
      `${missing === 0 ? '' : `: ${missing} missing`}.`,
    causes: isFine ? [] : causes,
    timeline: eventEntries(input.events),
    notes: input.notes,
  };
}

function countsOf({ kind, set }: SetInput) {
  const status = (field: string): number => countAt(set, 'status', field);
  if (kind === 'DaemonSet') {
    return {
      desired: status('desiredNumberScheduled'),
      created: status('currentNumberScheduled'),
      ready: status('numberReady'),
      available: status('numberAvailable'),
    };
  }
  const isGiven = valueAt(set, 'spec', 'replicas') !== undefined;
  return {
    desired: isGiven ? countAt(set, 'spec', 'replicas') : 1,
    created: status('replicas'),
    ready: status('readyReplicas'),
    available: status('availableReplicas'),
  };
}

function missingPods(input: SetInput): readonly ExplainedCause[] {
  const { kind, name, events } = input;
  const { desired, created, ready } = countsOf(input);
  if (ready >= desired) return [];
  // An old failure does not explain pods that exist meanwhile.
  const failure = created < desired ? lastEvent(readEvents(events), FAILURES) : undefined;
  const what = sentence(
    `${kind} ${quoted(name)} has created ${created} of ${desired} pods, and ${ready} are ready` +
      because(failure?.message ?? ''),
  );
  return [toCause('pods-missing', { what, sinceMs: failure?.firstMs ?? null })];
}
