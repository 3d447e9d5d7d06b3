/**
 * Enforces podPidsLimit of KubeletConfiguration: how many processes a pod may have.
 *
 *     cgroup v1                       a group for the processes of the whole pod
 *     cgroup v2                       a limit in the group of each container
 *     no control groups               pid_max of each process namespace, since Linux 6.14
 *     none of these                   no limit; podkeep records a Warning Event on the pod
 */
import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { release } from 'node:os';
import path from 'node:path';
import type { GroupSetting } from '../machine/cgroups.ts';

export type PidsWay = 'pod-group' | 'container-group' | 'pid-max' | 'none';

export interface PodPidsOptions {
  /** The name of the runtime's own group. */
  readonly name: string;
  /** Zero or less: no limit. */
  readonly limit: number;
  readonly hasGroups: boolean;
  /** True: cgroup v2, where the limit is set for each container. */
  readonly isUnified: boolean;
  readonly hasProcesses: boolean;
  readonly root?: string;
  readonly kernel?: string;
}

const ROOT = '/sys/fs/cgroup/pids';
/** The smallest pid_max that the kernel accepts for a namespace. */
const PID_MAX_LEAST = 301;

export class PodPids {
  readonly way: PidsWay;
  readonly #limit: number;
  readonly #base: string | undefined;

  constructor(options: PodPidsOptions) {
    const { name, limit, hasGroups, isUnified, hasProcesses, root = ROOT } = options;
    this.#limit = limit;
    this.#base = hasGroups && limit > 0 ? openBase(path.join(root, name), root) : undefined;
    if (this.#base !== undefined) this.way = 'pod-group';
    else if (hasGroups && isUnified) this.way = 'container-group';
    else this.way = hasProcesses && hasPidMax(options.kernel ?? release()) ? 'pid-max' : 'none';
  }

  get isLimited(): boolean {
    return this.#limit > 0;
  }

  /** The folders of the groups that the containers of a pod join. */
  folders(podUid: string): readonly string[] {
    return this.#base === undefined ? [] : [path.join(this.#base, podUid)];
  }

  /** `containerGroups`: the groups of one container of the pod. */
  settings(podUid: string, containerGroups: readonly string[]): readonly GroupSetting[] {
    if (!this.isLimited) return [];
    const folders = this.way === 'container-group' ? containerGroups : this.folders(podUid);
    const value = String(this.#limit);
    return folders.map((folder) => ({
      file: path.join(folder, 'pids.max'),
      value,
      isOptional: false,
    }));
  }

  /**
   * pid_max of the pod's process namespaces. Undefined: a control group enforces the limit, or nothing can.
   */
  get pidMax(): number | undefined {
    const isUsed = this.isLimited && this.way === 'pid-max';
    return isUsed ? Math.max(this.#limit, PID_MAX_LEAST) : undefined;
  }

  /** Removes the groups of pods that are gone. */
  sweep(known: ReadonlySet<string>): void {
    if (this.#base === undefined) return;
    for (const name of groupsIn(this.#base))
      if (!known.has(name)) remove(path.join(this.#base, name));
  }

  close(): void {
    if (this.#base !== undefined) remove(this.#base);
  }
}

function openBase(base: string, root: string): string | undefined {
  if (!existsSync(path.join(root, 'cgroup.procs'))) return undefined;
  try {
    mkdirSync(base, { recursive: true });
    return base;
  } catch {
    // This user may not create groups.
    return undefined;
  }
}

function groupsIn(base: string): readonly string[] {
  const entries = readdirSync(base, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Removes a group, unless it has processes. */
function remove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The group has processes; the next sweep removes it.
  }
}

/**
 * Since Linux 6.14 each process namespace has its own pid_max. On older kernels, writing it would change the
 * machine's.
 */
function hasPidMax(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  return major > 6 || (major === 6 && minor >= 14);
}
