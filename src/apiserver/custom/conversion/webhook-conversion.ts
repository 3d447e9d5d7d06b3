/**
 * Converts the objects of one CustomResourceDefinition by its webhook.
 *
 * 1. An object that has the version already is not sent.
 * 2. A stored object is sent once for each version: objects in memory never change, so the result is cached
 *    for as long as the object is. Requests that need the same object at the same time wait for one call.
 * 3. Lists are converted in one review, up to a limit of objects and bytes; other requests get their turn
 *    between two reviews.
 * 4. A call ends after 30 seconds, as in kube-apiserver, and all calls for one list together after 60.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { printExactJson } from '../../../lib/json-text/exact-json.ts';
import type { Clock } from '../../../ports/clock.ts';
import { readText } from '../../../api/validation/json-reading.ts';
import { recall } from '../../objects/conversion-replay.ts';
import { internalFailure, StatusError } from '../../objects/status.ts';
import {
  callConversionWebhook,
  type ConversionCallDeps,
  type ConversionWebhook,
  type ReviewedObjects,
} from './conversion-call.ts';

export interface WebhookConversionDeps extends ConversionCallDeps {
  readonly clock: Clock;
}

/** The results for one version. */
interface VersionResults {
  readonly known: WeakMap<JsonObject, JsonObject>;
  readonly pending: WeakMap<JsonObject, Promise<void>>;
}

const CALL_MS_MAX = 30_000;
const REQUEST_MS_MAX = 60_000;
const REVIEW_OBJECTS_MAX = 500;
const REVIEW_CHARS_MAX = 512 * 1024;

export class WebhookConversion {
  /** Differs between two conversions. */
  readonly id: string;
  readonly #webhook: ConversionWebhook;
  readonly #deps: WebhookConversionDeps;
  readonly #versions: ReadonlyMap<string, VersionResults>;

  /** `apiVersions`: of all versions of the definition, served or not. */
  constructor(
    id: string,
    webhook: ConversionWebhook,
    apiVersions: readonly string[],
    deps: WebhookConversionDeps,
  ) {
    this.id = id;
    this.#webhook = webhook;
    this.#deps = deps;
    this.#versions = new Map(
      apiVersions.map((one) => [one, { known: new WeakMap(), pending: new WeakMap() }]),
    );
  }

  /** The result, if it is known; within a replay it will be (conversion-replay.ts). */
  convert(object: JsonObject, apiVersion: string): JsonObject {
    const found = this.#find(object, apiVersion);
    if (found) return found;
    const key = `${this.id} ${apiVersion} ${printExactJson(object)}`;
    return recall(key, async () => {
      const [converted] = await this.convertAll([object], apiVersion);
      return converted ?? object;
    });
  }

  /** In the order of the objects. Rejects with a StatusError. */
  async convertAll(
    objects: readonly JsonObject[],
    apiVersion: string,
  ): Promise<readonly JsonObject[]> {
    const { pending } = this.#resultsOf(apiVersion, 'to');
    const endMs = this.#deps.clock.monotonic() + REQUEST_MS_MAX;
    const others = new Set<Promise<void>>();
    const own = this.#missing(objects, apiVersion).filter((object) => {
      const call = pending.get(object);
      if (call) others.add(call);
      return !call;
    });
    await this.#callInTurns(own, apiVersion, endMs);
    await Promise.allSettled(others);
    // The calls of others may have failed because of objects that this request has not.
    await this.#callInTurns(this.#missing(objects, apiVersion), apiVersion, endMs);
    return objects.map((object) => this.#find(object, apiVersion) ?? object);
  }

  /** A result that is known otherwise: of an object that was converted before it got its version. */
  learn(object: JsonObject, apiVersion: string, converted: JsonObject): void {
    this.#resultsOf(apiVersion, 'to').known.set(object, converted);
  }

  #missing(objects: readonly JsonObject[], apiVersion: string): readonly JsonObject[] {
    return objects.filter((object) => !this.#find(object, apiVersion));
  }

  #find(object: JsonObject, apiVersion: string): JsonObject | undefined {
    const own = readText(object['apiVersion']);
    if (own === apiVersion) return object;
    this.#resultsOf(own, 'from');
    if (isEmpty(object)) return { ...object, apiVersion };
    return this.#resultsOf(apiVersion, 'to').known.get(object);
  }

  #resultsOf(apiVersion: string, direction: 'from' | 'to'): VersionResults {
    const found = this.#versions.get(apiVersion);
    if (found) return found;
    throw internalFailure(
      `request to convert CR ${direction} an invalid group/version: ${apiVersion}`,
    );
  }

  async #callInTurns(
    objects: readonly JsonObject[],
    apiVersion: string,
    endMs: number,
  ): Promise<void> {
    const { clock } = this.#deps;
    for (const reviewed of reviewsOf(objects)) {
      const leftMs = endMs - clock.monotonic();
      if (leftMs <= 0) throw outOfTime();
      await this.#call(reviewed, apiVersion, Math.min(CALL_MS_MAX, leftMs));
      await clock.turn?.();
    }
  }

  async #call(reviewed: ReviewedObjects, apiVersion: string, timeoutMs: number): Promise<void> {
    const { known, pending } = this.#resultsOf(apiVersion, 'to');
    const { objects } = reviewed;
    const call = callConversionWebhook(this.#webhook, reviewed, apiVersion, timeoutMs, this.#deps);
    const ended = call.then((converted) => {
      for (const [index, object] of objects.entries())
        known.set(object, converted[index] ?? object);
    });
    for (const object of objects) pending.set(object, ended);
    try {
      await ended;
    } finally {
      for (const object of objects) if (pending.get(object) === ended) pending.delete(object);
    }
  }
}

/** Only kind and version: the webhook is not asked about nothing. */
function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).every((key) => key === 'kind' || key === 'apiVersion');
}

/** As many objects as one review may have. The texts of the next are made when they are needed. */
function* reviewsOf(all: readonly JsonObject[]): Generator<ReviewedObjects, void> {
  let objects: JsonObject[] = [];
  let texts: string[] = [];
  let chars = 0;
  for (const object of all) {
    const text = printExactJson(object);
    const isFull = objects.length >= REVIEW_OBJECTS_MAX || chars + text.length > REVIEW_CHARS_MAX;
    if (isFull && objects.length > 0) {
      yield { objects, texts };
      [objects, texts, chars] = [[], [], 0];
    }
    objects.push(object);
    texts.push(text);
    chars += text.length;
  }
  if (objects.length > 0) yield { objects, texts };
}

function outOfTime(): StatusError {
  const message = 'Timeout: request did not complete within the allotted timeout';
  return new StatusError(504, 'Timeout', message, {});
}
