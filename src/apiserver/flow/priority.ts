/**
 * Determines the priority level of a request by its user and attributes. The names are those of
 * kube-apiserver's levels.
 *
 *     exempt           in-process calls, system:masters, health, leases of nodes: never queued
 *     leader-election  leases of controllers in kube-system
 *     system           nodes
 *     workload-high    service accounts of kube-system, and controllers of the control plane
 *     global-default   all others
 */
import type { Attributes, User } from '../objects/access.ts';
import { isMaster, nodeNameOf } from '../objects/groups.ts';

export const LEVELS = ['leader-election', 'system', 'workload-high', 'global-default'] as const;

export type PriorityLevel = (typeof LEVELS)[number];

const KUBE_SYSTEM_ACCOUNTS = 'system:serviceaccounts:kube-system';
const CONTROL_PLANE: ReadonlySet<string> = new Set([
  'system:kube-controller-manager',
  'system:kube-scheduler',
]);
const HEALTH = /^\/(?:healthz|livez|readyz)(?:\/|$)/;

/** Null: the request is exempt. */
export function levelOf(user: User, wanted: Attributes): PriorityLevel | null {
  if (isMaster(user)) return null;
  if ('path' in wanted) return HEALTH.test(wanted.path) ? null : levelOfUser(user);
  const isLease = wanted.group === 'coordination.k8s.io' && wanted.resource === 'leases';
  if (isLease && nodeNameOf(user) !== null) return null;
  const level = levelOfUser(user);
  return isLease && level === 'workload-high' ? 'leader-election' : level;
}

function levelOfUser(user: User): PriorityLevel {
  if (nodeNameOf(user) !== null) return 'system';
  const isController = CONTROL_PLANE.has(user.name) || user.groups.includes(KUBE_SYSTEM_ACCOUNTS);
  return isController ? 'workload-high' : 'global-default';
}
