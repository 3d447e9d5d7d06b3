/**
 * Records Events as kube-scheduler does (events.k8s.io): repetitions of an Event become a series.
 *
 *     first ──> created      second ──> written as a series of two      further ones ──> counted in memory
 *
 * The count is written every 30 minutes, and for the last time when the Event has not been repeated for six
 * minutes: so a pod that repeatedly cannot be scheduled costs few writes. While no series is open, no timer
 * runs. Events are best effort: if one cannot be written, the recorder logs a warning and the scheduler
 * continues.
 */
import { formatMicroTime } from '../../api/values/time.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Cancel } from '../../ports/clock.ts';
import { groupEvents } from '../kinds/core/event.ts';
import { textOf } from '../objects/metadata.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { isMissing, isNamespaceGoing } from './deletion-request.ts';
import { nameOfEvent, referenceTo, type EventText } from './event-recorder.ts';

export interface ActionEventText extends EventText {
  readonly action: string;
  /** A second object that the Event is about. */
  readonly related?: JsonObject;
}

interface OpenEvent {
  readonly body: JsonObject;
  readonly namespace: string;
  readonly name: string;
  count: number;
  lastMs: number;
  lastTime: string;
  writtenCount: number;
  writtenMs: number;
}

const OPEN_MAX = 4096;
const FINISH_MS = 6 * 60_000;
const REFRESH_MS = 30 * 60_000;

export class EventSeriesRecorder {
  readonly #parts: ServerParts;
  readonly #reporter: string;
  /** The least recently recorded Event first. */
  readonly #open = new Map<string, OpenEvent>();
  #count = 0n;
  #cancel: Cancel | null = null;
  #isStopped = false;

  constructor(parts: ServerParts, reporter: string) {
    this.#parts = parts;
    this.#reporter = reporter;
  }

  async report(object: JsonObject, recorded: ActionEventText): Promise<void> {
    const { type, reason, action, message: note, related } = recorded;
    const { clock } = this.#parts;
    const regarding = referenceTo(object);
    const about = { regarding, ...(related && { related: referenceTo(related) }) };
    const key = JSON.stringify([about, type, reason, action]);
    const now = formatMicroTime(clock.now());
    const known = this.#open.get(key);
    if (known) return this.#repeat(key, known, now);
    this.#count += 1n;
    const namespace = textOf(regarding['namespace']) || 'default';
    const name = nameOfEvent(this.#parts, textOf(regarding['name']), this.#count);
    const lastMs = clock.monotonic();
    const body = {
      eventTime: now,
      reportingController: this.#reporter,
      reportingInstance: `${this.#reporter}-podkeep`,
      action,
      reason,
      ...about,
      note,
      type,
    };
    const counted = { count: 1, writtenCount: 1, lastMs, writtenMs: lastMs, lastTime: now };
    const open: OpenEvent = { body, namespace, name, ...counted };
    this.#remember(key, open);
    await this.#safely(() => this.#create(open));
  }

  /** Counts that are not written yet are lost, as in kube-scheduler. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  async #repeat(key: string, open: OpenEvent, now: string): Promise<void> {
    open.count += 1;
    open.lastMs = this.#parts.clock.monotonic();
    open.lastTime = now;
    this.#remember(key, open);
    if (open.count === 2) await this.#safely(() => this.#writeSeries(open));
  }

  #remember(key: string, open: OpenEvent): void {
    this.#open.delete(key);
    this.#open.set(key, open);
    const [oldest] = this.#open.keys();
    if (this.#open.size > OPEN_MAX && oldest !== undefined) this.#open.delete(oldest);
    if (this.#isStopped) return;
    this.#cancel ??= this.#parts.clock.after(FINISH_MS, () => void this.#tick());
  }

  async #tick(): Promise<void> {
    this.#cancel = null;
    const nowMs = this.#parts.clock.monotonic();
    for (const [key, open] of this.#open) {
      const isOver = nowMs - open.lastMs >= FINISH_MS;
      const isDue = isOver || nowMs - open.writtenMs >= REFRESH_MS;
      if (isOver) this.#open.delete(key);
      if (isDue && open.count > open.writtenCount) {
        await this.#safely(() => this.#writeSeries(open));
      }
    }
    if (this.#open.size === 0 || this.#isStopped) return;
    this.#cancel ??= this.#parts.clock.after(FINISH_MS, () => void this.#tick());
  }

  async #create({ namespace, name, body }: OpenEvent, series?: JsonObject): Promise<void> {
    const metadata = { name, namespace };
    const all = { metadata, ...body, ...(series && { series }) };
    await this.#parts.registry.create({ definition: groupEvents, namespace, body: all });
  }

  /** Creates the Event again if it has expired. */
  async #writeSeries(open: OpenEvent): Promise<void> {
    const { namespace, name, count, lastTime } = open;
    open.writtenCount = count;
    open.writtenMs = this.#parts.clock.monotonic();
    const series = { count, lastObservedTime: lastTime };
    const change = (event: JsonObject): JsonObject => ({ ...event, series });
    try {
      await this.#parts.registry.update({ definition: groupEvents, namespace, name, change });
    } catch (error) {
      if (!isMissing(error)) throw error;
      await this.#create(open, series);
    }
  }

  async #safely(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (isNamespaceGoing(error)) return;
      this.#parts.log.warn('Unable to write event', { reporter: this.#reporter, error });
    }
  }
}
