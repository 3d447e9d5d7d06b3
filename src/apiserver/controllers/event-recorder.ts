/**
 * Records Events for controllers, as kube-controller-manager does: a repeated Event increases its count.
 * (event-series-recorder.ts records them as kube-scheduler does.)
 *
 * Events are best effort: if one cannot be written, the recorder logs a warning and the controller continues.
 */
import { formatTime } from '../../api/values/time.ts';
import { checkDns1123Subdomain } from '../../api/validation-names.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { events } from '../kinds/core/event.ts';
import { numberAt } from '../objects/field-path.ts';
import { makeUid, metadataOf, textOf } from '../objects/metadata.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { isAlreadyThere, isMissing, isNamespaceGoing } from './deletion-request.ts';

export interface EventText {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

interface RecordedEvent {
  readonly namespace: string;
  readonly name: string;
  readonly lastMs: number;
}

const REMEMBERED_MAX = 4096;
/** To find a name for an event. */
const ATTEMPTS_MAX = 10;
/** After this long a repetition becomes a new event. */
const FRESH_MS = 6 * 60 * 1000;
const NANOS_PER_MS = 1_000_000n;

export class EventRecorder {
  readonly #parts: ServerParts;
  readonly #reporter: string;
  readonly #recorded = new Map<string, RecordedEvent>();
  #count = 0n;

  constructor(parts: ServerParts, reporter: string) {
    this.#parts = parts;
    this.#reporter = reporter;
  }

  /** `object`: the object that the Event is about; a reference suffices. */
  async record(object: JsonObject, { type, reason, message }: EventText): Promise<void> {
    const involvedObject = referenceTo(object);
    const now = formatTime(this.#parts.clock.now());
    const key = JSON.stringify([involvedObject, type, reason, message]);
    const body = {
      involvedObject,
      reason,
      message,
      source: { component: this.#reporter },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      type,
      reportingComponent: this.#reporter,
    };
    await this.#write(events, key, involvedObject, body, (event) => ({
      ...event,
      count: numberAt(event, 'count') + 1,
      lastTimestamp: now,
    }));
  }

  async #write(
    definition: KindDefinition,
    key: string,
    about: JsonObject,
    body: JsonObject,
    again: (event: JsonObject) => JsonObject,
  ): Promise<void> {
    try {
      const recorded = this.#recall(key);
      if (recorded && (await this.#repeat(definition, recorded, again))) return;
      await this.#create(definition, key, about, body);
    } catch (error) {
      if (isNamespaceGoing(error)) return;
      this.#parts.log.warn('Unable to write event', { reporter: this.#reporter, error });
    }
  }

  /** Another recorder may have given the same name in the same millisecond: then the next one is tried. */
  async #create(
    definition: KindDefinition,
    key: string,
    about: JsonObject,
    body: JsonObject,
  ): Promise<void> {
    const namespace = textOf(about['namespace']) || 'default';
    for (let left = ATTEMPTS_MAX; ; left--) {
      const name = this.#nameFor(textOf(about['name']));
      const metadata = { name, namespace };
      // Before the event is written: a repetition that comes meanwhile raises its count.
      this.#remember(key, { namespace, name, lastMs: this.#parts.clock.now() });
      try {
        await this.#parts.registry.create({ definition, namespace, body: { metadata, ...body } });
        return;
      } catch (error) {
        if (left <= 1 || !isAlreadyThere(error)) throw error;
      }
    }
  }

  /** False: the event no longer exists. */
  async #repeat(
    definition: KindDefinition,
    { namespace, name }: RecordedEvent,
    change: (event: JsonObject) => JsonObject,
  ): Promise<boolean> {
    try {
      await this.#parts.registry.update({ definition, namespace, name, change });
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  #recall(key: string): RecordedEvent | undefined {
    const recorded = this.#recorded.get(key);
    const nowMs = this.#parts.clock.now();
    if (!recorded || nowMs - recorded.lastMs > FRESH_MS) return undefined;
    this.#remember(key, { ...recorded, lastMs: nowMs });
    return recorded;
  }

  /** Drops the least recently recorded Event. */
  #remember(key: string, recorded: RecordedEvent): void {
    this.#recorded.delete(key);
    this.#recorded.set(key, recorded);
    if (this.#recorded.size <= REMEMBERED_MAX) return;
    const [oldest] = this.#recorded.keys();
    if (oldest !== undefined) this.#recorded.delete(oldest);
  }

  #nameFor(object: string): string {
    this.#count += 1n;
    return nameOfEvent(this.#parts, object, this.#count);
  }
}

/** The name of the object and a time, made unique by a counter. */
export function nameOfEvent(
  { clock, random }: Pick<ServerParts, 'clock' | 'random'>,
  object: string,
  count: bigint,
): string {
  const nanos = BigInt(clock.now()) * NANOS_PER_MS + (count % NANOS_PER_MS);
  const name = `${object}.${nanos.toString(16)}`;
  return checkDns1123Subdomain(name).length === 0 ? name : makeUid(random);
}

export function referenceTo(object: JsonObject): JsonObject {
  const { namespace, name, uid, resourceVersion } = metadataOf(object);
  const { kind, apiVersion } = object;
  const fields: Readonly<Record<string, Json | undefined>> = {
    kind,
    namespace,
    name,
    uid,
    apiVersion,
    resourceVersion,
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}
