/**
 * Implements POST pods/eviction: deletes a pod if its PodDisruptionBudget allows it.
 *
 *     pod finished, pending or being deleted ──────────────────────────> deleted
 *     no budget, or an unready pod that does not count ────────────────> deleted
 *     budget with disruptions left ──> one less, pod in disruptedPods ─> deleted
 *     budget exhausted, or not computed yet ──> 429: try again later
 *
 * The budget is charged before the pod is deleted. The disruption controller sees the pod in disruptedPods
 * and no longer counts it as available.
 */
import { formatTime } from '../../api/values/time.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ActionAnswer, ActionRequest } from '../objects/action.ts';
import { numberAt, objectsAt, structAt, textAt } from '../objects/field-path.ts';
import { podDisruptionBudgets } from '../kinds/apps/pod-disruption-budget.ts';
import { pods } from '../kinds/core/pods.ts';
import { metadataOf, nameOf, textOf } from '../objects/metadata.ts';
import { readDeleteOptions, type DeleteOptions } from '../requests/options.ts';
import type { Target } from '../registry/registry.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { badRequest, conflict, StatusError, successStatus } from '../objects/status.ts';
import { budgetsOf, chargeBudget, disruptionTarget, isBudgetNeeded } from './disruption-budget.ts';
import { withCondition } from './pod-condition.ts';

type EvictionParts = Pick<ServerParts, 'store' | 'clock' | 'registry'>;

const ATTEMPTS_MAX = 20;

export async function evictPod(
  parts: EvictionParts,
  request: ActionRequest,
): Promise<ActionAnswer> {
  const { namespace, name, body } = request;
  if (name !== nameOf(body)) throw badRequest('name in URL does not match name in Eviction object');
  const options = optionsOf(request);
  const target = { definition: pods, namespace, name };
  for (let attempt = 1; ; attempt++) {
    try {
      await evict(parts, request, target, options);
      return { code: 201, body: { ...successStatus(), code: 201 } };
    } catch (error) {
      // Another write changed the pod: decide again, unless the client requires this very version.
      const isRace = error instanceof StatusError && error.code === 409;
      if (!isRace || options.resourceVersion !== null || attempt >= ATTEMPTS_MAX) throw error;
      if (options.uid !== null && options.uid !== uidOf(parts, target)) throw error;
    }
  }
}

function optionsOf({ body, dryRun }: ActionRequest): DeleteOptions {
  const options = readDeleteOptions(new URLSearchParams(), structAt(body, 'deleteOptions'));
  return { ...options, dryRun: options.dryRun || dryRun };
}

function uidOf({ registry }: EvictionParts, target: Target): string {
  return textOf(metadataOf(registry.get(target))['uid']);
}

async function evict(
  parts: EvictionParts,
  request: ActionRequest,
  target: Target,
  options: DeleteOptions,
): Promise<void> {
  const pod = parts.registry.get(target);
  const isGuarded = isBudgetNeeded(pod) && (await charge(parts, pod, options));
  const seen = textOf(metadataOf(pod)['resourceVersion']);
  const resourceVersion = options.resourceVersion ?? (isGuarded || isOver(pod) ? null : seen);
  await removeEvicted(parts, request, target, { ...options, resourceVersion });
}

function isOver(pod: JsonObject): boolean {
  const phase = textAt(pod, 'status.phase');
  const isBeingDeleted = metadataOf(pod)['deletionTimestamp'] !== undefined;
  return phase === 'Succeeded' || phase === 'Failed' || isBeingDeleted;
}

/**
 * False: the pod is unready and not counted, so it may be deleted only in the version that was checked. True:
 * there is no budget, or it was charged. Throws if the budget is exhausted.
 */
async function charge(
  { store, clock, registry }: EvictionParts,
  pod: JsonObject,
  { dryRun }: DeleteOptions,
): Promise<boolean> {
  const budgets = budgetsOf(store, pod);
  if (budgets.length > 1) {
    throw new StatusError(
      500,
      '',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  const [budget] = budgets;
  if (!budget) return true; // nothing to protect, and so no version to insist on
  if (!isReady(pod) && mayGoUnready(budget)) return false;
  const { name, namespace } = metadataOf(budget);
  await registry.update({
    definition: podDisruptionBudgets,
    namespace: textOf(namespace),
    name: textOf(name),
    subresource: 'status',
    isExempt: true,
    dryRun,
    change: (latest) => chargeBudget(latest, nameOf(pod), formatTime(clock.now())),
  });
  return true;
}

function isReady(pod: JsonObject): boolean {
  return objectsAt(pod, 'status.conditions').some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
}

/** Whether the budget lets unready pods be evicted: they reduce no availability. */
function mayGoUnready(budget: JsonObject): boolean {
  if (textAt(budget, 'spec.unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const desired = numberAt(budget, 'status.desiredHealthy');
  return desired > 0 && numberAt(budget, 'status.currentHealthy') >= desired;
}

async function removeEvicted(
  { clock, registry }: EvictionParts,
  { user }: ActionRequest,
  target: Target,
  options: DeleteOptions,
): Promise<void> {
  if (options.dryRun) {
    await registry.remove(target, options, { user, isExempt: true });
    return;
  }
  const marked = await registry.update({
    ...target,
    subresource: 'status',
    isExempt: true,
    change: (pod) => {
      checkPreconditions(pod, options);
      return withCondition(pod, disruptionTarget, formatTime(clock.now()));
    },
  });
  const isExact = options.resourceVersion !== null;
  const version = textOf(metadataOf(marked)['resourceVersion']);
  const exact = { ...options, resourceVersion: isExact ? version : null };
  await registry.remove(target, exact, { user, isExempt: true });
}

function checkPreconditions(pod: JsonObject, { uid, resourceVersion }: DeleteOptions): void {
  const found = metadataOf(pod);
  const kind = { group: '', resource: 'Pod' };
  if (uid !== null && uid !== '' && uid !== found['uid']) {
    const why =
      `the UID in the precondition (${uid}) does not match the UID in record ` +
      `(${textOf(found['uid'])}). The object might have been deleted and then recreated`;
    throw conflict(kind, nameOf(pod), why);
  }
  if (resourceVersion !== null && resourceVersion !== found['resourceVersion']) {
    const why =
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ` +
      `ResourceVersion in record (${textOf(found['resourceVersion'])}). ` +
      'The object might have been modified';
    throw conflict(kind, nameOf(pod), why);
  }
}
