/**
 * What the versions of one CustomResourceDefinition share until its spec or its accepted names change: the
 * conversion by its webhook with all results, and the watches, which end at that change, as in
 * kube-apiserver.
 *
 * Other changes of the status, such as a new condition, have no effect here: otherwise every object would be
 * converted again.
 */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { readStruct } from '../../../api/validation/json-reading.ts';
import type { Crd } from '../crd.ts';
import { WebhookConversion, type WebhookConversionDeps } from './webhook-conversion.ts';

export class ServedVersions {
  readonly conversion: WebhookConversion | undefined;
  readonly #spec: JsonObject;
  readonly #names: JsonObject;
  readonly #listeners = new Set<() => void>();
  #isReplaced = false;

  /** `id`: of no other conversion. */
  constructor(object: JsonObject, crd: Crd, id: string, deps: WebhookConversionDeps) {
    this.#spec = readStruct(object['spec']);
    this.#names = acceptedNames(object);
    const { conversionWebhook: webhook, versions, group } = crd;
    // A single version is never converted.
    if (!webhook || versions.length === 1) return;
    const apiVersions = versions.map(({ name }) => `${group}/${name}`);
    this.conversion = new WebhookConversion(id, webhook, apiVersions, deps);
  }

  /** Does the definition still say the same about its versions? */
  isFor(object: JsonObject): boolean {
    return (
      jsonEqual(this.#spec, readStruct(object['spec'])) &&
      jsonEqual(this.#names, acceptedNames(object))
    );
  }

  readonly whenReplaced = (listener: () => void): (() => void) => {
    if (this.#isReplaced) listener();
    else this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** They are served otherwise from now on, or no more. */
  replace(): void {
    this.#isReplaced = true;
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }
}

function acceptedNames(object: JsonObject): JsonObject {
  return readStruct(readStruct(object['status'])['acceptedNames']);
}
