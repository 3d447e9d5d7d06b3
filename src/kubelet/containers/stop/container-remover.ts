/** Removes containers from the runtime, and their logs if the logs are not needed any more. */
import type { Pod } from '../../../api/pod.ts';
import type { RuntimeContainer, RuntimePod } from '../../../api/runtime-pod.ts';
import type { ContainerReset } from '../../../core/pod-actions/plan.ts';
import type { Log } from '../../../ports/log.ts';
import type { PodFiles } from '../../../ports/pod/pod-files.ts';
import type { PodReference } from '../../../api/pod-reference.ts';
import type { PodRuntime } from '../../../ports/runtime/pod-runtime.ts';
import type { ContainerStopper } from './container-stopper.ts';
import { isRuntimeNotFound } from '../runtime-errors.ts';
import { podReferenceOf } from '../../../api/run-spec.ts';

export interface RemoverDeps {
  readonly runtime: Pick<PodRuntime, 'removeContainer'>;
  readonly files: PodFiles;
  readonly log: Log;
  readonly stopper: ContainerStopper;
  /** Called when the container is removed, so that nothing about it needs to be remembered. */
  readonly removed: (containerId: string) => void;
}

export interface RemovedContainer {
  readonly pod: PodReference;
  readonly id: string;
  readonly name: string;
  readonly attempt: number;
}

export class ContainerRemover {
  readonly #deps: RemoverDeps;

  constructor(deps: RemoverDeps) {
    this.#deps = deps;
  }

  async remove(removed: RemovedContainer, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { pod, id, name: container, attempt } = removed;
    await this.#removeFromRuntime(id);
    await this.#deps.files.removeLog({ pod, container, attempt });
  }

  /** Keeps only the newest exited run of each init container, because it has the exit code. */
  async pruneInit(pod: Pod, { containers }: RuntimePod, signal: AbortSignal): Promise<void> {
    for (const { name } of pod.spec.initContainers ?? []) {
      const [, ...older] = containers.filter(
        (each) => each.name === name && (each.state === 'exited' || each.state === 'unknown'),
      );
      await this.#removeAll(pod, older, signal);
    }
  }

  /** Removes all runs of init containers: they have stopped, and the pod is initialised again. */
  async purgeInit(pod: Pod, { containers }: RuntimePod, signal: AbortSignal): Promise<void> {
    const names = new Set(pod.spec.initContainers?.map(({ name }) => name));
    const init = containers.filter(({ name }) => names.has(name));
    await this.#removeAll(pod, init, signal);
  }

  /**
   * Stops and removes containers that will start again, but keeps their logs, which show how often a
   * container ran. An error ends the reset (E-7).
   */
  async reset(pod: Pod, resets: readonly ContainerReset[], signal: AbortSignal): Promise<void> {
    for (const { id, name, kill } of resets) {
      const stop = { id, name, message: 'killing', graceSeconds: 0 };
      if (kill) await this.#deps.stopper.stopContainer(pod, stop, signal);
      await this.#removeFromRuntime(id);
    }
  }

  /**
   * A failed removal is only logged: the container costs only disk space, and the container GC removes it
   * later.
   */
  async #removeAll(
    pod: Pod,
    containers: readonly RuntimeContainer[],
    signal: AbortSignal,
  ): Promise<void> {
    const reference = podReferenceOf(pod);
    for (const { id, name, restartCount } of containers) {
      try {
        await this.remove({ pod: reference, id, name, attempt: restartCount }, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        this.#deps.log.warn('Failed to remove container', { pod: reference, id, error });
      }
    }
  }

  async #removeFromRuntime(id: string): Promise<void> {
    try {
      await this.#deps.runtime.removeContainer(id);
    } catch (error) {
      if (!isRuntimeNotFound(error)) throw error;
    }
    this.#deps.removed(id);
  }
}
