/**
 * Enforces the limits of containers, with control groups where podkeep may create them. Without them podkeep
 * adds up the memory of each container's processes once a second, and kills a container that exceeds its
 * limit. (Limiting the address space is no alternative: Node.js reserves far more than it uses, and would not
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
  /** Whether to use control groups if podkeep may create them. */
  readonly hasGroups: boolean;
  /** Zero or less: no limit. */
  readonly podPidsLimit: number;
  /** Whether containers have process namespaces. */
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

  /** Whether podPidsLimit is set, but this machine cannot enforce it. */
  get lacksPids(): boolean {
    return this.pids.isLimited && this.pids.way === 'none';
  }

  get enforcesCpu(): boolean {
    return this.#cgroups?.limitsCpu ?? false;
  }

  /** The folders of a container's control groups. They are created when the container starts. */
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

  /** The container's own groups, without the group of its pod. */
  #ownGroups(groups: readonly string[], podUid: string): readonly string[] {
    const ofPod = new Set(this.pids.folders(podUid));
    return groups.filter((group) => !ofPod.has(group));
  }

  /** Does nothing if the groups do not exist yet: they will be created with these limits. */
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

  /**
   * Whether the container was killed because of its memory limit. The mark file survives a restart of
   * podkeep.
   */
  wasOutOfMemory({ record, folder }: Container): boolean {
    if (existsSync(path.join(folder, MARK))) return true;
    return record.cgroups.length > 0 && (this.#cgroups?.outOfMemoryKills(record.cgroups) ?? 0) > 0;
  }

  /** Kills containers that exceed their memory limit, if the kernel does not enforce it. */
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

  /** Removes control groups, except those of `kept`, which the next podkeep needs. */
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
