/**
 * Stops containers: hook, turn, signal.
 *
 *     told to users ──> preStop hook ──> its turn (stop-order.ts) ──> stop signal ──> killed
 *     └────────────────────────── grace ─────────────────────────┘└── what is left, at least 2 s ──┘
 *
 * The wait can be cut short by the signal, because the pod has to end faster (F-8). Whoever then
 * asks again with less grace finds the hook that already runs: it is not run twice, and waited for
 * no longer than the new grace allows.
 */
import type { Pod } from '../../api/pod.ts';
import type { KillReason } from '../../core/pod-actions/plan.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { defineError } from '../../lib/errors.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import type { PodReference } from '../../ports/pod-reference.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { runHook, type HookRoom } from './lifecycle-hooks.ts';
import { isNotFound } from './runtime-errors.ts';
import {
  containerReferenceOf,
  findContainer,
  podReferenceOf,
  type RunContainer,
} from './run-spec.ts';
import { messageOf } from './start-failure.ts';
import { STOP_SECONDS_MIN, stopGraceSeconds } from './stop-grace.ts';
import { stopsBefore } from './stop-order.ts';
import { waitFor } from './wait.ts';

export interface StopperRoom extends HookRoom {
  readonly runtime: Pick<PodRuntime, 'execSync' | 'inspect' | 'stopContainer' | 'stopSandbox'>;
  readonly events: EventRecorder;
  readonly log: Log;
}

export interface ContainerStop {
  readonly id: string;
  readonly name: string;
  /** What users are told; absent: that it is being stopped. */
  readonly message?: string;
  readonly reason?: KillReason | undefined;
  /** Null: as the pod says. */
  readonly graceSeconds: number | null;
}

/** A pod that is to be stopped. Without a spec there are no hooks and there is no order. */
export interface PodToStop {
  readonly reference: PodReference;
  readonly pod: Pod | null;
}

export const podNotStopped = defineError<{ reasons: readonly string[] }>({
  code: 'POD_NOT_STOPPED',
  retry: 'backoff',
  message: ({ reasons }) => reasons.join(', '),
  hint: () => 'It is tried again by itself. If this lasts, look at the container runtime.',
});

export class ContainerStopper {
  readonly #room: StopperRoom;
  /** By container ID, as long as it runs. */
  readonly #hooks = new Map<string, Promise<void>>();
  /** IDs of containers whose users were told. */
  readonly #told = new Set<string>();

  constructor(room: StopperRoom) {
    this.#room = room;
  }

  /** Stops everything of the pod, containers first. */
  async stopPod(
    target: PodToStop,
    runtimePod: RuntimePod,
    graceSeconds: number | null,
    signal: AbortSignal,
  ): Promise<void> {
    const running = runtimePod.containers.filter(({ state }) => state === 'running');
    const stopped = new Map<string, Promise<void>>();
    const names = new Set(running.map(({ name }) => name));
    const waits = (name: string): Promise<unknown> => {
      const before = target.pod ? stopsBefore(target.pod, names, name) : [];
      return Promise.allSettled(before.flatMap((each) => stopped.get(each) ?? []));
    };
    for (const { id, name } of running) {
      // All are known before the first asks for its turn.
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
    throw podNotStopped({ reasons: failures.map(messageOf) }, new AggregateError(failures));
  }

  /** The container is gone: nothing of it needs to be remembered. */
  forget(containerId: string): void {
    this.#hooks.delete(containerId);
    this.#told.delete(containerId);
  }

  /** Stops one container of a pod that goes on. */
  async stopContainer(pod: Pod, stop: ContainerStop, signal: AbortSignal): Promise<void> {
    const target = { reference: podReferenceOf(pod), pod };
    await this.#stop(target, stop, () => Promise.resolve(), signal);
  }

  async #stop(
    { reference, pod }: PodToStop,
    stop: ContainerStop,
    turn: () => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, runtime } = this.#room;
    const container = pod ? findContainer(pod, stop.name)?.container : undefined;
    this.#tell(pod, reference, stop);
    let left = stop.graceSeconds ?? graceOf(pod, container, stop.reason);
    const spend = async (work: Promise<unknown>): Promise<void> => {
      const beganAtMs = clock.monotonic();
      await waitFor(clock, work, left * 1000, signal);
      left -= Math.trunc((clock.monotonic() - beganAtMs) / 1000);
    };
    if (pod && container?.lifecycle?.preStop && left > 0) {
      await spend(this.#preStop(pod, container, stop.id));
    }
    if (left > 0) await spend(turn());
    const seconds = Math.max(left, STOP_SECONDS_MIN);
    try {
      await runtime.stopContainer(stop.id, seconds, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.forget(stop.id);
  }

  /** Its failure is told, and is no reason not to stop the container. It never rejects. */
  #preStop(pod: Pod, container: RunContainer, containerId: string): Promise<void> {
    const running = this.#hooks.get(containerId);
    if (running) return running;
    const { events, log } = this.#room;
    const handler = container.lifecycle?.preStop ?? {};
    const hooked = { pod, container, containerId };
    const hook = runHook(this.#room, hooked, handler, NEVER).catch((error: unknown) => {
      const about = containerReferenceOf(pod, container.name);
      log.warn('a preStop hook failed', { pod: about, container: container.name, error });
      // What it said may hold secrets of the container, and events are read by many.
      events.record(about, 'Warning', 'FailedPreStopHook', 'PreStopHook failed');
    });
    this.#hooks.set(containerId, hook);
    return hook;
  }

  #tell(pod: Pod | null, reference: PodReference, { id, name, message }: ContainerStop): void {
    if (this.#told.has(id)) return;
    this.#told.add(id);
    const about = pod
      ? containerReferenceOf(pod, name)
      : { ...reference, fieldPath: `spec.containers{${name}}` };
    this.#room.events.record(about, 'Normal', 'Killing', message ?? `Stopping container ${name}`);
  }

  async #stopSandbox(id: string): Promise<void> {
    try {
      await this.#room.runtime.stopSandbox(id);
    } catch (error) {
      if (!isNotFound(error)) throw error;
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
