/** Opens the cgroups of pods on this machine, with the configured cgroup driver. */
import { podsCgroup, type CgroupDriver } from '../../core/cgroups/cgroup-name.ts';
import type { PodLimitSettings } from '../../core/cgroups/pod-limits.ts';
import { CommandShell } from '../../lib/command-shell.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { CgroupMetrics } from '../metrics/cgroup-metrics.ts';
import { findCgroupMounts } from './cgroup-mounts.ts';
import { MeasuredCgroupTree } from './measured-cgroup-tree.ts';
import { NodePodCgroups } from './node-pod-cgroups.ts';
import { SystemdSlices } from './systemd-slices.ts';

export interface PodCgroupsOptions {
  readonly driver: CgroupDriver;
  /** As configured: empty, or the cgroup below which all pods are. */
  readonly root: string;
  readonly settings: PodLimitSettings;
  readonly clock: Clock;
  readonly log: Log;
  /** Absent: changes are not measured. */
  readonly observer?: Pick<CgroupMetrics, 'operationEnded'>;
}

export interface OpenPodCgroups {
  readonly cgroups: NodePodCgroups;
  /** Ends the helper process; the cgroups stay. */
  close(): void;
}

/** Throws CGROUP_NOT_USABLE. */
export async function openPodCgroups(options: PodCgroupsOptions): Promise<OpenPodCgroups> {
  const { driver, root, settings, clock, log, observer } = options;
  const mounts = await findCgroupMounts();
  const shell = new CommandShell();
  const slices =
    driver === 'systemd'
      ? new SystemdSlices(mounts.version, (args) => shell.run(['systemctl', ...args]))
      : undefined;
  const tree = new MeasuredCgroupTree({ mounts, slices }, clock, observer);
  const pods = podsCgroup(root);
  const cgroups = new NodePodCgroups({ tree, clock, log, pods, settings, kill });
  await cgroups.start();
  return { cgroups, close: () => shell.close() };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
