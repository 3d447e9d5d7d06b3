/**
 * Computes the limits of a pod's cgroup, and of the cgroups above it.
 *
 *     Guaranteed   CPU shares, CPU quota and memory limit of the whole pod
 *     Burstable    CPU shares; CPU quota and memory limit only if every container, or the pod, sets it
 *     BestEffort   the smallest CPU shares
 *
 * A pod's cgroup limits the pod as a whole, including memory that its containers share and processes that run
 * beside them.
 */
import { isZeroQuantity, quantityMilliValue, quantityValue } from '../../api/values/quantity.ts';
import { readQuantity } from '../../api/values/quantity-text.ts';
import type { Pod } from '../../api/pod.ts';
import type { ResourceList } from '../../api/resources.ts';
import { initAndRegularContainers } from '../pod/pod-facts.ts';
import { podLimits, podRequests } from '../resources/pod-resources.ts';
import { qosClass } from '../resources/qos-class.ts';
import { cpuQuotaOf, cpuSharesOf, pageSizeName } from './cpu-numbers.ts';

/** Absent: left as it is. */
export interface CgroupLimits {
  readonly cpuShares?: number;
  /** -1: no limit. */
  readonly cpuQuotaUs?: number;
  readonly cpuPeriodUs?: number;
  /** -1: no limit. */
  readonly memoryBytes?: number;
  readonly processes?: number;
  /** By the size of pages, such as 2MB. */
  readonly hugePages?: ReadonlyMap<string, number>;
}

export interface PodLimitSettings {
  readonly hasCpuQuota: boolean;
  readonly cpuPeriodUs: number;
  /** -1: no limit. */
  readonly podPidsLimit: number;
  readonly hugePageSizes: readonly string[];
}

const SHARES_LEAST = 2;
const HUGE_PAGES = 'hugepages-';
const NO_QUOTA = -1;

export function podCgroupLimits(pod: Pod, settings: PodLimitSettings): CgroupLimits {
  const { podPidsLimit } = settings;
  return {
    ...computeLimits(pod, settings),
    hugePages: hugePagesOf(podRequests(pod), settings.hugePageSizes),
    ...(podPidsLimit > 0 && { processes: podPidsLimit }),
  };
}

/** The CPU shares of the burstable cgroup: the sum of the requests of all burstable pods. */
export function burstableShares(activePods: readonly Pod[]): number {
  const burstable = activePods.filter((pod) => qosClass(pod) === 'Burstable');
  return cpuSharesOf(burstable.reduce((sum, pod) => sum + milli(podRequests(pod)), 0));
}

export const BEST_EFFORT_LIMITS: CgroupLimits = { cpuShares: SHARES_LEAST };

/** The limits for all pods together: the node's allocatable. */
export function nodeCgroupLimits(allocatable: ResourceList): CgroupLimits {
  const { cpu, memory, pid } = allocatable;
  return {
    ...(memory !== undefined && { memoryBytes: whole(memory) }),
    ...(cpu !== undefined && { cpuShares: cpuSharesOf(milli(allocatable)) }),
    ...(pid !== undefined && { processes: whole(pid) }),
  };
}

function computeLimits(pod: Pod, settings: PodLimitSettings): CgroupLimits {
  const qos = qosClass(pod);
  if (qos === 'BestEffort') return BEST_EFFORT_LIMITS;
  const limits = podLimits(pod);
  const cpuShares = cpuSharesOf(milli(podRequests(pod)));
  const isGuaranteed = qos === 'Guaranteed';
  return {
    cpuShares,
    ...((isGuaranteed || isLimited(pod, 'cpu')) && quotaOf(milli(limits), settings)),
    ...((isGuaranteed || isLimited(pod, 'memory')) && { memoryBytes: whole(limits['memory']) }),
  };
}

function quotaOf(limit: number, { hasCpuQuota, cpuPeriodUs }: PodLimitSettings): CgroupLimits {
  const cpuQuotaUs = hasCpuQuota && limit > 0 ? cpuQuotaOf(limit, cpuPeriodUs) : NO_QUOTA;
  return { cpuQuotaUs, cpuPeriodUs };
}

/** One container without a limit may use everything, so the pod has no limit either. */
function isLimited(pod: Pod, resource: 'cpu' | 'memory'): boolean {
  const isSet = (list: ResourceList | undefined): boolean => {
    const amount = list?.[resource];
    return amount !== undefined && !isZeroQuantity(readQuantity(amount));
  };
  if (isSet(pod.spec.resources?.limits)) return true;
  return initAndRegularContainers(pod.spec).every(({ resources }) => isSet(resources?.limits));
}

function hugePagesOf(
  requests: ResourceList,
  sizes: readonly string[],
): ReadonlyMap<string, number> {
  const pages = new Map(sizes.map((size) => [size, 0]));
  for (const [name, amount] of Object.entries(requests)) {
    if (!name.startsWith(HUGE_PAGES)) continue;
    const size = pageSizeName(whole(name.slice(HUGE_PAGES.length)));
    if (pages.has(size)) pages.set(size, whole(amount));
  }
  return pages;
}

function milli(list: ResourceList): number {
  const { cpu } = list;
  return cpu === undefined ? 0 : Number(quantityMilliValue(readQuantity(cpu)));
}

function whole(amount: string | number | undefined): number {
  return amount === undefined ? 0 : Number(quantityValue(readQuantity(amount)));
}
