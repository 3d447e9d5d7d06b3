/**
 * Tells people what a controller did or could not do, as events beside the object.
 *
 *     core     as controllers of Kubernetes write them: said again, it is counted
 *     series   as its scheduler writes them (events.k8s.io): said again, it becomes a series
 *
 * An event is a courtesy. If it cannot be written, the log says so and the work goes on.
 */
import { formatMicroTime, formatTime } from '../../api/time.ts';
import { checkDns1123Subdomain } from '../../api/validation-names.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import type { KindDefinition } from '../kind.ts';
import { events, groupEvents } from '../kinds/event.ts';
import { numberAt } from '../kinds/field-path.ts';
import { makeUid, metadataOf, textOf } from '../metadata.ts';
import type { ServerParts } from '../server-parts.ts';
import { isMissing, isNamespaceGoing } from './deletion-request.ts';

export interface Telling {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Of the new kind, which also says what was being done. */
export interface ActionTelling extends Telling {
  readonly action: string;
}

interface Told {
  readonly namespace: string;
  readonly name: string;
  readonly lastMs: number;
}

const REMEMBERED_MAX = 4096;
/** After this long the same words are a new event. */
const FRESH_MS = 6 * 60 * 1000;
const NANOS_PER_MS = 1_000_000n;

export class EventRecorder {
  readonly #parts: ServerParts;
  readonly #reporter: string;
  readonly #told = new Map<string, Told>();
  #count = 0n;

  constructor(parts: ServerParts, reporter: string) {
    this.#parts = parts;
    this.#reporter = reporter;
  }

  /** `object`: whom it is about; a reference will do. */
  async tell(object: JsonObject, { type, reason, message }: Telling): Promise<void> {
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

  async report(object: JsonObject, told: ActionTelling): Promise<void> {
    const { type, reason, action, message: note } = told;
    const regarding = referenceTo(object);
    const now = formatMicroTime(this.#parts.clock.now());
    const key = JSON.stringify([regarding, type, reason, action]);
    const body = {
      eventTime: now,
      reportingController: this.#reporter,
      reportingInstance: `${this.#reporter}-podkeep`,
      action,
      reason,
      regarding,
      note,
      type,
    };
    await this.#write(groupEvents, key, regarding, body, (event) => {
      const count = Math.max(numberAt(event, 'series.count'), 1) + 1;
      return { ...event, series: { count, lastObservedTime: now } };
    });
  }

  async #write(
    definition: KindDefinition,
    key: string,
    about: JsonObject,
    body: JsonObject,
    again: (event: JsonObject) => JsonObject,
  ): Promise<void> {
    try {
      const told = this.#recall(key);
      if (told && (await this.#repeat(definition, told, again))) return;
      const namespace = textOf(about['namespace']) || 'default';
      const name = this.#nameFor(textOf(about['name']));
      this.#remember(key, { namespace, name, lastMs: this.#parts.clock.now() });
      const metadata = { name, namespace };
      await this.#parts.registry.create({ definition, namespace, body: { metadata, ...body } });
    } catch (error) {
      if (isNamespaceGoing(error)) return;
      this.#parts.log.warn('an event could not be written', { reporter: this.#reporter, error });
    }
  }

  /** False: the event is not there any more. */
  async #repeat(
    definition: KindDefinition,
    { namespace, name }: Told,
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

  #recall(key: string): Told | undefined {
    const told = this.#told.get(key);
    const nowMs = this.#parts.clock.now();
    if (!told || nowMs - told.lastMs > FRESH_MS) return undefined;
    this.#remember(key, { ...told, lastMs: nowMs });
    return told;
  }

  /** The one that was not said for the longest time makes room. */
  #remember(key: string, told: Told): void {
    this.#told.delete(key);
    this.#told.set(key, told);
    if (this.#told.size <= REMEMBERED_MAX) return;
    const [oldest] = this.#told.keys();
    if (oldest !== undefined) this.#told.delete(oldest);
  }

  #nameFor(object: string): string {
    this.#count += 1n;
    const nanos = BigInt(this.#parts.clock.now()) * NANOS_PER_MS + (this.#count % NANOS_PER_MS);
    const name = `${object}.${nanos.toString(16)}`;
    return checkDns1123Subdomain(name).length === 0 ? name : makeUid(this.#parts.random);
  }
}

function referenceTo(object: JsonObject): JsonObject {
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
