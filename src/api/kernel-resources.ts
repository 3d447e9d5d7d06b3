/**
 * Converts cgroup values (shares, quota, period) that a runtime reports to Kubernetes' resource quantities,
 * as Kubernetes' kubelet does.
 */
import { quantityFromInteger, quantityFromMilli } from './values/quantity.ts';
import { formatQuantity } from './values/quantity-text.ts';
import type { RuntimeResources } from './runtime-pod.ts';

export interface KernelNumbers {
  readonly cpuShares?: number;
  /** Microseconds in each period of `cpuPeriod`. Absent: there is no limit. */
  readonly cpuQuota?: number;
  readonly cpuPeriod?: number;
  readonly memoryLimitBytes?: number;
}

const SHARES_PER_CPU = 1024;
const SHARES_MIN = 2;

export function resourcesOfKernel(numbers: KernelNumbers): RuntimeResources {
  const { cpuShares = 0, cpuQuota = 0, cpuPeriod = 0, memoryLimitBytes = 0 } = numbers;
  const request = cpuShares >= SHARES_MIN ? Math.ceil((cpuShares * 1000) / SHARES_PER_CPU) : 0;
  const limit = cpuQuota > 0 && cpuPeriod > 0 ? Math.trunc((cpuQuota * 1000) / cpuPeriod) : 0;
  return {
    ...(request > 0 && { cpuRequest: formatMilli(request) }),
    ...(limit > 0 && { cpuLimit: formatMilli(limit) }),
    ...(memoryLimitBytes > 0 && {
      memoryLimit: formatQuantity(quantityFromInteger(BigInt(memoryLimitBytes), 'BinarySI')),
    }),
  };
}

function formatMilli(amount: number): string {
  return formatQuantity(quantityFromMilli(BigInt(amount), 'DecimalSI'));
}
