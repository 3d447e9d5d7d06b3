/** A CgroupTree that records for the metrics how long its changes take. */
import type { CgroupName } from '../../core/cgroups/cgroup-name.ts';
import type { CgroupLimits } from '../../core/cgroups/pod-limits.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CgroupMetrics, CgroupOperation } from '../metrics/cgroup-metrics.ts';
import { CgroupTree, type CgroupTreeOptions } from './cgroup-tree.ts';

export class MeasuredCgroupTree extends CgroupTree {
  readonly #clock: Clock;
  readonly #observer: Pick<CgroupMetrics, 'operationEnded'> | undefined;
  /** Paths that are being created: `create` calls `update`, which must not be measured again. */
  readonly #creating = new Set<string>();

  constructor(
    options: CgroupTreeOptions,
    clock: Clock,
    observer: Pick<CgroupMetrics, 'operationEnded'> | undefined,
  ) {
    super(options);
    this.#clock = clock;
    this.#observer = observer;
  }

  override async create(name: CgroupName, limits: CgroupLimits): Promise<void> {
    await this.#measure('create', async () => {
      this.#creating.add(this.pathOf(name));
      try {
        await super.create(name, limits);
      } finally {
        this.#creating.delete(this.pathOf(name));
      }
    });
  }

  override async update(name: CgroupName, limits: CgroupLimits): Promise<void> {
    if (this.#creating.has(this.pathOf(name))) return super.update(name, limits);
    await this.#measure('update', () => super.update(name, limits));
  }

  override async remove(name: CgroupName): Promise<void> {
    await this.#measure('destroy', () => super.remove(name));
  }

  async #measure(operation: CgroupOperation, work: () => Promise<void>): Promise<void> {
    const beganAtMs = this.#clock.monotonic();
    await work().finally(() => {
      this.#observer?.operationEnded(operation, (this.#clock.monotonic() - beganAtMs) / 1000);
    });
  }
}
