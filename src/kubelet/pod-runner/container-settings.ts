/**
 * What the node decides for all its containers: profiles, hidden paths, and which of the kernel's
 * means are used. Where nobody says anything, a node is one of the kubelet's defaults without huge
 * pages, on a machine whose cgroups are of version 1.
 */
import { MASKED_PATHS } from '../../api/masked-paths.ts';

export interface ContainerSettings {
  /** A container that names no profile gets the runtime's, and not none. */
  readonly seccompDefault: boolean;
  /** Where the profiles are that pods name as `Localhost`. Absolute. */
  readonly seccompFolder: string;
  /** What of /proc and /sys no container sees, unless it asks for an unmasked /proc. */
  readonly maskedPaths: readonly string[];
  /** Whether a limit of CPU is enforced at all, and in periods of which length. */
  readonly hasCpuQuota: boolean;
  readonly cpuPeriodUs: number;
  /** As the kernel's files name them, such as 2MB. */
  readonly hugePageSizes: readonly string[];
  /** Files of version 2 that every container's group gets. */
  readonly unified: Readonly<Record<string, string>>;
  /** Version 1 counts swap together with memory, and a limit has to say so. */
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
