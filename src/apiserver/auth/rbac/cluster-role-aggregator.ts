/**
 * Keeps aggregated ClusterRoles true: whenever a ClusterRole changes, all that gather are looked at
 * again. There are few of them, and which of them gathers which is not worth knowing.
 */
import type { Log } from '../../../ports/log.ts';
import type { ObjectStore } from '../../../ports/object-store.ts';
import { clusterRoles } from '../../kinds/rbac-role.ts';
import { nameOf } from '../../metadata.ts';
import { prefixOf, type Registry } from '../../registry.ts';
import { StatusError } from '../../status.ts';
import { aggregatedRules } from './aggregation.ts';

export interface AggregatorParts {
  readonly store: ObjectStore;
  readonly registry: Registry;
  readonly log: Log;
}

export class ClusterRoleAggregator {
  readonly #parts: AggregatorParts;
  readonly #stopWatching: () => void;
  #running: Promise<void> | null = null;
  #isDirty = false;
  #isStopped = false;

  constructor(parts: AggregatorParts) {
    this.#parts = parts;
    const { store } = parts;
    this.#stopWatching = store.watch(prefixOf(clusterRoles, ''), store.revision, () =>
      this.#wake(),
    );
    this.#wake();
  }

  /** Resolves when what was begun is done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopWatching();
    await this.#running;
  }

  /** Resolves when all roles are what they should be. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  #wake(): void {
    this.#isDirty = true;
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // Never inside the store's own telling of a change.
    await Promise.resolve();
    while (this.#isDirty && !this.#isStopped) {
      this.#isDirty = false;
      try {
        await this.#pass();
      } catch (error) {
        // The next change of any role tries again; a role that went meanwhile needs nothing.
        this.#parts.log.error('Aggregated roles could not be brought up to date', { error });
      }
    }
    this.#running = null;
  }

  async #pass(): Promise<void> {
    const { store } = this.#parts;
    const all = store.list(prefixOf(clusterRoles, '')).objects.map(({ value }) => value);
    for (const role of all) {
      if (aggregatedRules(role, all)) await this.#bringUpToDate(nameOf(role));
    }
  }

  async #bringUpToDate(name: string): Promise<void> {
    const { store, registry } = this.#parts;
    const change = (old: ReturnType<Registry['get']>): ReturnType<Registry['get']> => {
      const all = store.list(prefixOf(clusterRoles, '')).objects.map(({ value }) => value);
      const rules = aggregatedRules(old, all);
      return rules ? { ...old, rules } : old;
    };
    await registry
      .update({ definition: clusterRoles, namespace: '', name, change })
      .catch((error: unknown) => {
        if (!(error instanceof StatusError) || error.code !== 404) throw error;
      });
  }
}
