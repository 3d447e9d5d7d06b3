/**
 * The control groups of a node's pods: where a runtime runs real containers, podkeep makes the groups
 * that hold each pod as a whole. A runtime that looks after itself needs none.
 */
import type { MachineInfo } from '../../api/machine.ts';
import type { ResourceList } from '../../api/resources.ts';
import { allocatableOf, capacityOf } from '../../core/node/node-resources.ts';
import { openPodCgroups, type OpenPodCgroups } from '../../kubelet/cgroups/open-pod-cgroups.ts';
import type { MachineKernel } from '../../kubelet/pod-runner/machine-kernel.ts';
import { defineError } from '../../lib/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import { nodeSettingsOf } from './node-settings.ts';

export interface NodeCgroupsRoom {
  readonly runtime: PodRuntime;
  readonly config: KubeletConfig;
  readonly kernel: MachineKernel;
  readonly clock: Clock;
  readonly log: Log;
}

export const cgroupVersionRefused = defineError<{ version: number }>({
  code: 'CGROUP_VERSION_REFUSED',
  retry: 'never',
  message: ({ version }) =>
    `this machine has control groups of version ${version}, and failCgroupV1 forbids them`,
  hint: () => 'Boot with systemd.unified_cgroup_hierarchy=1, or set failCgroupV1: false.',
});

/** Null: pods have no groups of their own. Throws CGROUP_VERSION_REFUSED or CGROUP_NOT_USABLE. */
export async function openNodeCgroups(room: NodeCgroupsRoom): Promise<OpenPodCgroups | null> {
  const { runtime, config, kernel, clock, log } = room;
  if (!runtime.usesPodCgroups) return null;
  const { cgroupVersion: version } = kernel;
  if (config.failCgroupV1 && version === 1) throw cgroupVersionRefused({ version });
  if (!config.cgroupsPerQOS) return null;
  return openPodCgroups({
    // Two that disagree start no container at all: what the runtime says counts.
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
  });
}

/**
 * What all pods together are held to: all of the machine, or what is not reserved. Thresholds of
 * eviction are no part of it: pods are to reach them, and to be evicted.
 */
export function limitOfAllPods(config: KubeletConfig, machine: MachineInfo): ResourceList {
  const settings = { ...nodeSettingsOf(config), evictionHard: {} };
  const capacity = capacityOf({ machine, storageBytes: null }, settings);
  if (!config.enforceNodeAllocatable.includes('pods')) return capacity;
  return allocatableOf(capacity, settings);
}
