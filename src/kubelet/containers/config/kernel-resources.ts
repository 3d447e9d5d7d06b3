/**
 * Converts requests and limits of containers and sandboxes to the kernel's units: CPU shares and quota,
 * bytes, and the OOM score adjustment.
 */
import { quantityMilliValue, quantityValue } from '../../../api/values/quantity.ts';
import { readQuantity } from '../../../api/values/quantity-text.ts';
import type { Pod } from '../../../api/pod.ts';
import type { ResourceList } from '../../../api/resources.ts';
import { cpuQuotaOf, cpuSharesOf, pageSizeName } from '../../../core/cgroups/cpu-numbers.ts';
import { isMirrorPod, isSidecar, isStaticPod } from '../../../core/pod/pod-facts.ts';
import { podLimits, podRequests } from '../../../core/resources/pod-resources.ts';
import { qosClass } from '../../../core/resources/qos-class.ts';
import type { ContainerResources, HugePageLimit } from '../../../ports/runtime/container-config.ts';
import { CONTAINER_SETTINGS_DEFAULT, type ContainerSettings } from './container-settings.ts';
import { findContainer, runSpecOf, type RunContainer } from '../../../api/run-spec.ts';

const HUGE_PAGES = 'hugepages-';

const OOM_GUARANTEED = -997;
const OOM_BEST_EFFORT = 1000;
const NODE_CRITICAL = 'system-node-critical';
const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;

export interface KernelDeps {
  readonly memoryCapacityBytes: number;
  /** Absent: the default settings. */
  readonly containers?: ContainerSettings | undefined;
}

export function kernelResources(
  pod: Pod,
  container: RunContainer,
  { memoryCapacityBytes, containers: settings = CONTAINER_SETTINGS_DEFAULT }: KernelDeps,
): ContainerResources {
  const { requests, limits } = container.resources ?? {};
  const ofPod = pod.spec.resources?.limits;
  // A limit of zero is none; then the pod's limit counts.
  const cpuLimit = milliCpu(limits) || milliCpu(ofPod);
  const memoryLimit = bytes(limits) || bytes(ofPod);
  const limited = limitedResources(milliCpu(requests), cpuLimit, memoryLimit, settings);
  const { hugePageSizes, limitsSwap } = settings;
  const { memoryLimitBytes } = limited;
  return {
    ...limited,
    oomScoreAdjust: oomScoreAdjust(pod, container, memoryCapacityBytes),
    ...(hugePageSizes.length > 0 && {
      hugePages: hugePageLimits(hugePageSizes, { ...ofPod, ...limits }),
    }),
    ...(limitsSwap && memoryLimitBytes !== undefined && { memorySwapLimitBytes: memoryLimitBytes }),
    ...(Object.keys(settings.unified).length > 0 && { unified: settings.unified }),
  };
}

/** The resources of a sandbox: those of all containers together, and the pod's overhead. */
export function sandboxResources(
  pod: Pod,
  settings: ContainerSettings = CONTAINER_SETTINGS_DEFAULT,
): { readonly resources: ContainerResources; readonly overhead: ContainerResources } {
  const { overhead, ...spec } = pod.spec;
  const bare = { ...pod, spec };
  const requests = podRequests(bare);
  const limits = podLimits(bare);
  const own = overhead ?? {};
  return {
    resources: limitedResources(milliCpu(requests), milliCpu(limits), bytes(limits), settings),
    overhead:
      overhead === undefined
        ? {}
        : limitedResources(milliCpu(own), milliCpu(own), bytes(own), settings),
  };
}

function limitedResources(
  cpuRequest: number | undefined,
  cpuLimit = 0,
  memoryLimitBytes = 0,
  { hasCpuQuota, cpuPeriodUs }: ContainerSettings,
): ContainerResources {
  return {
    cpuShares: cpuSharesOf(cpuRequest ?? cpuLimit),
    ...(hasCpuQuota &&
      cpuLimit > 0 && { cpuQuota: cpuQuotaOf(cpuLimit, cpuPeriodUs), cpuPeriod: cpuPeriodUs }),
    ...(memoryLimitBytes > 0 && { memoryLimitBytes }),
  };
}

/** For every size that the machine has; a size that is not requested is forbidden. */
function hugePageLimits(sizes: readonly string[], limits: ResourceList): readonly HugePageLimit[] {
  const allowed = new Map<string, number>();
  for (const [name, amount] of Object.entries(limits)) {
    if (!name.startsWith(HUGE_PAGES)) continue;
    const size = Number(quantityValue(readQuantity(name.slice(HUGE_PAGES.length))));
    allowed.set(pageSizeName(size), Number(quantityValue(readQuantity(amount))));
  }
  return sizes.map((pageSize) => ({ pageSize, limitBytes: allowed.get(pageSize) ?? 0 }));
}

/** A container that requests much memory is killed after one that requests little. */
function oomScoreAdjust(pod: Pod, container: RunContainer, capacity: number): number {
  if (isNodeCritical(pod)) return OOM_GUARANTEED;
  const qos = qosClass(pod);
  if (qos === 'Guaranteed') return OOM_GUARANTEED;
  if (qos === 'BestEffort') return OOM_BEST_EFFORT;
  const part = partOfPodRequest(pod);
  const score = scoreOf(memoryRequest(container) + part, capacity);
  if (findContainer(pod, container.name)?.list !== 'initContainers' || !isSidecar(container)) {
    return score;
  }
  // A sidecar must not be killed before the containers that it serves.
  const least = Math.min(...pod.spec.containers.map((each) => memoryRequest(each)));
  return Math.min(score, scoreOf(least + part, capacity));
}

/** The part of the pod's request beyond its containers' is shared equally by the containers. */
function partOfPodRequest(pod: Pod): number {
  const { resources, overhead: _, ...spec } = pod.spec;
  const ofPod = bytes(resources?.requests);
  if (!ofPod) return 0;
  const { containers, initContainers = [] } = spec;
  const ofContainers = bytes(podRequests({ ...pod, spec })) ?? 0;
  return Math.trunc((ofPod - ofContainers) / (containers.length + initContainers.length));
}

function scoreOf(requestBytes: number, capacity: number): number {
  const score = capacity > 0 ? 1000 - Math.trunc((1000 * requestBytes) / capacity) : 999;
  // Above every guaranteed container, and below every one without any request.
  return Math.min(Math.max(score, 1000 + OOM_GUARANTEED), OOM_BEST_EFFORT - 1);
}

/** Critical for the node, and not only for the cluster. */
function isNodeCritical(pod: Pod): boolean {
  const { priority = 0, priorityClassName } = runSpecOf(pod);
  if (priorityClassName !== NODE_CRITICAL) return false;
  return isStaticPod(pod) || isMirrorPod(pod) || priority >= SYSTEM_CRITICAL_PRIORITY;
}

function memoryRequest({ resources }: Pick<RunContainer, 'resources'>): number {
  return bytes(resources?.requests) ?? 0;
}

function bytes(list: ResourceList | undefined): number | undefined {
  const amount = list?.['memory'];
  return amount === undefined ? undefined : Number(quantityValue(readQuantity(amount)));
}

function milliCpu(list: ResourceList | undefined): number | undefined {
  const amount = list?.['cpu'];
  return amount === undefined ? undefined : Number(quantityMilliValue(readQuantity(amount)));
}
