/** Classifies resource names: cpu, memory, huge pages, extended resources and the names in quotas. */
import { checkLabelKey } from '../../validation-names.ts';

const QUOTA_PREFIX = 'requests.';
const HUGE_PAGES = 'hugepages-';

const CONTAINER_RESOURCES = new Set(['cpu', 'memory', 'ephemeral-storage']);
const STANDARD_RESOURCES = new Set([
  ...CONTAINER_RESOURCES,
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'storage',
  'requests.storage',
  'services.nodeports',
  'services.loadbalancers',
]);
const COUNTED_RESOURCES = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

export function isHugePages(name: string): boolean {
  return name.startsWith(HUGE_PAGES);
}

export function hugePageSizeOf(name: string): string {
  return name.slice(HUGE_PAGES.length);
}

/** A name without a domain, or in a domain of kubernetes.io. */
export function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** The limits of all pods together may exceed the amount that the node has. */
export function isOvercommitted(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

/** An extended resource, such as `example.com/gpu`. */
export function isExtended(name: string): boolean {
  if (isNative(name) || name.startsWith(QUOTA_PREFIX)) return false;
  return checkLabelKey(QUOTA_PREFIX + name).length === 0;
}

export function isStandard(name: string): boolean {
  return (
    STANDARD_RESOURCES.has(name) || isHugePages(name) || name.startsWith(QUOTA_PREFIX + HUGE_PAGES)
  );
}

export function isForContainers(name: string): boolean {
  return CONTAINER_RESOURCES.has(name) || isHugePages(name);
}

/** The amount must be an integer. */
export function isCounted(name: string): boolean {
  return COUNTED_RESOURCES.has(name) || isExtended(name);
}

/** Whether the resource may be set in pod-level resources. */
export function isPodLevel(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name);
}
