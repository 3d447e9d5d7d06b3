/**
 * What a drain does with a pod, by the rules of kubectl drain (pure):
 *
 *     of a DaemonSet                       stays: its controller would create it again at once
 *     a mirror of a static pod             stays: only the node itself can end a static pod
 *     finished                             evicted
 *     with an emptyDir                     refused, because its data would be lost; evicted if allowed
 *     without a controller                 refused, because nothing would create it again; evicted with force
 *     any other                            evicted
 *
 * Unlike in kubectl, no flag is needed for pods of DaemonSets: podkeep assumes that a drained node is about
 * to end.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';

export interface DrainPolicy {
  /** Evict pods without a controller, too. */
  readonly force: boolean;
  /** Evict pods whose data in emptyDir volumes is lost. */
  readonly deleteEmptyDirData: boolean;
}

export type DrainDecision =
  | { readonly action: 'evict' }
  | { readonly action: 'leave'; readonly reason: string }
  | { readonly action: 'refuse'; readonly reason: string };

const MIRROR = 'kubernetes.io/config.mirror';

export function drainDecision(pod: JsonObject, policy: DrainPolicy): DrainDecision {
  const phase = objectIn(pod, 'status')['phase'];
  const isFinished = phase === 'Succeeded' || phase === 'Failed';
  const controller = controllerOf(pod);
  const isOfDaemonSet = controller?.['kind'] === 'DaemonSet' && isApps(controller);
  if (isOfDaemonSet && !isFinished) return { action: 'leave', reason: 'DaemonSet-managed Pods' };
  if (MIRROR in objectIn(objectIn(pod, 'metadata'), 'annotations')) {
    return { action: 'leave', reason: 'static Pods' };
  }
  if (isFinished) return { action: 'evict' };
  if (hasEmptyDir(pod) && !policy.deleteEmptyDirData) {
    const reason = 'Pods with local storage (use --delete-emptydir-data to override)';
    return { action: 'refuse', reason };
  }
  if (controller === undefined && !policy.force) {
    const reason = 'Pods that declare no controller (use --force to override)';
    return { action: 'refuse', reason };
  }
  return { action: 'evict' };
}

function controllerOf(pod: JsonObject): JsonObject | undefined {
  const { ownerReferences } = objectIn(pod, 'metadata');
  return listOf(ownerReferences).find((owner) => owner['controller'] === true);
}

function isApps({ apiVersion }: JsonObject): boolean {
  return apiVersion === 'apps/v1';
}

function hasEmptyDir(pod: JsonObject): boolean {
  return listOf(objectIn(pod, 'spec')['volumes']).some(({ emptyDir }) => isJsonObject(emptyDir));
}

function objectIn(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isJsonObject(value) ? value : {};
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
