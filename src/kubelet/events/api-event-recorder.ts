/**
 * Records Events about pods and the node in the API, as Kubernetes' kubelet does.
 *
 *     record ──> queue (one per object) ──> correlator ──> sender ──> API
 *                                           (core/events)  a few at once
 *
 * Recording never blocks and never fails for the caller. Statuses matter more than Events, so sending starts
 * in a later tick, keeps few requests in flight, and is delayed briefly as long as pods are queued to start.
 * An event is correlated when it leaves the queue, as in client-go, so a dropped event is not counted.
 *
 * An event about a static pod has the UID of the static pod, not of its mirror pod; kubectl searches for that
 * UID. An event about the node has the node's name as its UID, for which kubectl searches as well
 * (Kubernetes' kubelet v1.36 omits the UID, and `kubectl describe node` does not find its events).
 *
 * Invariants:
 *   1. Events of one object are sent one after the other, in the order in which they were recorded.
 *   2. At most SENDING_MAX requests are in flight. event-queue.ts limits how many events wait; no Warning is
 *      dropped before a Normal event, and what is dropped is counted and reported in one Event of the node.
 *   3. After `stop` nothing is sent.
 */
import { formatTime } from '../../api/values/time.ts';
import {
  eventOf,
  type ApiEvent,
  type EventSource,
  type InvolvedObject,
  type EventText,
} from '../../core/events/api-event.ts';
import { Correlator, type Correlated } from '../../core/events/correlator.ts';
import { offAbort, onAbort } from '../../lib/abort-listeners.ts';
import type { Cancel } from '../../ports/clock.ts';
import type { ContainerReference } from '../../api/container-reference.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import { DroppedEvents } from './dropped-events.ts';
import { EventNames } from './event-names.ts';
import { EventQueue, type QueuedEvent } from './event-queue.ts';
import { EventSender, type SenderDeps } from './event-sender.ts';

export interface ApiEventRecorderOptions extends SenderDeps {
  /** The reporting component: `kubelet`. */
  readonly component: string;
  /** The name of this node. */
  readonly host: string;
  /** Whether more important work is queued. Events are delayed by BUSY_MS_MAX at most. */
  readonly isBusy?: () => boolean;
  /** Where dropped events are counted; absent: nowhere. */
  readonly metrics?: Registry;
  /** The resourceVersion of the pod with that UID, if it is known. */
  readonly resourceVersionOf?: (podUid: string) => string | undefined;
}

type EventType = EventText['type'];

const DROPPED_REASON = 'EventsDropped';
const SENDING_MAX = 4;
const BUSY_MS_MAX = 1000;
const BUSY_STEP_MS = 50;

export class ApiEventRecorder implements EventRecorder {
  readonly #options: ApiEventRecorderOptions;
  readonly #source: EventSource;
  readonly #names: EventNames;
  readonly #sender: EventSender;
  readonly #correlator = new Correlator();
  readonly #queue = new EventQueue();
  readonly #dropped: DroppedEvents;
  readonly #stopped = new AbortController();
  readonly #flushed = new Set<() => void>();
  #cancelTurn: Cancel | null = null;
  #waitingSinceMs: number | null = null;

  constructor(options: ApiEventRecorderOptions) {
    const { component, host, clock, random } = options;
    this.#options = options;
    this.#source = { component, host };
    this.#names = new EventNames(clock, random);
    this.#sender = new EventSender(options);
    this.#dropped = new DroppedEvents(options.metrics ?? null);
  }

  record(
    pod: PodReference | ContainerReference,
    type: EventType,
    reason: string,
    message: string,
    annotations: Readonly<Record<string, string>> = {},
  ): void {
    this.#record({ type, reason, message, annotations }, () => this.#aboutPod(pod));
  }

  /** About the node itself. */
  recordNode(type: EventType, reason: string, message: string): void {
    this.#record({ type, reason, message }, () => this.#aboutNode());
  }

