/**
 * Subscribes to the runtime's container events (GetContainerEvents) while podkeep has a listener.
 *
 *     GetContainerEvents ──> events ──> stream breaks ──> a second later, subscribe again
 *             └── shortly after, every pod is reported as changed: earlier changes are unknown
 *
 * A runtime that goes down ends the stream, and no events arrive until the stream is open again. A runtime
 * also sends no events between the call and the moment it registers the subscriber. So shortly after each
 * opening, the first one included, all pods are reported as changed.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { RuntimeEvent } from '../../ports/runtime/pod-runtime.ts';
import { fullId } from './container-id.ts';
import { POD_UID } from './labels.ts';
import { RUNTIME_CALLS } from './messages/calls.ts';
import type { Sent } from './messages/message.ts';
import type { ContainerEventResponse } from './messages/runtime-messages.ts';
import type { CriService } from './wire/cri-service.ts';

export interface CriEventsOptions {
  readonly service: CriService;
  readonly runtimeName: string;
  readonly clock: Clock;
  readonly log: Log;
  /** UIDs of all pods that the runtime has. */
  readonly listPods: () => Promise<readonly string[]>;
}

type ContainerEvent = Sent<typeof ContainerEventResponse>;

const RETRY_MS = 1000;
const SETTLE_MS = 1000;
const PROBE_MS = 300;

const TYPES: Readonly<Record<string, RuntimeEvent['type']>> = {
  CONTAINER_STARTED_EVENT: 'containerStarted',
  CONTAINER_STOPPED_EVENT: 'containerDied',
  CONTAINER_DELETED_EVENT: 'containerRemoved',
};

export class CriEvents {
  readonly #options: CriEventsOptions;
  readonly #listeners = new Set<(event: RuntimeEvent) => void>();
  /** Pod UIDs by container and sandbox ID: the event of a deletion no longer names the pod. */
  readonly #pods = new Map<string, string>();
  readonly #sandboxes = new Set<string>();
  #listening: AbortController | null = null;
  /** A broken stream was logged, and the stream is not back yet. */
  #isBroken = false;
  #cancelRetry: Cancel = () => {};
  #cancelSettle: Cancel = () => {};

  constructor(options: CriEventsOptions) {
    this.#options = options;
  }

  follow(listener: (event: RuntimeEvent) => void): () => void {
    this.#listeners.add(listener);
    if (!this.#listening) this.#listen();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    this.#listeners.clear();
    this.#cancelRetry();
    this.#cancelSettle();
    this.#listening?.abort(new Error('no subscriber is left'));
    this.#listening = null;
  }

  #listen(): void {
    const { service, clock, log } = this.#options;
    const listening = new AbortController();
    this.#listening = listening;
    this.#cancelSettle = clock.after(SETTLE_MS, () => void this.#notifyAll());
    const again = (error?: unknown): void => {
      if (listening.signal.aborted) return;
      if (!this.#isBroken)
        log.warn('Container runtime event stream broke; reconnecting', { error });
      this.#isBroken = true;
      this.#cancelSettle();
      this.#cancelRetry = clock.after(RETRY_MS, () => this.#listen());
    };
    const hear = (notified: ContainerEvent): void => this.#hear(notified);
    void service
      .listen(RUNTIME_CALLS.getContainerEvents, {}, listening.signal, hear)
      .then(() => again(), again);
  }

  #hear(notified: ContainerEvent): void {
    const podUid = this.#podOf(notified);
    if (podUid === undefined) return;
    const { containerId, containerEventType, podSandboxStatus } = notified;
    const isSandbox = podSandboxStatus?.id === containerId || this.#isSandbox(notified);
    if (isSandbox) return this.#emit({ podUid, type: 'sandboxChanged' });
    const type = TYPES[containerEventType];
    const id = fullId(this.#options.runtimeName, containerId);
    if (type) this.#emit({ podUid, type, containerId: id });
  }

  /** Recognises a removed sandbox, too, whose event has nothing but its ID. */
  #isSandbox({ containerId, containerEventType, podSandboxStatus }: ContainerEvent): boolean {
    if (podSandboxStatus) this.#sandboxes.add(podSandboxStatus.id);
    const isKnown = this.#sandboxes.has(containerId);
    if (containerEventType === 'CONTAINER_DELETED_EVENT') this.#sandboxes.delete(containerId);
    return isKnown;
  }

  #podOf({
    containerId,
    containerEventType,
    podSandboxStatus,
  }: ContainerEvent): string | undefined {
    const given = podSandboxStatus?.labels[POD_UID] ?? podSandboxStatus?.metadata?.uid;
    const podUid = given ?? this.#pods.get(containerId);
    if (containerEventType === 'CONTAINER_DELETED_EVENT') this.#pods.delete(containerId);
    else if (podUid !== undefined) this.#pods.set(containerId, podUid);
    return podUid;
  }

  async #notifyAll(): Promise<void> {
    const { listPods, log } = this.#options;
    try {
      const there = new Set(await listPods());
      const before = new Set(this.#pods.values());
      this.#forgetOthers(there);
      if (this.#isBroken) log.info('Container runtime event stream is back');
      this.#isBroken = false;
      for (const podUid of new Set([...before, ...there])) {
        this.#emit({ podUid, type: 'sandboxChanged' });
      }
    } catch (error) {
      // The stream to this runtime breaks as well; its next opening lists the pods again.
      log.warn('Failed to list the pods of the container runtime', { error });
    }
  }

  /** Forgets pods that are gone without a deletion event. */
  #forgetOthers(podsThere: ReadonlySet<string>): void {
    for (const [id, podUid] of this.#pods) {
      if (podsThere.has(podUid)) continue;
      this.#pods.delete(id);
      this.#sandboxes.delete(id);
    }
  }

  #emit(event: RuntimeEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** Probes whether the runtime has events: a runtime without them ends the stream immediately. */
export async function hasEvents(service: CriService, clock: Clock): Promise<boolean> {
  const asking = new AbortController();
  const { getContainerEvents, status } = RUNTIME_CALLS;
  const ended = service
    .listen(getContainerEvents, {}, asking.signal, () => {})
    .then(
      () => true,
      () => true,
    );
  await service.ask(status, {});
  const stillOpen = new Promise<boolean>((resolve) => {
    clock.after(PROBE_MS, () => resolve(false));
  });
  const isOver = await Promise.race([ended, stillOpen]);
  asking.abort(new Error('the event stream was probed'));
  return !isOver;
}
