/**
 * Stops containers: runs the preStop hook, waits until the containers that must stop before this one have
 * stopped, then sends the stop signal.
 *
 *     Event Killing ──> preStop hook ──> its turn (stop-order.ts) ──> stop signal ──> killed
 *     └────────────────────────── grace ─────────────────────────┘└── what is left, at least 2 s ──┘
 *
 * The AbortSignal ends the wait when the pod has to stop faster (F-8). If a second stop with a shorter grace
 * period finds the hook still running, it does not run the hook again, and waits for it no longer than the
 * new grace period allows.
 */
import type { Pod } from '../../../api/pod.ts';
import type { KillReason } from '../../../core/pod-actions/plan.ts';
import type { RuntimePod } from '../../../api/runtime-pod.ts';
import { defineError } from '../../../lib/errors.ts';
import type { EventRecorder } from '../../../ports/observe/event-recorder.ts';
import type { Log } from '../../../ports/log.ts';
import type { PodReference } from '../../../api/pod-reference.ts';
import type { PodRuntime } from '../../../ports/runtime/pod-runtime.ts';
import { runHook, type HookDeps } from '../hooks/lifecycle-hooks.ts';
import { isRuntimeNotFound } from '../runtime-errors.ts';
import {
  containerReferenceOf,
  findContainer,
  podReferenceOf,
  type RunContainer,
} from '../../../api/run-spec.ts';
import { failureMessageOf } from '../start/start-failure.ts';
import { STOP_SECONDS_MIN, stopGraceSeconds } from '../../../core/pod-actions/stop-grace.ts';
import { stopsBefore } from '../../../core/pod-actions/stop-order.ts';
import {
  exitWait,
  preStopWait,
  stopTurnWait,
  type WaitName,
} from '../../../core/pod-waits/wait-names.ts';
import type { PodWaits } from '../../waiting/pod-waits.ts';
import { waitFor } from '../../waiting/wait.ts';

export interface StopperDeps extends HookDeps {
  readonly runtime: Pick<PodRuntime, 'execSync' | 'inspect' | 'stopContainer' | 'stopSandbox'>;
  readonly events: EventRecorder;
  readonly log: Log;
  /** Absent: what pods wait for is not recorded. */
  readonly waits?: PodWaits | undefined;
}

export interface ContainerStop {
  readonly id: string;
  readonly name: string;
  /** The message of the Event. Absent: `Stopping container NAME`. */
  readonly message?: string;
  readonly reason?: KillReason | undefined;
  /** Null: the grace period of the pod. */
  readonly graceSeconds: number | null;
}

/** A pod to be stopped. Without a spec there are no hooks and there is no order. */
export interface PodToStop {
  readonly reference: PodReference;
  readonly pod: Pod | null;
}

export const podNotStopped = defineError<{ reasons: readonly string[] }>({
  code: 'POD_NOT_STOPPED',
  retry: 'backoff',
  message: ({ reasons }) => reasons.join(', '),
  hint: () => 'Podkeep retries automatically. If this persists, check the container runtime.',
});

export class ContainerStopper {
  readonly #deps: StopperDeps;
  /** By container ID, as long as the container runs. */
  readonly #hooks = new Map<string, Promise<void>>();
  /** IDs of containers whose stop was recorded as an Event. */
  readonly #recorded = new Set<string>();

  constructor(deps: StopperDeps) {
    this.#deps = deps;
  }

