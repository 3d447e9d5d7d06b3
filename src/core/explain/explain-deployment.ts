/**
 * Explains a Deployment: its newest ReplicaSet, how many pods are missing, what its conditions say, whether
 * a controller acts on it at all, and why its worst pod is stuck.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { ExplainedCause, Explanation } from './explanation.ts';
import { because, quoted, sentence, toCause } from './finding.ts';
import { countAt, isoTime, msAt, valueAt, wordAt } from './loose-json.ts';
import { eventEntries } from './pod-timeline.ts';
import { readConditions } from './pod-view.ts';
import {
  controllerBehind,
  hasController,
  noController,
  worstPodCauses,
} from './workload-causes.ts';

export interface DeploymentInput {
  readonly namespace: string;
  readonly name: string;
  readonly deployment: JsonObject;
  readonly events: readonly JsonObject[];
  /** Of this Deployment. */
  readonly replicaSets: readonly JsonObject[];
  /** Of its newest ReplicaSet, each with its explanation. */
  readonly pods: readonly Explanation[];
  readonly notes: readonly string[];
  readonly now: number;
}

const REVISION = 'deployment.kubernetes.io/revision';
export function explainDeployment(input: DeploymentInput): Explanation {
  const { namespace, name, deployment, now } = input;
  const desired =
    valueAt(deployment, 'spec', 'replicas') === undefined
      ? 1
      : countAt(deployment, 'spec', 'replicas');
  const available = countAt(deployment, 'status', 'availableReplicas');
  const missing = Math.max(0, desired - available);
  const isActedOn = hasController(deployment);
  const causes = isActedOn
    ? [...conditionsOf(deployment), ...replicaSetOf(input, desired), ...worstPodCauses(input.pods)]
    : [noController('Deployment', deployment)];
  return {
    kind: 'Explanation',
    apiVersion: 'podkeep/v1',
    subject: {
      kind: 'Deployment',
      namespace,
      name,
      uid: wordAt(deployment, 'metadata', 'uid') || null,
    },
    at: isoTime(now) ?? '',
    state: missing === 0 && isActedOn ? 'Available' : 'NotAvailable',
    summary:
      `Deployment ${quoted(name)} in namespace ${quoted(namespace)} has ${available} of ${desired} pods available` +
      `${missing === 0 ? '' : `: ${missing} missing`}.`,
    causes:
      missing === 0 && isActedOn
        ? causes.filter(({ situation }) => situation === 'paused')
        : causes,
    timeline: eventEntries(input.events),
    notes: input.notes,
  };
}

/** The name of the newest ReplicaSet; null: there is none. */
export function newestReplicaSet(replicaSets: readonly JsonObject[]): JsonObject | null {
  const revision = (one: JsonObject): number =>
    Number(wordAt(one, 'metadata', 'annotations', REVISION)) || 0;
  return replicaSets.toSorted((a, b) => revision(b) - revision(a))[0] ?? null;
}

function conditionsOf(deployment: JsonObject): readonly ExplainedCause[] {
  const conditions = readConditions(deployment);
  const isPaused = valueAt(deployment, 'spec', 'paused') === true;
  const found: ExplainedCause[] = [];
  if (isPaused) {
    const what = 'The Deployment is paused: changes of its template are not rolled out.';
    found.push(toCause('paused', { what, advice: ['kubectl rollout resume goes on.'] }));
  }
  for (const [type, bad] of [
    ['ReplicaFailure', 'True'],
    ['Progressing', 'False'],
  ] as const) {
    const condition = conditions.get(type);
    if (condition?.status !== bad) continue;
    const { reason, message, sinceMs } = condition;
    const what = sentence(
      `Its condition ${type} is ${bad} (${reason || 'no reason'})${because(message)}`,
    );
    found.push(toCause('deployment-condition', { what, sinceMs }));
  }
  return [...found, ...controllerBehind('Deployment', deployment)];
}

function replicaSetOf(
  { replicaSets }: DeploymentInput,
  desired: number,
): readonly ExplainedCause[] {
  const newest = newestReplicaSet(replicaSets);
  if (!newest) {
    return [toCause('no-replica-set', { what: 'The Deployment has no ReplicaSet yet.' })];
  }
  const name = wordAt(newest, 'metadata', 'name');
  const made = countAt(newest, 'status', 'replicas');
  const ready = countAt(newest, 'status', 'readyReplicas');
  if (ready >= desired) return [];
  const failure = readConditions(newest).get('ReplicaFailure');
  const why = failure?.status === 'True' ? because(failure.message) : '';
  const what = sentence(
    `ReplicaSet ${quoted(name)} has created ${made} of ${desired} pods, and ${ready} are ready${why}`,
  );
  return [
    toCause('pods-missing', {
      what,
      sinceMs: failure?.sinceMs ?? msAt(newest, 'metadata', 'creationTimestamp'),
    }),
  ];
}
