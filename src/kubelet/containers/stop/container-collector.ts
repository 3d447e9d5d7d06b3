/**
 * Container GC: removes dead containers, sandboxes and logs.
 *
 *     a container in a living pod   its newest dead run is kept, for `kubectl logs --previous`
 *     a pod to be removed           nothing is kept, once the API has its final status (F-15)
 *     sandboxes                     those that stopped, are empty, and are not the newest of their pod
 *     logs                          of pods to be removed
 *
 * A failed removal is logged and retried at the next collection; only an aborted signal throws.
 */
import type { RuntimeContainer } from '../../../api/runtime-pod.ts';
import { compareTimes, parseTime } from '../../../api/values/time.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import type { PodFiles } from '../../../ports/pod/pod-files.ts';
import type { PodReference } from '../../../api/pod-reference.ts';
import type { PodRuntime, RuntimePodEntry } from '../../../ports/runtime/pod-runtime.ts';
import type { LogLinks } from '../../logs/log-links.ts';
import type { PodRunner } from '../pod-runner.ts';

export interface ContainerCollectorOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly runtime: Pick<PodRuntime, 'list' | 'inspect' | 'stopSandbox' | 'removeSandbox'>;
  readonly runner: Pick<PodRunner, 'remove'>;
  readonly files: Pick<PodFiles, 'podsWithLogs' | 'removePodLogs'>;
  readonly logLinks?: Pick<LogLinks, 'sweep'> | undefined;
  readonly pods: PodStates;
  /** The API has the pod's final status: the runtime's state of it is not needed any more. */
  readonly isAcknowledged: (podUid: string) => boolean;
  /** Dead runs kept for each container. */
  readonly keptPerContainer?: number;
  /** Dead containers kept on the node; -1: no limit. */
  readonly keptMax?: number;
  /** Younger dead containers are kept. */
  readonly ageMinMs?: number;
}

/** The questions that the container GC asks the pod workers. */
export interface PodStates {
  shouldPodContentBeRemoved(podUid: string): boolean;
  shouldPodRuntimeBeRemoved(podUid: string): boolean;
  couldHaveRunningContainers(podUid: string): boolean;
}

export interface Collection {
  /** The pod sources have delivered their pods, so it is known which pods are not desired any more. */
  readonly areSourcesReady: boolean;
  /** The disk is full: pods that have ended lose their containers before they are deleted. */
  readonly isDiskShort?: boolean;
}

interface DeadContainer {
  readonly pod: PodReference;
  readonly container: RuntimeContainer;
}

const KEPT_PER_CONTAINER = 1;
const NO_LIMIT = -1;

export class ContainerCollector {
  readonly #options: ContainerCollectorOptions;

  constructor(options: ContainerCollectorOptions) {
    this.#options = options;
  }

  async collect(collection: Collection, signal: AbortSignal): Promise<void> {
    const { runtime, log, logLinks } = this.#options;
    try {
      await this.#collectContainers(await runtime.list(), collection, signal);
      await this.#collectSandboxes(await runtime.list(), collection, signal);
      if (collection.areSourcesReady) await this.#collectLogs(signal);
      await logLinks?.sweep();
    } catch (error) {
      signal.throwIfAborted();
      log.warn('Container garbage collection failed', { error });
    }
  }

  /**
   * A container of this pod has died: older runs are removed without waiting for the next collection
   * (KL-58).
   */
  async prunePod(pod: PodReference, name: string, signal: AbortSignal): Promise<void> {
    const { runtime, keptPerContainer = KEPT_PER_CONTAINER } = this.#options;
    const { containers } = await runtime.inspect(pod.uid);
    const dead = containers
      .filter(({ state }) => state === 'exited')
      .map((container) => ({ pod, container }));
    const kept = this.#mayLoseAll(pod.uid) ? 0 : Math.max(keptPerContainer, 1);
    const own = dead.filter(({ container }) => kept === 0 || container.name === name);
    await this.#removeAll(own.slice(kept), signal);
  }

