/**
 * Carries out the plan of core/pod-actions for one sync: stops, sandbox, init containers, containers.
 * Remembers what failed to start, and how long crashing containers have to wait.
 *
 * The plan is made from what the runtime shows. What podkeep has reported is respected here: a container
 * that has ended for good is stopped if it runs, and is not started again.
 */
import type { Container, Pod } from '../../src/api/pod.ts';
import type { RuntimePod } from '../../src/api/runtime-pod.ts';
import { parseTime } from '../../src/api/values/time.ts';
import type { StartFailure } from '../../src/core/pod-status/container-status.ts';
import { advance, backOffKey, type BackOff } from '../../src/core/pod-actions/crash-backoff.ts';
import { holdForCrashBackOff } from '../../src/core/pod-actions/crash-backoff-hold.ts';
import { podActions } from '../../src/core/pod-actions/pod-actions.ts';
import type { PodActions, PodActionsView } from '../../src/core/pod-actions/plan.ts';
import { findNewest } from '../../src/core/pod/runtime-facts.ts';
import { BackOffError } from '../../src/ports/pod/sync-failure.ts';
import { endedForGood } from './ended-containers.ts';
import type { RecipeDeps } from './recipe-deps.ts';

/** The grace period of a container that is stopped alone. */
const STOP_MS = 2000;

export class ContainerStarter {
  readonly #options: RecipeDeps;
  readonly #failures = new Map<string, Map<string, StartFailure>>();
  readonly #backOffs = new Map<string, BackOff>();

  constructor(options: RecipeDeps) {
    this.#options = options;
  }

  /** Why containers of this pod could not be started last time. */
  failures(uid: string): ReadonlyMap<string, StartFailure> {
    return this.#failures.get(uid) ?? new Map();
  }

  /**
   * Returns whether the pod is finished: nothing of it runs, and nothing of it may start any more. Its
   * phase does not always show that; a container that never ran keeps it Pending.
   */
  async start(pod: Pod, runtimePod: RuntimePod, signal: AbortSignal): Promise<boolean> {
    const { clock, prober, status } = this.#options;
    const { uid = '' } = pod.metadata;
    const ended = endedForGood(pod, status.getPodStatus(uid) ?? pod.status ?? {});
    const view: PodActionsView = {
      pod,
      runtime: runtimePod,
      restartAllContainers: false,
      changed: changedContainers(pod, runtimePod),
      liveness: prober.liveness(uid),
      startup: prober.of(uid).startup,
    };
    const { actions, held } = holdForCrashBackOff(
      view,
      podActions(view),
      this.#backOffs,
      clock.now(),
    );
    const failures = new Map<string, StartFailure>();
    const errors: unknown[] = held.map(({ name, message, until }) => {
      failures.set(name, { reason: 'CrashLoopBackOff', message });
      return new BackOffError(message, until);
    });
    this.#failures.set(uid, failures);
    await this.#stop(uid, actions, signal);
    await this.#stopEnded(uid, runtimePod, ended, signal);
    const sandboxID = actions.createSandbox
      ? await this.#options.runtime.createSandbox(pod, actions.attempt)
      : actions.sandboxID;
    for (const container of toStart(pod, actions)) {
      if (ended.has(container.name)) continue;
      signal.throwIfAborted();
      const error = await this.#startOne(view, sandboxID, container, failures);
      if (error !== null) errors.push(error);
    }
    if (errors.length > 0) throw new AggregateError(errors, 'some containers did not start');
    return actions.killPod && !actions.createSandbox;
  }

  async #stop(uid: string, actions: PodActions, signal: AbortSignal): Promise<void> {
    const { runtime } = this.#options;
    const ids = actions.killPod
      ? runtime.running(uid)
      : actions.containersToKill.map(({ id }) => id);
    for (const id of ids) await runtime.stop(uid, id, STOP_MS, signal);
    if (actions.killPod) runtime.stopSandboxes(uid);
  }

  async #stopEnded(
    uid: string,
    { containers }: RuntimePod,
    ended: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<void> {
    for (const { id, name, state } of containers) {
      const mayNotRun = state === 'running' && ended.has(name);
      if (mayNotRun) await this.#options.runtime.stop(uid, id, STOP_MS, signal);
    }
  }

  /** Returns what went wrong. */
  async #startOne(
    { pod, runtime: seen }: PodActionsView,
    sandboxID: string,
    container: Container,
    failures: Map<string, StartFailure>,
  ): Promise<unknown> {
    const { runtime, clock } = this.#options;
    const newest = findNewest(seen, container.name);
    if (newest?.finishedAt !== undefined) {
      const key = backOffKey(pod, container);
      const finishedAt = parseTime(newest.finishedAt).ms;
      this.#backOffs.set(key, advance(this.#backOffs.get(key), finishedAt, clock.now()));
    }
    const attempt = newest ? newest.restartCount + 1 : 0;
    try {
      await runtime.start(pod.metadata.uid ?? '', sandboxID, container, attempt);
      return null;
    } catch (error) {
      failures.set(container.name, { reason: 'RunContainerError', message: String(error) });
      return error;
    }
  }
}

function toStart({ spec }: Pod, actions: PodActions): readonly Container[] {
  const init = actions.initContainersToStart.map((index) => spec.initContainers?.[index]);
  const regular = actions.containersToStart.map((index) => spec.containers[index]);
  return [...init, ...regular].filter((container) => container !== undefined);
}

/** Those that run from another image than the spec has now. */
function changedContainers({ spec }: Pod, { containers }: RuntimePod): ReadonlySet<string> {
  const images = new Map(spec.containers.map(({ name, image }) => [name, image]));
  const changed = containers.filter(({ name, image }) => {
    const wanted = images.get(name);
    return wanted !== undefined && wanted !== image;
  });
  return new Set(changed.map(({ id }) => id));
}
