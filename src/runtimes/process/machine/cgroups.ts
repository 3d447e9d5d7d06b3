/**
 * Creates control groups for containers, sets their limits, and reads their usage.
 *
 * cgroup v2 has one tree, cgroup v1 one for each controller. Each container gets a group in each tree, below
 * the group of this runtime. Without control groups podkeep samples memory by itself (limits.ts), and does
 * not limit CPU.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {
  parseIoStat,
  parseThrottling,
  type CpuThrottling,
  type DeviceIo,
} from '../../../lib/cgroups/cgroup-counters.ts';
import type { ContainerResources } from '../../../ports/runtime/container-config.ts';

export interface CgroupUsage {
  readonly cpuNanoseconds?: bigint;
  readonly memoryBytes?: number;
  /** Without inactive page cache, which the kernel would reclaim first. */
  readonly workingSetBytes?: number;
  readonly throttling?: CpuThrottling;
  readonly io?: readonly DeviceIo[];
}

export interface GroupSetting {
  readonly file: string;
  readonly value: string;
  /** True: the kernel may lack this file, and the container runs without the setting. */
  readonly isOptional: boolean;
}

export interface Cgroups {
  /** True: cgroup v2. */
  readonly isUnified: boolean;
  readonly limitsCpu: boolean;
  readonly limitsMemory: boolean;
  /** The folders of a container's group. They may not exist yet. */
  folders(name: string): readonly string[];
  /** The settings of a new group. */
  settings(folders: readonly string[], resources: ContainerResources): readonly GroupSetting[];
  usage(folders: readonly string[]): CgroupUsage;
  /** How often the kernel killed a process of the group because of its memory limit. */
  outOfMemoryKills(folders: readonly string[]): number;
  remove(folders: readonly string[]): void;
  /** Removes the groups of unknown containers: podkeep was killed before their record was written. */
  sweep(known: ReadonlySet<string>): void;
  /** Removes the runtime's own group, if it is empty. */
  close(): void;
}

const ROOT = '/sys/fs/cgroup';
const CPU_PERIOD_US = 100_000;
const NO_LIMIT = '-1';

/** Null: this user may not create control groups. */
export function openCgroups(name: string, root = ROOT): Cgroups | null {
  return openUnified(name, root) ?? openSeparate(name, root);
}

/** In cgroup v2, controllers must be enabled level by level, from the top. */
function openUnified(name: string, root: string): Cgroups | null {
  if (!existsSync(path.join(root, 'cgroup.controllers'))) return null;
  for (const parent of [root, path.join(root, ownUnifiedParent())]) {
    const base = path.join(parent, name);
    if (!tryTo(() => mkdirSync(base, { recursive: true }))) continue;
    allow(parent);
    allow(base);
    const given = read(base, 'cgroup.subtree_control').split(/\s+/);
    if (given.includes('memory')) return new UnifiedCgroups(base, given.includes('cpu'));
    tryTo(() => rmdirSync(base));
  }
  return null;
}

function allow(folder: string): void {
  tryTo(() => writeFileSync(path.join(folder, 'cgroup.subtree_control'), '+cpu +memory +pids'));
  // The controller `io` is only used to count; not every kernel has it.
  tryTo(() => writeFileSync(path.join(folder, 'cgroup.subtree_control'), '+io'));
}

function ownUnifiedParent(): string {
  const own = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1] ?? '/';
  return path.dirname(own);
}

function openSeparate(name: string, root: string): Cgroups | null {
  const bases = new Map<string, string>();
  for (const kind of ['memory', 'cpu', 'cpuacct']) {
    const mounted = path.join(root, kind);
    if (!existsSync(path.join(mounted, 'cgroup.procs'))) continue;
    const base = path.join(realpathSync(mounted), name);
    if (tryTo(() => mkdirSync(base, { recursive: true }))) bases.set(kind, base);
  }
  return bases.size > 0 ? new SeparateCgroups(bases) : null;
}