  async #collectContainers(
    entries: readonly RuntimePodEntry[],
    { areSourcesReady, isDiskShort = false }: Collection,
    signal: AbortSignal,
  ): Promise<void> {
    const { pods, keptPerContainer = KEPT_PER_CONTAINER, keptMax = NO_LIMIT } = this.#options;
    const kept: DeadContainer[] = [];
    for (const entry of entries) {
      const mayGo =
        areSourcesReady &&
        (this.#mayLoseAll(entry.uid) || (isDiskShort && pods.shouldPodRuntimeBeRemoved(entry.uid)));
      for (const dead of this.#deadByName(entry)) {
        const keep = mayGo ? 0 : keptPerContainer;
        kept.push(...dead.slice(0, keep));
        await this.#removeAll(dead.slice(keep), signal);
      }
    }
    if (keptMax < 0 || kept.length <= keptMax) return;
    const newestFirst = kept.toSorted((a, b) =>
      compareTimes(b.container.createdAt, a.container.createdAt),
    );
    await this.#removeAll(newestFirst.slice(keptMax), signal);
  }

  /** Newest first within each name. */
  #deadByName(entry: RuntimePodEntry): readonly (readonly DeadContainer[])[] {
    const { clock, ageMinMs = 0 } = this.#options;
    const { uid, name, namespace, pod } = entry;
    const oldest = clock.now() - ageMinMs;
    const byName = new Map<string, DeadContainer[]>();
    for (const container of pod.containers) {
      if (container.state === 'running' || parseTime(container.createdAt).ms > oldest) continue;
      const dead = byName.get(container.name) ?? [];
      byName.set(container.name, dead);
      dead.push({ pod: { uid, name, namespace }, container });
    }
    return [...byName.values()];
  }

  async #collectSandboxes(
    entries: readonly RuntimePodEntry[],
    { isDiskShort = false }: Collection,
    signal: AbortSignal,
  ): Promise<void> {
    const { pods } = this.#options;
    for (const { uid, pod } of entries) {
      const mayGo = this.#mayLoseAll(uid) || (isDiskShort && pods.shouldPodRuntimeBeRemoved(uid));
      const inUse = new Set(pod.containers.map(({ sandboxID }) => sandboxID));
      const dead = pod.sandboxes
        .slice(mayGo ? 0 : 1)
        .filter(({ id, ready }) => !ready && !inUse.has(id));
      for (const { id } of dead.toReversed()) await this.#removeSandbox(uid, id, signal);
    }
  }

  async #collectLogs(signal: AbortSignal): Promise<void> {
    const { files, log } = this.#options;
    for (const pod of await files.podsWithLogs()) {
      signal.throwIfAborted();
      if (!this.#mayLoseAll(pod.uid)) continue;
      await files.removePodLogs(pod).catch((error: unknown) => {
        log.warn('Failed to remove pod logs directory', { pod, error });
      });
    }
  }

  /**
   * An evicted pod may lose all of its containers as soon as it has stopped, but not before its status is
   * written: if podkeep crashed before that, the exit codes would be lost.
   */
  #mayLoseAll(uid: string): boolean {
    const { pods, isAcknowledged } = this.#options;
    if (!pods.shouldPodContentBeRemoved(uid)) return false;
    return !pods.couldHaveRunningContainers(uid) && isAcknowledged(uid);
  }

  async #removeAll(dead: readonly DeadContainer[], signal: AbortSignal): Promise<void> {
    const { runner, log } = this.#options;
    for (const { pod, container } of dead.toReversed()) {
      signal.throwIfAborted();
      const { id, name, restartCount: attempt } = container;
      await runner.remove({ pod, id, name, attempt }, signal).catch((error: unknown) => {
        log.warn('Failed to remove container', { pod, id, error });
      });
    }
  }

  /** Stops the sandbox once more before it is removed, although it should have stopped already. */
  async #removeSandbox(uid: string, id: string, signal: AbortSignal): Promise<void> {
    const { runtime, log } = this.#options;
    signal.throwIfAborted();
    try {
      await runtime.stopSandbox(id);
      await runtime.removeSandbox(id);
    } catch (error) {
      log.warn('Failed to remove sandbox', { pod: { uid }, id, error });
    }
  }
}
