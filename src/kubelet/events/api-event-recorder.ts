/**
 * Tells users what happened on this node, as events in the API, just as the kubelet does.
 *
 *     record ──> queue (one line an object) ──> correlator ──> sender ──> API
 *                                               (core/events)  a few at once
 *
 * Telling is a courtesy: it takes no time of who calls, and never fails for them. Statuses matter more
 * than words about them, so sending begins in a turn of its own, after what is at hand, keeps few
 * requests under way, and waits a little while pods stand in line to be started. An event is correlated when it leaves the queue, as client-go does it, so one that
 * found no room in it is not counted either.
 *
 * An event about a static pod bears the UID of that pod, not of its mirror in the API; kubectl looks for
 * it there. One about the node bears the node's name as its UID, where kubectl looks as well (the
 * kubelet of v1.36 leaves it out, and `kubectl describe node` does not find its events).
 *
 * Invariants:
 *   1. Events of one object are sent one after the other, in the order in which they were recorded.
 *   2. At most SENDING_MAX requests are under way, and at most 1000 events wait.
 *   3. After `stop` nothing is sent.
 */
import { formatTime } from '../../api/time.ts';
import {
  eventOf,
  type ApiEvent,
  type EventSource,
  type InvolvedObject,
  type Telling,
} from '../../core/events/api-event.ts';
import { Correlator, type Correlated } from '../../core/events/correlator.ts';
import type { Cancel } from '../../ports/clock.ts';
import type { ContainerReference } from '../../ports/container-reference.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { PodReference } from '../../ports/pod-reference.ts';
import { EventNames } from './event-names.ts';
import { EventQueue } from './event-queue.ts';
import { EventSender, type SenderRoom } from './event-sender.ts';

export interface ApiEventRecorderOptions extends SenderRoom {
  /** Who tells: `kubelet`. */
  readonly component: string;
  /** The name of this node. */
  readonly host: string;
  /** Whether something more important is to be done. Nothing waits for that longer than BUSY_MS_MAX. */
  readonly isBusy?: () => boolean;
  /** Of the pod with that UID, if it is known. */
  readonly resourceVersionOf?: (podUid: string) => string | undefined;
}

type EventType = Telling['type'];

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
  readonly #stopped = new AbortController();
  readonly #flushed = new Set<() => void>();
  #cancelTurn: Cancel | null = null;
  #waitingSinceMs: number | null = null;
  #dropped = 0;

  constructor(options: ApiEventRecorderOptions) {
    const { component, host, clock, random } = options;
    this.#options = options;
    this.#source = { component, host };
    this.#names = new EventNames(clock, random);
    this.#sender = new EventSender(options);
  }

  record(
    pod: PodReference | ContainerReference,
    type: EventType,
    reason: string,
    message: string,
  ): void {
    this.#tell(type, reason, message, () => this.#aboutPod(pod));
  }

  /** Of the node itself. */
  recordNode(type: EventType, reason: string, message: string): void {
    const { host } = this.#source;
    const about = { kind: 'Node', name: host, uid: host, apiVersion: 'v1' };
    this.#tell(type, reason, message, () => about);
  }

  /** Resolves when all that waited is written or given up, or when the signal says that it is enough. */
  flush(signal?: AbortSignal): Promise<void> {
    const isOver = this.#stopped.signal.aborted || signal?.aborted === true;
    if (isOver || this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        this.#flushed.delete(end);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      signal?.addEventListener('abort', end, { once: true });
      this.#flushed.add(end);
    });
  }

  /** Sends nothing more, and gives up what is under way. To have it all written, `flush` first. */
  stop(): void {
    if (this.#stopped.signal.aborted) return;
    this.#cancelTurn?.();
    const unsent = this.#queue.clear() + this.#queue.atWork;
    if (unsent > 0) this.#options.log.warn('Some events were not written', { events: unsent });
    this.#stopped.abort();
    this.#tellFlushed();
  }

  #tell(type: EventType, reason: string, message: string, who: () => InvolvedObject): void {
    const { log, clock } = this.#options;
    if (this.#stopped.signal.aborted) return;
    try {
      const about = who();
      log.debug('Event', { about, type, reason, message });
      const now = formatTime(clock.now());
      const name = this.#names.next(about.name);
      const event = eventOf({ about, type, reason, message }, this.#source, name, now);
      if (!this.#queue.add(event)) this.#drop(event);
      this.#setTurn();
    } catch (error) {
      log.error('An event could not be recorded', { type, reason, message, error });
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

  /** Said once, and again in numbers when it is over. */
  #drop({ involvedObject, reason }: ApiEvent): void {
    this.#dropped += 1;
    if (this.#dropped > 1) return;
    const first = { about: involvedObject, reason };
    this.#options.log.warn('Too many events wait to be written; new ones are dropped', { first });
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

  /** How long to leave the field to others; zero: not any longer. */
  #patienceMs(): number {
    const { clock, isBusy } = this.#options;
    const isFree = isBusy?.() !== true || this.#flushed.size > 0;
    this.#waitingSinceMs = isFree ? null : (this.#waitingSinceMs ?? clock.monotonic());
    if (this.#waitingSinceMs === null) return 0;
    return clock.monotonic() - this.#waitingSinceMs < BUSY_MS_MAX ? BUSY_STEP_MS : 0;
  }

  #takeTurn(): void {
    while (this.#queue.atWork < SENDING_MAX) {
      const event = this.#queue.take();
      if (!event) break;
      void this.#send(event);
    }
  }

  async #send(event: ApiEvent): Promise<void> {
    const { signal } = this.#stopped;
    try {
      const correlated = this.#correlate(event);
      if (correlated) await this.#sender.send(correlated, signal);
    } catch (error) {
      if (!signal.aborted) this.#options.log.error('An event could not be sent', { event, error });
    }
    this.#queue.done(event);
    if (this.#isIdle()) this.#tellFlushed();
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

  #tellFlushed(): void {
    if (this.#dropped > 0) {
      const events = this.#dropped;
      this.#dropped = 0;
      this.#options.log.warn('Events were dropped because too many waited', { events });
    }
    for (const end of this.#flushed) end();
  }
}