  /** Resolves when all waiting events are written or given up, or when the signal is aborted. */
  flush(signal?: AbortSignal): Promise<void> {
    const isOver = this.#stopped.signal.aborted || signal?.aborted === true;
    if (isOver || this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        this.#flushed.delete(end);
        offAbort(signal, end);
        resolve();
      };
      onAbort(signal, end);
      this.#flushed.add(end);
    });
  }

  /** Sends nothing more, and gives up requests in flight. To have everything written, `flush` first. */
  stop(): void {
    if (this.#stopped.signal.aborted) return;
    this.#cancelTurn?.();
    const unsent = this.#queue.clear() + this.#queue.atWork;
    if (unsent > 0) this.#options.log.warn('Shut down with unsent events', { events: unsent });
    this.#stopped.abort();
    this.#notifyFlushed();
  }

  #record(text: Omit<EventText, 'about'>, who: () => InvolvedObject): void {
    const { type, reason, message } = text;
    const { log, clock } = this.#options;
    if (this.#stopped.signal.aborted) return;
    try {
      const about = who();
      log.debug('Event occurred', { about, type, reason, message });
      const now = formatTime(clock.now());
      const name = this.#names.next(about.name);
      const event = eventOf({ ...text, about }, this.#source, name, now);
      const dropped = this.#queue.add(event);
      if (dropped) this.#drop(dropped);
      this.#reportDropped(false);
      this.#setTurn();
    } catch (error) {
      log.error('Unable to record event (will not retry!)', { type, reason, message, error });
    }
  }

  #aboutPod(pod: PodReference | ContainerReference): InvolvedObject {
    const { name, namespace, uid } = pod;
    const resourceVersion = this.#options.resourceVersionOf?.(uid);
    return {
      kind: 'Pod',
      ...(namespace !== '' && { namespace }),
      name,
      ...(uid !== '' && { uid }),
      apiVersion: 'v1',
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...('fieldPath' in pod && { fieldPath: pod.fieldPath }),
    };
  }

  #aboutNode(): InvolvedObject {
    const { host } = this.#source;
    return { kind: 'Node', name: host, uid: host, apiVersion: 'v1' };
  }

  /** Logs the first dropped event; `#reportDropped` logs their number later. */
  #drop({ event, repeats }: QueuedEvent): void {
    const { clock, log } = this.#options;
    if (!this.#dropped.add(event, repeats, clock.monotonic())) return;
    const { involvedObject: about, reason } = event;
    log.warn('Unable to record event: too many queued events, dropped event', {
      first: { about, reason },
    });
  }

  #reportDropped(isOver: boolean): void {
    const { clock, log } = this.#options;
    const report = this.#dropped.report(isOver, clock.monotonic());
    if (!report) return;
    const { events, message } = report;
    log.warn('Dropped events: too many queued events', { events });
    this.#record({ type: 'Warning', reason: DROPPED_REASON, message }, () => this.#aboutNode());
  }

  #setTurn(): void {
    if (this.#cancelTurn || this.#stopped.signal.aborted) return;
    if (this.#queue.atWork >= SENDING_MAX) return;
    this.#cancelTurn = this.#options.clock.after(this.#patienceMs(), () => {
      this.#cancelTurn = null;
      if (this.#patienceMs() > 0) this.#setTurn();
      else this.#takeTurn();
    });
  }

  /** How long to wait for more important work; zero: no longer. */
  #patienceMs(): number {
    const { clock, isBusy } = this.#options;
    const isFree = isBusy?.() !== true || this.#flushed.size > 0;
    this.#waitingSinceMs = isFree ? null : (this.#waitingSinceMs ?? clock.monotonic());
    if (this.#waitingSinceMs === null) return 0;
    return clock.monotonic() - this.#waitingSinceMs < BUSY_MS_MAX ? BUSY_STEP_MS : 0;
  }

  #takeTurn(): void {
    while (this.#queue.atWork < SENDING_MAX) {
      const queued = this.#queue.take();
      if (!queued) break;
      void this.#send(queued);
    }
  }

  async #send({ event, repeats }: QueuedEvent): Promise<void> {
    const { signal } = this.#stopped;
    try {
      let correlated = this.#correlate(event);
      // Each repetition is counted, and one request writes the total.
      for (let more = 1; more < repeats; more++) correlated = this.#correlate(event) ?? correlated;
      if (correlated) await this.#sender.send(correlated, signal);
    } catch (error) {
      if (!signal.aborted) this.#options.log.error('Failed to send event', { event, error });
    }
    this.#queue.done(event);
    if (this.#isIdle()) this.#reportDropped(true);
    if (this.#isIdle()) this.#notifyFlushed();
    else this.#setTurn();
  }

  #correlate(event: ApiEvent): Correlated | null {
    const { clock } = this.#options;
    return this.#correlator.correlate(event, {
      time: formatTime(clock.now()),
      monotonicMs: clock.monotonic(),
      name: this.#names.next(event.involvedObject.name),
    });
  }

  #isIdle(): boolean {
    return this.#queue.size === 0 && this.#queue.atWork === 0;
  }

  #notifyFlushed(): void {
    for (const end of this.#flushed) end();
  }
}
