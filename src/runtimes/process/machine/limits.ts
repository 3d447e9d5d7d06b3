/**
 * Keeps containers within their limits, by control groups where there are any. Otherwise the memory of a
 * container's processes is added up once a second, and a container over its limit is killed, as the kernel
 * would do. (Limiting the address space is no alternative: Node reserves far more than it uses, and would not
 * even start.)
 */
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ContainerResources } from '../../../ports/runtime/container-config.ts';
import {
  openCgroups,
  withoutLimits,
  writeSettings,
  type Cgroups,
  type CgroupUsage,
  type GroupSetting,
} from './cgroups.ts';
import type { Container } from '../container/container.ts';
import { keyOf } from '../layout.ts';
import { PodPids } from '../sandbox/pod-pids.ts';
import { familyOf, readPageBytes, readProcesses, type ProcessEntry } from './proc-table.ts';
import type { ContainerRecord } from '../container/records.ts';
import type { RunningExecs } from '../container/running-execs.ts';

const MARK = 'oom';

export interface LimitsOptions {
  readonly folder: string;
  /** Whether control groups are to be used where they can be written. */
  readonly hasGroups: boolean;
  /** Not positive: none. */
  readonly podPidsLimit: number;
  /** Containers have process namespaces. */
  readonly hasProcesses: boolean;
  readonly execs: RunningExecs;
}

export class Limits {
  readonly #cgroups: Cgroups | null;
  readonly pageBytes = readPageBytes();

  readonly pids: PodPids;

  readonly #execs: RunningExecs;

  constructor({ folder, hasGroups, podPidsLimit, hasProcesses, execs }: LimitsOptions) {
    this.#execs = execs;
    const name = `podkeep-${keyOf(folder)}`;
    this.#cgroups = hasGroups ? openCgroups(name) : null;
    this.pids = new PodPids({
      name,
      limit: podPidsLimit,
      hasGroups,
      isUnified: this.#cgroups?.isUnified ?? false,
      hasProcesses,
    });
  }

  /** A limit of processes is configured, and nothing enforces it. */
  get lacksPids(): boolean {
    return this.pids.isLimited && this.pids.way === 'none';
  }

  get enforcesCpu(): boolean {
    return this.#cgroups?.limitsCpu ?? false;
  }

  /** The folders of its control groups, which are created when it starts. */
  groupsOf(id: string, podUid: string): readonly string[] {
    return [...(this.#cgroups?.folders(groupOf(id)) ?? []), ...this.pids.folders(podUid)];
  }

  /** The settings of new groups. */
  settings(
    groups: readonly string[],
    resources: ContainerResources,
    podUid: string,
  ): readonly GroupSetting[] {
    const own = this.#ownGroups(groups, podUid);
    const limits = own.length > 0 ? (this.#cgroups?.settings(own, resources) ?? []) : [];
    return [...limits, ...this.pids.settings(podUid, own)];
  }

  /** Without those of its pod. */
  #ownGroups(groups: readonly string[], podUid: string): readonly string[] {
    const ofPod = new Set(this.pids.folders(podUid));
    return groups.filter((group) => !ofPod.has(group));
  }

  /** Groups that do not exist yet are created with these limits later. */
  update({ cgroups: groups, podUid }: ContainerRecord, resources: ContainerResources): void {
    if (groups.length === 0 || !groups.every((group) => existsSync(group))) return;
    writeSettings(this.settings(groups, withoutLimits(resources), podUid));
  }

  usage({ record }: Container): CgroupUsage {
    return record.cgroups.length > 0 ? (this.#cgroups?.usage(record.cgroups) ?? {}) : {};
  }

  remove(folders: readonly string[]): void {
    this.#cgroups?.remove(folders);
  }

  /** Whether it ended for its memory. The mark is for a later podkeep. */
  wasOutOfMemory({ record, folder }: Container): boolean {
    if (existsSync(path.join(folder, MARK))) return true;
    return record.cgroups.length > 0 && (this.#cgroups?.outOfMemoryKills(record.cgroups) ?? 0) > 0;
  }

  /** Kills those that use more than they may. */
  sample(containers: readonly Container[]): void {
    const limited = containers.filter((container) => this.#sampledLimit(container) > 0);
    if (limited.length === 0) return;
    const table = readProcesses();
    for (const container of limited) {
      if (this.residentBytes(container, table) <= this.#sampledLimit(container)) continue;
      writeFileSync(path.join(container.folder, MARK), '');
      container.kill();
    }
  }

  residentBytes({ init, session, record }: Container, table: readonly ProcessEntry[]): number {
    const family = init ? familyOf(init, table, session) : [];
    const all = [...family, ...this.#execs.processesOf(record.id, table)];
    return all.reduce((total, entry) => total + entry.residentPages, 0) * this.pageBytes;
  }

  #sampledLimit({ record }: Container): number {
    const byKernel = record.cgroups.length > 0 && this.#cgroups?.limitsMemory === true;
    return byKernel ? 0 : (record.config.resources.memoryLimitBytes ?? 0);
  }

  sweep(containers: readonly Container[]): void {
    this.#cgroups?.sweep(new Set(containers.map(({ record }) => groupOf(record.id))));
    this.pids.sweep(new Set(containers.map(({ record }) => record.podUid)));
  }

  /** `kept` are those that a later podkeep needs, with their groups. */
  close(kept: readonly Container[]): void {
    this.sweep(kept);
    this.#cgroups?.close();
    this.pids.close();
  }
}

/** The name of a container's control group. */
function groupOf(id: string): string {
  return id.slice(-32);
}