  /** Stops all containers of the pod, then its sandboxes. */
  async stopPod(
    target: PodToStop,
    runtimePod: RuntimePod,
    graceSeconds: number | null,
    signal: AbortSignal,
  ): Promise<void> {
    const running = runtimePod.containers.filter(({ state }) => state === 'running');
    const stopped = new Map<string, Promise<void>>();
    const names = new Set(running.map(({ name }) => name));
    const waits = (name: string): Promise<unknown> | null => {
      const before = target.pod ? stopsBefore(target.pod, names, name) : [];
      if (before.length === 0) return null;
      return Promise.allSettled(before.flatMap((each) => stopped.get(each) ?? []));
    };
    for (const { id, name } of running) {
      // All stops are in the map before the first one waits for others.
      const stop = Promise.resolve().then(() =>
        this.#stop(target, { id, name, graceSeconds }, () => waits(name), signal),
      );
      stopped.set(name, stop);
    }
    const failures = await failuresOf([...stopped.values()]);
    signal.throwIfAborted();
    const sandboxes = runtimePod.sandboxes.map(({ id }) => this.#stopSandbox(id));
    failures.push(...(await failuresOf(sandboxes)));
    if (failures.length === 0) return;
    throw podNotStopped({ reasons: failures.map(failureMessageOf) }, new AggregateError(failures));
  }

  /** The container is gone: nothing about it is needed any more. */
  forget(containerId: string): void {
    this.#hooks.delete(containerId);
    this.#recorded.delete(containerId);
  }

  /** Stops one container of a pod that keeps running. */
  async stopContainer(pod: Pod, stop: ContainerStop, signal: AbortSignal): Promise<void> {
    const target = { reference: podReferenceOf(pod), pod };
    await this.#stop(target, stop, () => null, signal);
  }

  async #stop(
    { reference, pod }: PodToStop,
    stop: ContainerStop,
    /** Null: no other container stops before. */
    turn: () => Promise<unknown> | null,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, runtime } = this.#deps;
    const container = pod ? findContainer(pod, stop.name)?.container : undefined;
    this.#record(pod, reference, stop);
    let left = stop.graceSeconds ?? graceOf(pod, container, stop.reason);
    const spend = async (name: WaitName, work: Promise<unknown>): Promise<void> => {
      const beganAtMs = clock.monotonic();
      const waiting = waitFor(clock, work, left * 1000, signal);
      await this.#whileWaiting(reference, name, left, waiting);
      left -= Math.trunc((clock.monotonic() - beganAtMs) / 1000);
    };
    if (pod && container?.lifecycle?.preStop && left > 0) {
      await spend(preStopWait(stop.name), this.#preStop(pod, container, stop.id));
    }
    const before = left > 0 ? turn() : null;
    if (before) await spend(stopTurnWait(stop.name), before);
    signal.throwIfAborted();
    const seconds = Math.max(left, STOP_SECONDS_MIN);
    try {
      const stopping = runtime.stopContainer(stop.id, seconds, signal);
      await this.#whileWaiting(reference, exitWait(stop.name), seconds, stopping);
    } catch (error) {
      if (!isRuntimeNotFound(error)) throw error;
    }
    this.forget(stop.id);
  }

  /** Records the wait for the work, which ends by itself or when its time is over. */
  async #whileWaiting(
    pod: PodReference,
    name: WaitName,
    seconds: number,
    work: Promise<unknown>,
  ): Promise<void> {
    const { clock, waits } = this.#deps;
    const why = `it has ${seconds} s for it`;
    waits?.wait(pod, name, { why, nextAtMs: clock.now() + seconds * 1000 });
    try {
      await work;
    } finally {
      waits?.over(pod, name);
    }
  }

  /** A failed hook is logged and recorded, and the container is stopped anyway. The promise never rejects. */
  #preStop(pod: Pod, container: RunContainer, containerId: string): Promise<void> {
    const running = this.#hooks.get(containerId);
    if (running) return running;
    const { events, log } = this.#deps;
    const handler = container.lifecycle?.preStop ?? {};
    const hooked = { pod, container, containerId };
    const hook = runHook(this.#deps, hooked, handler, NEVER).catch((error: unknown) => {
      const about = containerReferenceOf(pod, container.name);
      log.warn('PreStop hook failed', { pod: about, container: container.name, error });
      // The output may contain secrets of the container, and many users can read Events.
      events.record(about, 'Warning', 'FailedPreStopHook', 'PreStopHook failed');
    });
    this.#hooks.set(containerId, hook);
    return hook;
  }

  #record(pod: Pod | null, reference: PodReference, { id, name, message }: ContainerStop): void {
    if (this.#recorded.has(id)) return;
    this.#recorded.add(id);
    const about = pod
      ? containerReferenceOf(pod, name)
      : { ...reference, fieldPath: `spec.containers{${name}}` };
    this.#deps.events.record(about, 'Normal', 'Killing', message ?? `Stopping container ${name}`);
  }

  async #stopSandbox(id: string): Promise<void> {
    try {
      await this.#deps.runtime.stopSandbox(id);
    } catch (error) {
      if (!isRuntimeNotFound(error)) throw error;
    }
  }
}

/** Hooks end by themselves or with their container. */
const NEVER = new AbortController().signal;

function graceOf(
  pod: Pod | null,
  container: RunContainer | undefined,
  reason: KillReason | undefined,
): number {
  return pod ? stopGraceSeconds(pod, container, reason) : STOP_SECONDS_MIN;
}

async function failuresOf(work: readonly Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(work);
  return settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
}
