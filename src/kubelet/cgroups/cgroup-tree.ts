/**
 * Creates, updates, reads and removes cgroups, which are folders in the cgroup file systems.
 *
 * In version 2 a cgroup has only the controllers that every cgroup above it delegates. In version 1 a new
 * cpuset cgroup has no CPUs until it is given some. With the driver `systemd` the cgroups belong to systemd,
 * which has to create them as slices (systemd-slices.ts).
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cgroupFiles, type CgroupFile } from '../../core/cgroups/cgroup-files.ts';
import { cgroupPath, type CgroupDriver, type CgroupName } from '../../core/cgroups/cgroup-name.ts';
import type { CgroupLimits } from '../../core/cgroups/pod-limits.ts';
import type { CgroupMounts } from './cgroup-mounts.ts';
import type { Slices } from './systemd-slices.ts';

export interface CgroupTreeOptions {
  readonly mounts: CgroupMounts;
  /** Absent: only podkeep manages the cgroups. */
  readonly slices?: Slices | undefined;
}

/** In version 1: the controllers in which a cgroup must exist to count as created. */
const NEEDED = new Set(['cpu', 'cpuacct', 'cpuset', 'memory', 'systemd', 'pids', 'hugetlb']);

export class CgroupTree {
  readonly #options: CgroupTreeOptions;
  readonly driver: CgroupDriver;

  constructor(options: CgroupTreeOptions) {
    this.#options = options;
    this.driver = options.slices ? 'systemd' : 'cgroupfs';
  }

  /** In the form that runtimes expect. */
  pathOf(name: CgroupName): string {
    return cgroupPath(name, this.driver);
  }

  exists(name: CgroupName): boolean {
    return this.#folders(name, NEEDED).every((folder) => existsSync(folder));
  }

  async create(name: CgroupName, limits: CgroupLimits): Promise<void> {
    const { slices, mounts } = this.#options;
    await slices?.start(name);
    for (const folder of this.#folders(name, NEEDED)) await mkdir(folder, { recursive: true });
    if (mounts.version === 2) await this.#handDown(name);
    else await this.#giveCpus(name);
    await this.update(name, limits);
  }

  async update(name: CgroupName, limits: CgroupLimits): Promise<void> {
    const { mounts, slices } = this.#options;
    await slices?.setLimits(name, limits);
    for (const file of cgroupFiles(limits, mounts.version)) await this.#write(name, file);
  }

  /** The content of a file of the cgroup, or of a child of it; null: it has no such file. */
  async read(name: CgroupName, { controller, file }: Omit<CgroupFile, 'value'>, child = '') {
    const mount = this.#options.mounts.folders.get(controller);
    if (mount === undefined) return null;
    const text = await readFile(path.join(mount, this.pathOf(name), child, file), 'utf8').catch(
      () => null,
    );
    return text === null ? null : text.trim();
  }

  /** Of the cgroup and all below it. */
  async processes(name: CgroupName): Promise<ReadonlySet<number>> {
    const pids = new Set<number>();
    for (const folder of this.#folders(name)) {
      for (const each of await foldersBelow(folder)) {
        const text = await readFile(path.join(each, 'cgroup.procs'), 'utf8').catch(() => '');
        for (const line of text.split('\n')) if (line !== '') pids.add(Number(line));
      }
    }
    return pids;
  }

  /** Throws as long as the cgroup has processes. */
  async remove(name: CgroupName): Promise<void> {
    await this.#options.slices?.stop(name);
    for (const folder of this.#folders(name)) {
      for (const each of (await foldersBelow(folder)).toReversed()) await removeFolder(each);
    }
  }

  /** The last parts of the paths directly below the cgroup. */
  async children(name: CgroupName): Promise<ReadonlySet<string>> {
    const names = await Promise.all(this.#folders(name).map(namesOfFolders));
    return new Set(names.flat());
  }

  async #write(name: CgroupName, { controller, file, value }: CgroupFile): Promise<void> {
    const mount = this.#options.mounts.folders.get(controller);
    // A kernel without this controller has no such limit.
    if (mount === undefined) return;
    await writeFile(path.join(mount, this.pathOf(name), file), value);
  }

  /** From the top: a controller that a cgroup does not delegate is missing in all below it. */
  async #handDown(name: CgroupName): Promise<void> {
    const { folders } = this.#options.mounts;
    const [mount] = folders.values();
    if (mount === undefined) return;
    const wanted = [...folders.keys()].map((controller) => `+${controller}`).join(' ');
    let folder = mount;
    for (const part of this.pathOf(name).split('/').slice(1)) {
      await writeFile(path.join(folder, 'cgroup.subtree_control'), wanted);
      folder = path.join(folder, part);
    }
  }

  async #giveCpus(name: CgroupName): Promise<void> {
    const mount = this.#options.mounts.folders.get('cpuset');
    if (mount === undefined) return;
    let above = mount;
    for (const part of this.pathOf(name).split('/').slice(1)) {
      const folder = path.join(above, part);
      for (const file of ['cpuset.cpus', 'cpuset.mems']) {
        const own = await readFile(path.join(folder, file), 'utf8').catch(() => '');
        if (own.trim() !== '') continue;
        const given = await readFile(path.join(above, file), 'utf8').catch(() => '');
        await writeFile(path.join(folder, file), given.trim());
      }
      above = folder;
    }
  }

  /**
   * Without `controllers`, the folders in all mounted controllers, because a runtime may create cgroups in
   * others, too.
   */
  #folders(name: CgroupName, controllers?: ReadonlySet<string>): readonly string[] {
    const mounts = [...this.#options.mounts.folders]
      .filter(([controller]) => controllers?.has(controller) ?? true)
      .map(([, folder]) => folder);
    return [...new Set(mounts)].map((mount) => path.join(mount, this.pathOf(name)));
  }
}

/** The folder itself first, and parents before their children. */
async function foldersBelow(folder: string): Promise<readonly string[]> {
  if (!existsSync(folder)) return [];
  const names = await namesOfFolders(folder);
  const below = await Promise.all(names.map((name) => foldersBelow(path.join(folder, name))));
  return [folder, ...below.flat()];
}

async function namesOfFolders(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function removeFolder(folder: string): Promise<void> {
  await rmdir(folder).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  });
}
