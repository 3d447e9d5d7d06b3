/**
 * Reads the resource usage of this machine as a whole: from /proc on Linux, elsewhere from Node.js. Unknown
 * values are absent.
 */
import { readFile, statfs } from 'node:fs/promises';
import { availableParallelism, cpus, freemem, totalmem, uptime } from 'node:os';
import path from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { CpuStats, MemoryStats, NetworkStats } from '../../ports/runtime/stats.ts';

export interface MachineUsage {
  /** When the machine was booted. */
  readonly startedAtMs: number;
  readonly cores: number;
  readonly cpu: CpuStats;
  readonly memory: MemoryStats & { readonly totalBytes: number };
  readonly swap?: SwapUsage;
  /** eth0 first, if there is one. */
  readonly networks: readonly NetworkStats[];
  readonly processes?: ProcessLimits;
  /**
   * Pressure stall information: the percentage of the last minute in which some task waited. Absent: the
   * kernel has none.
   */
  readonly pressure?: MachinePressure;
}

export type MachinePressure = Partial<Readonly<Record<PressureResource, number>>>;

type PressureResource = (typeof PRESSURE_RESOURCES)[number];

export interface SwapUsage {
  readonly usedBytes: number;
  readonly availableBytes: number;
}

export interface ProcessLimits {
  readonly max: number;
  readonly running: number;
}

export interface FileSystemUsage {
  readonly availableBytes: number;
  readonly capacityBytes: number;
  readonly usedBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
  readonly inodesUsed: number;
}

const PRESSURE_RESOURCES = ['cpu', 'memory', 'io'] as const;
const BYTES_PER_KB = 1024;
const NANOSECONDS_PER_MS = 1_000_000n;
const USUAL_INTERFACE = 'eth0';

/** `procFolder` is /proc, except in tests. */
export async function readMachineUsage(clock: Clock, procFolder = '/proc'): Promise<MachineUsage> {
  const read = (name: string): Promise<string | null> => readText(path.join(procFolder, name));
  const [memory, devices, load, pidMax, threadsMax] = await Promise.all(
    ['meminfo', 'net/dev', 'loadavg', 'sys/kernel/pid_max', 'sys/kernel/threads-max'].map(read),
  );
  const pressure = await readPressure(read);
  const timeMs = clock.now();
  const table = memory ? readTable(memory) : null;
  const processes = load ? limitsOf(load, [pidMax, threadsMax]) : null;
  return {
    startedAtMs: timeMs - uptime() * 1000,
    cores: availableParallelism(),
    cpu: { timeMs, usageNanoseconds: usedCpu() },
    memory: table ? memoryOf(table, timeMs) : plainMemory(timeMs),
    ...(table && { swap: swapOf(table) }),
    networks: devices ? networksOf(devices, timeMs) : [],
    ...(processes && { processes }),
    ...(pressure && { pressure }),
  };
}

/** Null: the kernel has no PSI, or it is switched off. */
async function readPressure(
  read: (name: string) => Promise<string | null>,
): Promise<MachinePressure | null> {
  const entries = await Promise.all(
    PRESSURE_RESOURCES.map(async (resource) => {
      const text = await read(`pressure/${resource}`);
      const percent = /^some .*\bavg60=([\d.]+)/m.exec(text ?? '')?.[1];
      return percent === undefined ? [] : [[resource, Number(percent)] as const];
    }),
  );
  const known = entries.flat();
  return known.length === 0 ? null : Object.fromEntries(known);
}

/** Of the file system that a folder is on. Null: there is no such folder. */
export async function readFileSystem(folder: string): Promise<FileSystemUsage | null> {
  const found = await statfs(folder).catch(() => null);
  if (!found) return null;
  const { bsize, blocks, bfree, bavail, files, ffree } = found;
  return {
    availableBytes: bavail * bsize,
    capacityBytes: blocks * bsize,
    usedBytes: (blocks - bfree) * bsize,
    inodes: files,
    inodesFree: ffree,
    inodesUsed: files - ffree,
  };
}

function usedCpu(): bigint {
  const busy = cpus().map(({ times: { user, nice, sys, irq } }) => user + nice + sys + irq);
  const ms = busy.reduce((sum, each) => sum + each, 0);
  return BigInt(Math.round(ms)) * NANOSECONDS_PER_MS;
}

type MemoryTable = ReadonlyMap<string, number>;

function readTable(text: string): MemoryTable {
  const rows = text.matchAll(/^(\S+):\s+(\d+) kB$/gm);
  return new Map(Array.from(rows, ([, name = '', kb]) => [name, Number(kb) * BYTES_PER_KB]));
}

/** As in the kubelet, the working set is the memory that cannot be reclaimed immediately. */
function memoryOf(table: MemoryTable, timeMs: number): MachineUsage['memory'] {
  const at = (name: string): number => table.get(name) ?? 0;
  const usageBytes = at('MemTotal') - at('MemFree');
  return {
    timeMs,
    totalBytes: at('MemTotal'),
    usageBytes,
    workingSetBytes: Math.max(usageBytes - at('Inactive(file)'), 0),
    residentBytes: at('AnonPages'),
  };
}

function plainMemory(timeMs: number): MachineUsage['memory'] {
  const [totalBytes, used] = [totalmem(), totalmem() - freemem()];
  return { timeMs, totalBytes, usageBytes: used, workingSetBytes: used };
}

function swapOf(table: MemoryTable): SwapUsage {
  const availableBytes = table.get('SwapFree') ?? 0;
  return { availableBytes, usedBytes: (table.get('SwapTotal') ?? 0) - availableBytes };
}

/** Without loopback. */
function networksOf(text: string, timeMs: number): readonly NetworkStats[] {
  const found = Array.from(
    text.matchAll(/^\s*(\S+):\s*(.*)$/gm),
    ([, interfaceName = '', rest]) => {
      const numbers = (rest ?? '').trim().split(/\s+/).map(Number);
      const [receivedBytes = 0, , receiveErrors = 0] = numbers;
      const [sentBytes = 0, , sendErrors = 0] = numbers.slice(8);
      return { timeMs, interfaceName, receivedBytes, receiveErrors, sentBytes, sendErrors };
    },
  ).filter(({ interfaceName }) => interfaceName !== 'lo');
  const isUsual = (one: NetworkStats): number => (one.interfaceName === USUAL_INTERFACE ? 0 : 1);
  return found.toSorted((a, b) => isUsual(a) - isUsual(b));
}

/** Processes and threads count alike: the kernel has one limit for both. */
function limitsOf(load: string, limits: readonly (string | null | undefined)[]) {
  const running = Number(/\d+\/(\d+)/.exec(load)?.[1] ?? Number.NaN);
  const max = Math.min(...limits.flatMap((text) => (text ? [Number(text)] : [])));
  return Number.isFinite(running) && Number.isFinite(max) ? { max, running } : null;
}

async function readText(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null);
}
