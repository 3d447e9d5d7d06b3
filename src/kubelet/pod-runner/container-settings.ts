/**
 * What the node decides for all its containers: profiles, hidden paths, and which of the kernel's
 * means are used. Where nobody says anything, a node is one of the kubelet's defaults without huge
 * pages, on a machine whose cgroups are of version 1.
 */

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

/** Those that tell about the machine, or let it be harmed. The kubelet has the same list. */
export const MASKED_PATHS: readonly string[] = [
  '/proc/asound',
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
];

export const READONLY_PATHS: readonly string[] = [
  '/proc/bus',
  '/proc/fs',
  '/proc/irq',
  '/proc/sys',
  '/proc/sysrq-trigger',
];

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
