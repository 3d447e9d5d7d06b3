/**
 * The metric `podkeep_node_saturation`: how near each resource of the node is to its limit, read at each
 * scrape.
 */
import { readNodeLoad, type LoadSources } from '../../kubelet/stats/node-load-reader.ts';
import type { Family } from '../../lib/metrics/family.ts';
import type { Gauge } from '../../lib/metrics/gauge.ts';
import type { Registry } from '../../lib/metrics/registry.ts';

export class SaturationMetrics {
  readonly #sources: LoadSources;
  readonly #saturation: Family<Gauge, 'resource'>;

  constructor(registry: Registry, sources: LoadSources) {
    this.#sources = sources;
    this.#saturation = registry.gauges({
      name: 'podkeep_node_saturation',
      help: 'How near a resource of the node is to its limit, from 0 to 1: the share in use, or the pressure that the kernel reports if that is larger.',
      labels: ['resource'],
    });
  }

  /** Never rejects: a resource that cannot be read has no value. */
  async refresh(): Promise<void> {
    const load = await readNodeLoad(this.#sources).catch(() => null);
    this.#saturation.reset();
    for (const [resource, figure] of load?.saturation ?? []) {
      this.#saturation.with({ resource }).set(figure);
    }
  }
}
