/**
 * ClusterRole aggregation controller: whenever a ClusterRole changes, it recomputes all aggregated
 * ClusterRoles. There are too few of them to be worth tracking dependencies.
 */
import type { Log } from '../../../ports/log.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import { clusterRoles } from '../../kinds/rbac/rbac-role.ts';
import { nameOf } from '../../objects/metadata.ts';
import { prefixOf, type Registry } from '../../registry/registry.ts';
import { StatusError } from '../../objects/status.ts';
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

  /** Resolves when running work has finished. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopWatching();
    await this.#running;
  }

  /** Resolves when all roles are up to date. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  #wake(): void {
    this.#isDirty = true;
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // Runs after the store's notification, never inside it.
    await Promise.resolve();
    while (this.#isDirty && !this.#isStopped) {
      this.#isDirty = false;
      try {
        await this.#pass();
      } catch (error) {
        // The next change of any role retries; a role that was deleted in the meantime needs nothing.
        this.#parts.log.error('Failed to update aggregated ClusterRoles', { error });
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
