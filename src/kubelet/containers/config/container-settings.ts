/**
 * Settings of the node for all its containers: profiles, masked paths, and kernel features. The default is a
 * node with the defaults of Kubernetes' kubelet, without huge pages, on cgroup v1.
 */
import { MASKED_PATHS } from '../../../api/masked-paths.ts';

export interface ContainerSettings {
  /** A container without a seccomp profile gets the runtime's default profile instead of none. */
  readonly seccompDefault: boolean;
  /** The folder of the profiles that pods name as `Localhost`. Absolute. */
  readonly seccompFolder: string;
  /** Paths of /proc and /sys that are hidden from containers, except from those with procMount Unmasked. */
  readonly maskedPaths: readonly string[];
  /** Whether CPU limits are enforced, and in periods of which length. */
  readonly hasCpuQuota: boolean;
  readonly cpuPeriodUs: number;
  /** As the kernel's files name them, such as 2MB. */
  readonly hugePageSizes: readonly string[];
  /** cgroup v2 files that every container's cgroup gets. */
  readonly unified: Readonly<Record<string, string>>;
  /** cgroup v1 counts swap together with memory, so a memory limit needs this one, too. */
  readonly limitsSwap: boolean;
}

export const CONTAINER_SETTINGS_DEFAULT: ContainerSettings = {
  seccompDefault: false,
  seccompFolder: '/var/lib/kubelet/seccomp',
  maskedPaths: MASKED_PATHS,
  hasCpuQuota: true,
  cpuPeriodUs: 100_000,
  hugePageSizes: [],
  unified: {},
  limitsSwap: false,
};