/** Makes missing limits explicit: a group that exists may have limits to remove. */
export function withoutLimits(resources: ContainerResources): ContainerResources {
  const { cpuQuota = 0, cpuPeriod = CPU_PERIOD_US, memoryLimitBytes = 0 } = resources;
  return { ...resources, cpuQuota, cpuPeriod, memoryLimitBytes };
}

export function writeSettings(settings: readonly GroupSetting[]): void {
  for (const { file, value, isOptional } of settings) {
    if (isOptional) tryTo(() => writeFileSync(file, value));
    else writeFileSync(file, value);
  }
}

abstract class MadeCgroups {
  readonly #bases: readonly string[];

  constructor(bases: Iterable<string>) {
    this.#bases = [...new Set(bases)];
  }

  folders(name: string): readonly string[] {
    return this.#bases.map((base) => path.join(base, name));
  }

  remove(folders: readonly string[]): void {
    for (const folder of folders) tryTo(() => rmdirSync(folder));
  }

  sweep(known: ReadonlySet<string>): void {
    for (const base of this.#bases) {
      for (const entry of readdirSync(base, { withFileTypes: true })) {
        if (!entry.isDirectory() || known.has(entry.name)) continue;
        tryTo(() => rmdirSync(path.join(base, entry.name)));
      }
    }
  }

  /** Groups in use stay, and the runtime's group with them. */
  close(): void {
    for (const base of this.#bases) tryTo(() => rmdirSync(base));
  }
}

/** cgroup v2. */
export class UnifiedCgroups extends MadeCgroups implements Cgroups {
  readonly isUnified = true;
  readonly limitsCpu: boolean;
  readonly limitsMemory = true;

  constructor(base: string, limitsCpu: boolean) {
    super([base]);
    this.limitsCpu = limitsCpu;
  }

  settings(
    [folder = '']: readonly string[],
    resources: ContainerResources,
  ): readonly GroupSetting[] {
    const { cpuShares, cpuQuota, cpuPeriod = CPU_PERIOD_US, memoryLimitBytes } = resources;
    const cpu = [
      setting(folder, 'cpu.max', cpuQuota, (quota) => `${limitText(quota, 'max')} ${cpuPeriod}`),
      setting(folder, 'cpu.weight', cpuShares, (shares) => String(weightOf(shares))),
    ];
    return [
      setting(folder, 'memory.max', memoryLimitBytes, (bytes) => limitText(bytes, 'max')),
      // At its memory limit the kernel kills the whole container, not one of its processes.
      [{ file: path.join(folder, 'memory.oom.group'), value: '1', isOptional: true }],
      ...(this.limitsCpu ? cpu : []),
    ].flat();
  }

  usage([folder = '']: readonly string[]): CgroupUsage {
    const microseconds = field(read(folder, 'cpu.stat'), 'usage_usec');
    const inactive = field(read(folder, 'memory.stat'), 'inactive_file') ?? 0;
    const memory = numberOf(read(folder, 'memory.current'));
    const nanoseconds = microseconds === undefined ? undefined : microseconds * 1000;
    return {
      ...usageOf(nanoseconds, memory, inactive),
      ...countersOf(read(folder, 'cpu.stat'), read(folder, 'cpu.max'), read(folder, 'io.stat')),
    };
  }

  outOfMemoryKills([folder = '']: readonly string[]): number {
    return field(read(folder, 'memory.events'), 'oom_kill') ?? 0;
  }
}

/** cgroup v1. */
export class SeparateCgroups extends MadeCgroups implements Cgroups {
  readonly isUnified = false;
  readonly limitsCpu: boolean;
  readonly limitsMemory: boolean;

  readonly #bases: ReadonlyMap<string, string>;

  constructor(bases: ReadonlyMap<string, string>) {
    super(bases.values());
    this.#bases = bases;
    this.limitsCpu = bases.has('cpu');
    this.limitsMemory = bases.has('memory');
  }

