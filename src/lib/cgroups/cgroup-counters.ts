/**
 * Parses counters of control groups that container runtimes do not report: CPU throttling and block I/O.
 *
 *     cgroup v2   cpu.stat: nr_periods, nr_throttled, throttled_usec     io.stat: 8:0 rbytes=1 wbytes=2 …
 *     cgroup v1   cpu.stat: nr_periods, nr_throttled, throttled_time     blkio.*: 8:0 Read 1
 */

export interface CpuThrottling {
  readonly periods: number;
  readonly throttledPeriods: number;
  readonly throttledSeconds: number;
}

/** The bytes transferred from and to one block device. */
export interface DeviceIo {
  readonly major: number;
  readonly minor: number;
  /** By operation, such as Read and Write. */
  readonly bytes: Readonly<Record<string, number>>;
}

const OPERATIONS: Readonly<Record<string, string>> = {
  rbytes: 'Read',
  wbytes: 'Write',
  dbytes: 'Discard',
};

/** Files of cgroup v1, the most complete one first. All have the same format. */
export const BLKIO_FILES = [
  'blkio.bfq.io_service_bytes_recursive',
  'blkio.throttle.io_service_bytes_recursive',
  'blkio.throttle.io_service_bytes',
] as const;

/** Null: the kernel has no such counter, or the group has no CPU quota. */
export function parseThrottling(cpuStat: string, quota: string): CpuThrottling | null {
  if (!/^[1-9]/.test(quota)) return null;
  const [periods, throttledPeriods] = [
    field(cpuStat, 'nr_periods'),
    field(cpuStat, 'nr_throttled'),
  ];
  const nanoseconds = field(cpuStat, 'throttled_time');
  const microseconds = field(cpuStat, 'throttled_usec');
  if (periods === null || throttledPeriods === null) return null;
  if (microseconds !== null) {
    return { periods, throttledPeriods, throttledSeconds: microseconds / 1_000_000 };
  }
  if (nanoseconds === null) return null;
  return { periods, throttledPeriods, throttledSeconds: nanoseconds / 1_000_000_000 };
}

/** Parses io.stat of cgroup v2. */
export function parseIoStat(text: string): readonly DeviceIo[] {
  return text.split('\n').flatMap((line) => {
    const [device = '', ...fields] = line.trim().split(/\s+/);
    const bytes = fields.flatMap((one) => {
      const [key = '', value = ''] = one.split('=');
      const operation = OPERATIONS[key];
      return operation !== undefined && /^\d+$/.test(value) ? [[operation, Number(value)]] : [];
    });
    return withDevice(device, Object.fromEntries(bytes));
  });
}

/** Parses a blkio file of cgroup v1. The last line is the sum of all devices, and is skipped. */
export function parseBlkio(text: string): readonly DeviceIo[] {
  const devices = new Map<string, Record<string, number>>();
  for (const line of text.split('\n')) {
    const [device = '', operation = '', value = ''] = line.trim().split(/\s+/);
    if (!/^\d+$/.test(value)) continue;
    devices.set(device, { ...devices.get(device), [operation]: Number(value) });
  }
  return [...devices].flatMap(([device, bytes]) => withDevice(device, bytes));
}

function withDevice(device: string, bytes: Readonly<Record<string, number>>): readonly DeviceIo[] {
  const [, major, minor] = /^(\d+):(\d+)$/.exec(device) ?? [];
  if (major === undefined || Object.keys(bytes).length === 0) return [];
  return [{ major: Number(major), minor: Number(minor), bytes }];
}

function field(text: string, name: string): number | null {
  const found = new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1];
  return found === undefined ? null : Number(found);
}
