/** Converts resource limits to CRI's LinuxContainerResources. Unset limits are not sent. */
import type { ContainerResources } from '../../../ports/runtime/container-config.ts';
import type { LinuxContainerResources } from '../messages/common-messages.ts';
import type { ToSend } from '../messages/message.ts';

export function resourcesMessage(
  resources: ContainerResources,
): ToSend<typeof LinuxContainerResources> {
  const { hugePages = [] } = resources;
  return {
    cpuPeriod: resources.cpuPeriod,
    cpuQuota: resources.cpuQuota,
    cpuShares: resources.cpuShares,
    memoryLimitInBytes: resources.memoryLimitBytes,
    memorySwapLimitInBytes: resources.memorySwapLimitBytes,
    oomScoreAdj: resources.oomScoreAdjust,
    hugepageLimits: hugePages.map(({ pageSize, limitBytes: limit }) => ({ pageSize, limit })),
    unified: resources.unified,
  };
}
