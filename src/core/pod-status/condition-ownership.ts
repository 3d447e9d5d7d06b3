/**
 * Defines which pod conditions podkeep may write (SM-10 to SM-12).
 *
 *   owned    podkeep writes it, and deletes it by leaving it out
 *   shared   DisruptionTarget: the API's condition is kept, except when podkeep ends the pod
 *   foreign  other components write it: ignored when comparing, kept when writing
 */

export const POD_SCHEDULED = 'PodScheduled';
export const READY = 'Ready';
export const INITIALIZED = 'Initialized';
export const CONTAINERS_READY = 'ContainersReady';
export const READY_TO_START_CONTAINERS = 'PodReadyToStartContainers';
export const RESIZE_PENDING = 'PodResizePending';
export const RESIZE_IN_PROGRESS = 'PodResizeInProgress';
export const ALL_CONTAINERS_RESTARTING = 'AllContainersRestarting';
export const DISRUPTION_TARGET = 'DisruptionTarget';

const OWNED: ReadonlySet<string> = new Set([
  POD_SCHEDULED,
  READY,
  INITIALIZED,
  CONTAINERS_READY,
  READY_TO_START_CONTAINERS,
  RESIZE_PENDING,
  RESIZE_IN_PROGRESS,
  ALL_CONTAINERS_RESTARTING,
]);

export function isOwned(type: string): boolean {
  return OWNED.has(type);
}

export function isShared(type: string): boolean {
  return type === DISRUPTION_TARGET;
}
