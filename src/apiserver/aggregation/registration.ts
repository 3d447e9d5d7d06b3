/**
 * Decides about one automatically managed APIService, by the rules of kube-aggregator's autoregister controller.
 *
 *     label `onstart`  created or corrected once, when the server starts: users may change it afterwards
 *     label `true`     kept as it should be at all times
 *     no label         a user's own: never touched
 *
 * One rule is podkeep's own: the APIService of the metrics API, which Kubernetes does not have, is restored when
 * it is deleted, but yields to a user who names a Service in it, as the manifest of metrics-server does.
 */
import { jsonEqual } from '../../api/values/json-equal.ts';
import type { JsonObject } from '../../lib/json.ts';
import { hasService } from '../kinds/extension/api-service.ts';
import { labelsOf } from '../objects/object-labels.ts';
import type { Priorities } from './api-service-priorities.ts';

export interface DesiredApiService {
  readonly group: string;
  readonly version: string;
  readonly priorities: Priorities;
  readonly managed: 'onstart' | 'true';
  /** A user may name a Service in it. */
  readonly yields: boolean;
}

export interface RegistrationFacts {
  readonly desired: DesiredApiService | undefined;
  readonly current: JsonObject | undefined;
  /** It has been right since the start. */
  readonly hasSynced: boolean;
  /** It was there when the server started. */
  readonly isOld: boolean;
}

export type RegistrationStep = 'keep' | 'create' | 'correct' | 'delete';

export const MANAGED_LABEL = 'kube-aggregator.kubernetes.io/automanaged';

export function decideRegistration(facts: RegistrationFacts): RegistrationStep {
  const { desired, current, hasSynced, isOld } = facts;
  if (!current && !desired) return 'keep';
  if (desired?.managed === 'onstart' && hasSynced) return 'keep';
  if (!current) return 'create';
  if (desired?.yields === true && hasService(current)) return 'keep';
  const label = labelsOf(current)[MANAGED_LABEL];
  if (label !== 'onstart' && label !== 'true') return 'keep';
  if (label === 'onstart' && (!isOld || hasSynced)) return 'keep';
  if (!desired) return 'delete';
  return jsonEqual(current['spec'] ?? {}, specOf(desired)) ? 'keep' : 'correct';
}

export function apiServiceOf(desired: DesiredApiService): JsonObject {
  const { group, version, managed } = desired;
  return {
    metadata: { name: `${version}.${group}`, labels: { [MANAGED_LABEL]: managed } },
    spec: specOf(desired),
  };
}

export function specOf({ group, version, priorities }: DesiredApiService): JsonObject {
  const [groupPriorityMinimum, versionPriority] = priorities;
  return { ...(group !== '' && { group }), version, groupPriorityMinimum, versionPriority };
}