  settings(folders: readonly string[], resources: ContainerResources): readonly GroupSetting[] {
    const { cpuShares, cpuQuota, cpuPeriod, memoryLimitBytes } = resources;
    const of = (kind: string): string =>
      folders.find((folder) => path.dirname(folder) === this.#bases.get(kind)) ?? '';
    const [memory, cpu] = [of('memory'), of('cpu')];
    return [
      setting(memory, 'memory.limit_in_bytes', memoryLimitBytes, (n) => limitText(n, NO_LIMIT)),
      setting(cpu, 'cpu.shares', cpuShares, (shares) => String(Math.max(shares, 2))),
      setting(cpu, 'cpu.cfs_period_us', cpuPeriod, String),
      setting(cpu, 'cpu.cfs_quota_us', cpuQuota, (quota) => limitText(quota, NO_LIMIT)),
    ].flat();
  }

  usage(folders: readonly string[]): CgroupUsage {
    const first = (name: string): string =>
      folders.map((each) => read(each, name)).find(Boolean) ?? '';
    const inactive = field(first('memory.stat'), 'total_inactive_file') ?? 0;
    const memory = numberOf(first('memory.usage_in_bytes'));
    return {
      ...usageOf(numberOf(first('cpuacct.usage')), memory, inactive),
      ...countersOf(first('cpu.stat'), first('cpu.cfs_quota_us'), ''),
    };
  }

  outOfMemoryKills(folders: readonly string[]): number {
    const kills = folders.map(
      (folder) => field(read(folder, 'memory.oom_control'), 'oom_kill') ?? 0,
    );
    return Math.max(0, ...kills);
  }
}

/** cgroup v1 counts I/O in the controller blkio, in which these containers have no group. */
function countersOf(
  cpuStat: string,
  quota: string,
  ioStat: string,
): Pick<CgroupUsage, 'throttling' | 'io'> {
  const [throttling, io] = [parseThrottling(cpuStat, quota), parseIoStat(ioStat)];
  return { ...(throttling && { throttling }), ...(io.length > 0 && { io }) };
}

function usageOf(
  nanoseconds: number | undefined,
  memoryBytes: number | undefined,
  inactiveBytes: number,
): CgroupUsage {
  return {
    ...(nanoseconds === undefined ? {} : { cpuNanoseconds: BigInt(Math.trunc(nanoseconds)) }),
    ...(memoryBytes === undefined
      ? {}
      : { memoryBytes, workingSetBytes: Math.max(memoryBytes - inactiveBytes, 0) }),
  };
}

/** Empty: the limit is not set, or the kernel has no controller for it. */
function setting(
  folder: string,
  name: string,
  limit: number | undefined,
  format: (limit: number) => string,
): readonly GroupSetting[] {
  if (folder === '' || limit === undefined) return [];
  return [{ file: path.join(folder, name), value: format(limit), isOptional: false }];
}

/** For the kubelet zero or less means no limit. */
function limitText(limit: number | undefined, none: string): string {
  return limit === undefined || limit <= 0 ? none : String(limit);
}

/** Converts cgroup v1 CPU shares (2 to 262,144) to a cgroup v2 weight (1 to 10,000). */
export function weightOf(shares: number): number {
  const inside = Math.min(Math.max(shares, 2), 262_144);
  return 1 + Math.trunc(((inside - 2) * 9999) / 262_142);
}

function field(text: string, name: string): number | undefined {
  const found = new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

function numberOf(text: string): number | undefined {
  return /^\d+\s*$/.test(text) ? Number(text) : undefined;
}

function read(folder: string, name: string): string {
  try {
    return readFileSync(path.join(folder, name), 'utf8');
  } catch {
    return '';
  }
}

/** False: the kernel refused. Every caller has a fallback. */
function tryTo(step: () => unknown): boolean {
  try {
    step();
    return true;
  } catch {
    return false;
  }
}
