/**
 * Reads from an APIService which version it registers, whether another API server serves that version, and
 * whether it is available; sets its condition Available.
 */
import type { JsonObject } from '../../lib/json.ts';
import { hasService, servesItself } from '../kinds/extension/api-service.ts';
import { objectsAt, textAt } from '../objects/field-path.ts';
import type { RemoteVersion } from '../objects/remote-apis.ts';

export interface Availability {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

const AVAILABLE = 'Available';

/** The texts are kube-aggregator's. */
export const LOCAL: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

export const PASSED: Availability = {
  status: 'True',
  reason: 'Passed',
  message: 'all checks passed',
};

/** Another API server serves it. */
export function isRemote(apiService: JsonObject): boolean {
  return hasService(apiService) && !servesItself(apiService);
}

export function versionOf(apiService: JsonObject): RemoteVersion {
  return { group: textAt(apiService, 'spec.group'), version: textAt(apiService, 'spec.version') };
}

export function isAvailable(apiService: JsonObject): boolean {
  return availableOf(apiService)?.['status'] === 'True';
}

/** The very same object if the condition says this already. The time is that of the last change of status. */
export function withAvailability(
  apiService: JsonObject,
  wanted: Availability,
  now: string,
): JsonObject {
  const old = availableOf(apiService);
  const { status, reason, message } = wanted;
  const isSame =
    old?.['status'] === status && old['reason'] === reason && old['message'] === message;
  if (isSame) return apiService;
  const time = old?.['status'] === status ? (old['lastTransitionTime'] ?? now) : now;
  const condition = { type: AVAILABLE, status, lastTransitionTime: time, reason, message };
  const others = objectsAt(apiService, 'status.conditions');
  const conditions = old
    ? others.map((one) => (one === old ? condition : one))
    : [...others, condition];
  return { ...apiService, status: { conditions } };
}

function availableOf(apiService: JsonObject): JsonObject | undefined {
  return objectsAt(apiService, 'status.conditions').find(({ type }) => type === AVAILABLE);
}
