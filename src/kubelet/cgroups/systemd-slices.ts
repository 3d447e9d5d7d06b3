/**
 * Creates, limits and removes systemd slices through systemctl(1). If systemd manages the cgroups, it removes
 * cgroups that it does not know, and resets limits that it did not set.
 */
import { unitProperties, type CgroupVersion } from '../../core/cgroups/cgroup-files.ts';
import { sliceName, type CgroupName } from '../../core/cgroups/cgroup-name.ts';
import type { CgroupLimits } from '../../core/cgroups/pod-limits.ts';

export interface Slices {
  start(name: CgroupName): Promise<void>;
  setLimits(name: CgroupName, limits: CgroupLimits): Promise<void>;
  stop(name: CgroupName): Promise<void>;
}

/** Rejects with the error output of the program. */
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

  /** The limits apply until the next boot (`--runtime`): after that, other pods run. */
  async setLimits(name: CgroupName, limits: CgroupLimits): Promise<void> {
    const properties = unitProperties(limits, this.#version);
    if (properties.length === 0) return;
    await this.#run(['set-property', '--runtime', sliceName(name), ...properties]);
  }

  async stop(name: CgroupName): Promise<void> {
    await this.#run(['stop', sliceName(name)]);
  }
}
