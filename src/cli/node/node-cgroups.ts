/**
 * Sets up the control groups of a node's pods. For a container runtime, podkeep creates the group of each
 * pod, as Kubernetes' kubelet does; the other runtimes manage their groups themselves.
 */
import type { MachineInfo } from '../../api/machine.ts';
import type { ResourceList } from '../../api/resources.ts';
import { allocatableOf, capacityOf } from '../../core/node/node-resources.ts';
import { openPodCgroups, type OpenPodCgroups } from '../../kubelet/cgroups/open-pod-cgroups.ts';
import type { CgroupMetrics } from '../../kubelet/metrics/cgroup-metrics.ts';
import type { MachineKernel } from '../../kubelet/containers/config/machine-kernel.ts';
import { defineError } from '../../lib/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import { nodeSettingsOf } from './node-settings.ts';

export interface NodeCgroupsDeps {
  readonly runtime: PodRuntime;
  readonly config: KubeletConfig;
  readonly kernel: MachineKernel;
  readonly clock: Clock;
  readonly log: Log;
  readonly observer: CgroupMetrics;
}

export const cgroupVersionRefused = defineError<{ version: number }>({
  code: 'CGROUP_VERSION_REFUSED',
  retry: 'never',
  message: ({ version }) => `this machine uses cgroup v${version}, which failCgroupV1 forbids`,
  hint: () => 'Boot with systemd.unified_cgroup_hierarchy=1, or set failCgroupV1: false.',
});

/** Null: pods have no groups. Throws CGROUP_VERSION_REFUSED or CGROUP_NOT_USABLE. */
export async function openNodeCgroups(deps: NodeCgroupsDeps): Promise<OpenPodCgroups | null> {
  const { runtime, config, kernel, clock, log, observer } = deps;
  if (!runtime.usesPodCgroups) return null;
  const { cgroupVersion: version } = kernel;
  if (config.failCgroupV1 && version === 1) throw cgroupVersionRefused({ version });
  if (!config.cgroupsPerQOS) return null;
  return openPodCgroups({
    // With different drivers no container starts, so the runtime's driver wins.
    driver: (await runtime.cgroupDriver?.()) ?? config.cgroupDriver,
    root: config.cgroupRoot,
    settings: {
      hasCpuQuota: config.cpuCFSQuota,
      cpuPeriodUs: Math.round(config.cpuCFSQuotaPeriodMs * 1000),
      podPidsLimit: config.podPidsLimit,
      hugePageSizes: kernel.hugePageSizes,
    },
    clock,
    log,
    observer,
  });
}

/**
 * The limit for all pods together: the whole machine, or what is not reserved. Eviction thresholds are
 * not subtracted: pods must be able to reach them, and to be evicted.
 */
export function limitOfAllPods(config: KubeletConfig, machine: MachineInfo): ResourceList {
  const settings = { ...nodeSettingsOf(config), evictionHard: {} };
  const capacity = capacityOf({ machine, storageBytes: null }, settings);
  if (!config.enforceNodeAllocatable.includes('pods')) return capacity;
  return allocatableOf(capacity, settings);
}
