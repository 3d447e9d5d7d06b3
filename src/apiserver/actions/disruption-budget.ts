/** Charges an eviction to a PodDisruptionBudget, or refuses it if the budget allows no more disruptions. */
import { matchesLabels, selectorFromObject, type Labels } from '../../api/values/label-selector.ts';
import { PodkeepError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import { labelsOf } from '../objects/object-labels.ts';
import { numberAt, objectsAt, structAt, textAt } from '../objects/field-path.ts';
import { podDisruptionBudgets } from '../kinds/apps/pod-disruption-budget.ts';
import { metadataOf, nameOf, textOf } from '../objects/metadata.ts';
import { prefixOf } from '../registry/registry.ts';
import { forbidden, tooManyRequests, type StatusError } from '../objects/status.ts';
import type { NewCondition } from './pod-condition.ts';

const BUDGET = { group: 'policy', resource: 'poddisruptionbudget' };
const CAUSE = 'DisruptionBudget';
const VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget.";
/** The most evicted pods that the disruption controller may not have processed yet. */
const DISRUPTED_MAX = 2000;
const RETRY_SECONDS = 10;

/** The condition on an evicted pod that explains why it is deleted. */
export const disruptionTarget: NewCondition = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
};

/** Evicting a pod that does not run yet or is terminating disrupts nothing. */
export function isBudgetNeeded(pod: JsonObject): boolean {
  const phase = textAt(pod, 'status.phase');
  const isIdle = phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending';
  return !isIdle && metadataOf(pod)['deletionTimestamp'] === undefined;
}

export function budgetsOf(store: ObjectStore, pod: JsonObject): readonly JsonObject[] {
  const prefix = prefixOf(podDisruptionBudgets, textOf(metadataOf(pod)['namespace']));
  const labels = labelsOf(pod);
  return store
    .list(prefix)
    .objects.map(({ value }) => value)
    .filter((budget) => selects(budget, labels));
}

function selects(budget: JsonObject, labels: Labels): boolean {
  const { selector } = structAt(budget, 'spec');
  try {
    return matchesLabels(selectorFromObject(isJsonObject(selector) ? selector : undefined), labels);
  } catch (error) {
    if (error instanceof PodkeepError) return false; // an invalid selector selects nothing
    throw error;
  }
}

/** The budget after one more disruption. Throws if the budget does not allow it. */
export function chargeBudget(budget: JsonObject, pod: string, now: string): JsonObject {
  const status = structAt(budget, 'status');
  const name = nameOf(budget);
  if (numberAt(budget, 'status.observedGeneration') < numberAt(budget, 'metadata.generation')) {
    throw unsettled(name);
  }
  const allowed = numberAt(budget, 'status.disruptionsAllowed');
  if (allowed < 0) throw forbidden(BUDGET, name, 'pdb disruptions allowed is negative');
  const disrupted = structAt(budget, 'status.disruptedPods');
  if (Object.keys(disrupted).length > DISRUPTED_MAX) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw forbidden(BUDGET, name, why);
  }
  if (allowed === 0) {
    throw tooManyRequests(VIOLATED, 0, [{ reason: CAUSE, message: explain(budget) }]);
  }
  const charged = {
    ...status,
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...disrupted, [pod]: now },
    ...(allowed === 1 && { conditions: usedUp(budget, now) }),
  };
  return { ...budget, status: charged };
}

function unsettled(name: string): StatusError {
  const message = `The disruption budget ${name} is still being processed by the server.`;
  return tooManyRequests(VIOLATED, RETRY_SECONDS, [{ reason: CAUSE, message }]);
}

function explain(budget: JsonObject): string {
  const name = nameOf(budget);
  const { reason, message } = refusalOf(budget) ?? {};
  const given = textOf(message);
  if (given !== '' && reason === 'SyncFailed') {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${given}`;
  }
  const current = numberAt(budget, 'status.currentHealthy');
  const desired = numberAt(budget, 'status.desiredHealthy');
  if (current <= desired) {
    return `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`;
  }
  const why = given === '' ? '' : ` (${textOf(reason)}): ${given}`;
  return `The disruption budget ${name} does not allow evicting pods currently${why}`;
}

function refusalOf(budget: JsonObject): JsonObject | undefined {
  return objectsAt(budget, 'status.conditions').find(
    ({ type, status }) => type === 'DisruptionAllowed' && status === 'False',
  );
}

/** The conditions once no disruption is left: DisruptionAllowed becomes False. */
function usedUp(budget: JsonObject, now: string): readonly JsonObject[] {
  const conditions = objectsAt(budget, 'status.conditions');
  const old = conditions.find(({ type }) => type === 'DisruptionAllowed');
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: numberAt(budget, 'status.observedGeneration'),
    lastTransitionTime: old?.['status'] === 'False' ? (old['lastTransitionTime'] ?? now) : now,
    reason: 'InsufficientPods',
    message: '',
  };
  return old
    ? conditions.map((one) => (one === old ? condition : one))
    : [...conditions, condition];
}
