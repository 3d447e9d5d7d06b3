/**
 * Admission plugins: called after an object is complete and before it is validated and stored.
 *
 * Each plugin has one concern. It may change the object or throw a StatusError; mutating plugins come before
 * validating ones. What only one object may have, such as an address, is allocated after webhooks have changed
 * the object, and reserved until the write is over. A plugin that validates the complete object does so in `review`, after validation. One
 * that counts usage may add changes, which are committed atomically with the object.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { Change } from '../../ports/api/object-store.ts';
import type { User } from '../objects/access.ts';
import type { KindDefinition } from '../objects/kind.ts';

export interface AdmissionRequest {
  /** Plugins are asked for the first three; `connect` (exec, attach, proxies) is for dynamic admission only. */
  readonly verb: 'create' | 'update' | 'delete' | 'connect';
  readonly definition: KindDefinition;
  readonly subresource: string | null;
  readonly namespace: string;
  /** Empty: the server will generate one. */
  readonly name: string;
  /** As it would be stored; for a delete: as it is stored. */
  readonly object: JsonObject;
  /** As it is stored; null for a create. */
  readonly old: JsonObject | null;
  readonly user: User;
  readonly dryRun: boolean;
  /** Takes a sentence for the Warning header; absent: the server itself writes. */
  readonly warn?: ((sentence: string) => void) | undefined;
  /** Adds an annotation to the audit event of the request; absent: it is not audited. */
  readonly annotate?: ((key: string, value: string) => void) | undefined;
  /** The options of the operation, such as CreateOptions; absent: there are none. */
  readonly options?: JsonObject | undefined;
  /** When the request began, by the clock that never runs backward; absent: it begins now. */
  readonly sinceMs?: number | undefined;
  /** No webhook and no policy is asked (registry.ts, Writing). */
  readonly isExempt?: boolean | undefined;
  /** Takes a function that is called when this attempt to write is over, whether it succeeded or not. */
  readonly whenOver?: ((end: () => void) => void) | undefined;
}

export interface Admission {
  /** The object, changed or not; ignored for a delete. */
  admit(request: AdmissionRequest): JsonObject;
  /** Fills in what only one object may have. Called after webhooks, before validation; never for a delete. */
  allocate?(request: AdmissionRequest): JsonObject;
  /** Checks an object that is complete and valid: throws a StatusError, or warns. */
  review?(request: AdmissionRequest): void;
  /**
   * Changes to commit together with a valid object, each with the revision it expects. Called again if the
   * commit fails because one of them has changed meanwhile.
   */
  charge?(request: AdmissionRequest): readonly Change[];
}

/** Runs all plugins, one after the other. */
export function admitAll(plugins: readonly Admission[]): Required<Admission> {
  const allocating = plugins.filter((plugin) => plugin.allocate !== undefined);
  const reviewing = plugins.filter((plugin) => plugin.review !== undefined);
  const charging = plugins.filter((plugin) => plugin.charge !== undefined);
  return {
    admit: (request) => {
      let asked = request;
      for (const plugin of plugins) {
        const object = plugin.admit(asked);
        if (object !== asked.object) asked = { ...request, object };
      }
      return asked.object;
    },
    allocate: (request) => {
      let { object } = request;
      for (const plugin of allocating) object = plugin.allocate?.({ ...request, object }) ?? object;
      return object;
    },
    review: (request) => {
      for (const plugin of reviewing) plugin.review?.(request);
    },
    charge: (request) => charging.flatMap((plugin) => plugin.charge?.(request) ?? []),
  };
}

export function isPod({ group, kind }: KindDefinition): boolean {
  return group === '' && kind === 'Pod';
}

/** Is a pod itself, and not a subresource, about to be created? */
export function isNewPod({ verb, definition, subresource }: AdmissionRequest): boolean {
  return verb === 'create' && subresource === null && isPod(definition);
}
