/**
 * Scrapes all kubelets for the metrics API, as metrics-server does, but only while clients request metrics.
 *
 *     idle ──request──> first ──two samples──> collecting ──no request for a minute──> idle
 *                       3 s apart              every 15 s
 *
 * 1. While no client requests metrics, no kubelet is scraped: an idle cluster stays idle.
 * 2. The first request waits for two samples, so that its response has values; later requests get the values
 *    of the last window (the time between the last two samples).
 * 3. If scraping a kubelet fails, its window is dropped, so that old values are never shown as new ones.
 * 4. Memory: two samples for each container, and nothing while idle.
 */
import { advanceUsageWindow, type UsageWindow } from '../../core/resource-metrics/usage-window.ts';
import type { JsonObject } from '../../lib/json.ts';
import { Semaphore } from '../../lib/semaphore.ts';
import type { KubeletDialer } from '../../ports/api/kubelet-dialer.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { nodes } from '../kinds/core/node.ts';
import { nameOf } from '../objects/metadata.ts';
import { prefixOf } from '../registry/registry.ts';
import { scrapeKubelet } from './kubelet-scrape.ts';

export interface MetricsCollectorDeps {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly dialer: KubeletDialer;
}

/** The resolution of metrics-server. */
const RESOLUTION_MS = 15_000;
const FIRST_WINDOW_MS = 3000;
const IDLE_MS = 60_000;
const PARALLEL_SCRAPES = 20;

export class MetricsCollector {
  readonly #deps: MetricsCollectorDeps;
  readonly #scrapes = new Semaphore(PARALLEL_SCRAPES);
  readonly #failing = new Set<string>();
  #windows: ReadonlyMap<string, UsageWindow> = new Map();
  /** Resolves when the first two samples are complete. Null: idle. */
  #first: Promise<void> | null = null;
  #askedMs = 0;
  #cancel: Cancel = () => {};
  #isStopped = false;

  constructor(deps: MetricsCollectorDeps) {
    this.#deps = deps;
  }

  /** Called for a client's request. The windows of all nodes, by name. */
  async windows(): Promise<ReadonlyMap<string, UsageWindow>> {
    if (this.#isStopped) return this.#windows;
    this.#askedMs = this.#deps.clock.monotonic();
    this.#first ??= this.#begin();
    await this.#first;
    return this.#windows;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
    this.#idle();
  }

  async #begin(): Promise<void> {
    await this.#sample();
    await new Promise<void>((resolve) => {
      const cancel = this.#deps.clock.after(FIRST_WINDOW_MS, resolve);
      // When the server stops, waiting requests are answered.
      this.#cancel = () => {
        cancel();
        resolve();
      };
    });
    if (this.#isStopped) return;
    await this.#sample();
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#deps.clock.after(RESOLUTION_MS, () => {
      if (this.#deps.clock.monotonic() - this.#askedMs >= IDLE_MS) return this.#idle();
      // The next sample is due after RESOLUTION_MS, however long the kubelets take: each scrape has a
      // deadline.
      this.#schedule();
      void this.#sample();
    });
  }

  #idle(): void {
    this.#first = null;
    this.#windows = new Map();
    this.#failing.clear();
  }

  /** Never rejects. */
  async #sample(): Promise<void> {
    const { store } = this.#deps;
    const found = store.list(prefixOf(nodes, '')).objects;
    const sampled = await Promise.all(
      found.map(({ value }) => this.#scrapes.run(() => this.#sampleNode(value))),
    );
    if (this.#isStopped || !this.#first) return;
    this.#windows = new Map(sampled.flatMap((entry) => (entry ? [entry] : [])));
  }

  async #sampleNode(node: JsonObject): Promise<[string, UsageWindow] | null> {
    const { clock, log, dialer } = this.#deps;
    const name = nameOf(node);
    try {
      const samples = await scrapeKubelet(dialer, node, clock);
      this.#failing.delete(name);
      return [name, advanceUsageWindow(this.#windows.get(name), samples, RESOLUTION_MS)];
    } catch (error) {
      // Logged once for each outage, because the kubelet is tried every 15 seconds.
      if (!this.#failing.has(name)) {
        log.warn('Failed to scrape the resource metrics of a node', { node: name, error });
      }
      this.#failing.add(name);
      return null;
    }
  }
}
