/**
 * Slices of systemd, by systemctl(1): where systemd looks after control groups, a group that it does not
 * know of is taken away, and a limit that it did not set is undone.
 */
import { unitProperties, type CgroupVersion } from '../../core/cgroups/cgroup-files.ts';
import { sliceName, type CgroupName } from '../../core/cgroups/cgroup-name.ts';
import type { CgroupLimits } from '../../core/cgroups/pod-limits.ts';

export interface Slices {
  start(name: CgroupName): Promise<void>;
  setLimits(name: CgroupName, limits: CgroupLimits): Promise<void>;
  stop(name: CgroupName): Promise<void>;
}

/** Rejects with what the program complained of. */
export type RunSystemctl = (args: readonly string[]) => Promise<void>;

export class SystemdSlices implements Slices {
  readonly #version: CgroupVersion;
  readonly #run: RunSystemctl;

  constructor(version: CgroupVersion, run: RunSystemctl) {
    this.#version = version;
    this.#run = run;
  }

  async start(name: CgroupName): Promise<void> {
    await this.#run(['start', sliceName(name)]);
  }

  /** Until the next boot: the pods of then are others. */
  async setLimits(name: CgroupName, limits: CgroupLimits): Promise<void> {
    const properties = unitProperties(limits, this.#version);
    if (properties.length === 0) return;
    await this.#run(['set-property', '--runtime', sliceName(name), ...properties]);
  }

  async stop(name: CgroupName): Promise<void> {
    await this.#run(['stop', sliceName(name)]);
  }
}
