/**
 * Requests and limits in the kernel's units: shares and quota of CPU time, bytes, and who goes
 * first when memory runs out.
 */
import { quantityMilliValue, quantityValue } from '../../api/quantity.ts';
import { readQuantity } from '../../api/quantity-text.ts';
import type { Pod } from '../../api/pod.ts';
import type { ResourceList } from '../../api/resources.ts';
import { isMirrorPod, isSidecar, isStaticPod } from '../../core/pod-facts.ts';
import { qosClass } from '../../core/qos-class.ts';
import type { ContainerResources } from '../../ports/runtime/container-config.ts';
import { findContainer, runSpecOf, type RunContainer } from './run-spec.ts';

const SHARES_PER_CPU = 1024;
const SHARES_MIN = 2;
const SHARES_MAX = 262_144;
const QUOTA_PERIOD_US = 100_000;
const QUOTA_MIN_US = 1000;

const OOM_GUARANTEED = -997;
const OOM_BEST_EFFORT = 1000;
const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;

export function kernelResources(
  pod: Pod,
  container: RunContainer,
  memoryCapacityBytes: number,
): ContainerResources {
  const { requests, limits } = container.resources ?? {};
  const podLimits = pod.spec.resources?.limits;
  const cpuRequest = milliCpu(requests) ?? milliCpu(limits) ?? 0;
  const cpuLimit = milliCpu(limits) ?? milliCpu(podLimits) ?? 0;
  const memoryLimitBytes = bytes(limits) ?? bytes(podLimits) ?? 0;
  return {
    cpuShares: sharesOf(cpuRequest),
    ...(cpuLimit > 0 && { cpuQuota: quotaOf(cpuLimit), cpuPeriod: QUOTA_PERIOD_US }),
    ...(memoryLimitBytes > 0 && { memoryLimitBytes }),
    oomScoreAdjust: oomScoreAdjust(pod, container, memoryCapacityBytes),
  };
}

function sharesOf(milli: number): number {
  const shares = Math.trunc((milli * SHARES_PER_CPU) / 1000);
  return Math.min(Math.max(shares, SHARES_MIN), SHARES_MAX);
}

function quotaOf(milli: number): number {
  return Math.max(Math.trunc((milli * QUOTA_PERIOD_US) / 1000), QUOTA_MIN_US);
}

/** A container that asked for much memory is ended after one that asked for little. */
function oomScoreAdjust(pod: Pod, container: RunContainer, capacity: number): number {
  if (isCritical(pod)) return OOM_GUARANTEED;
  const qos = qosClass(pod);
  if (qos === 'Guaranteed') return OOM_GUARANTEED;
  if (qos === 'BestEffort') return OOM_BEST_EFFORT;
  const score = scoreOf(memoryRequest(container), capacity);
  if (findContainer(pod, container.name)?.list !== 'initContainers' || !isSidecar(container)) {
    return score;
  }
  // A sidecar must not be ended before the containers that it serves.
  const least = Math.min(...pod.spec.containers.map((each) => memoryRequest(each)));
  return Math.min(score, scoreOf(least, capacity));
}

function scoreOf(requestBytes: number, capacity: number): number {
  const score = capacity > 0 ? 1000 - Math.trunc((1000 * requestBytes) / capacity) : 999;
  // Below every guaranteed container, and above every one without any request.
  return Math.min(Math.max(score, 1000 + OOM_GUARANTEED), OOM_BEST_EFFORT - 1);
}

function isCritical(pod: Pod): boolean {
  const { priority = 0 } = runSpecOf(pod);
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
