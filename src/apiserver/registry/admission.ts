/**
 * The interface of admission plugins, which run after an object is decoded and defaulted and before it is
 * validated and stored.
 *
 * A plugin may change the object (`admit`) or throw a StatusError; mutating plugins come before validating
 * ones. Values that only one object may have, such as a cluster IP, are allocated after webhooks have changed
 * the object (`allocate`), and reserved until the write ends. A plugin that checks the final object does so
 * after validation (`review`). A plugin that counts usage may add changes that are committed atomically with
 * the object (`charge`).
 */
import type { JsonObject } from '../../lib/json.ts';
import type { Change } from '../../ports/api/object-store.ts';
import type { User } from '../objects/access.ts';
import type { KindDefinition } from '../objects/kind.ts';

export interface AdmissionRequest {
  /** Plugins run for the first three; `connect` (exec, attach, proxies) is for dynamic admission only. */
  readonly verb: 'create' | 'update' | 'delete' | 'connect';
  readonly definition: KindDefinition;
  readonly subresource: string | null;
  readonly namespace: string;
  /** Empty: the server will generate the name. */
  readonly name: string;
  /** The object to be stored; for a delete, the stored one. */
  readonly object: JsonObject;
  /** The stored object; null for a create. */
  readonly old: JsonObject | null;
  readonly user: User;
  readonly dryRun: boolean;
  /** Adds a Warning header to the response. Absent: the server itself writes. */
  readonly warn?: ((sentence: string) => void) | undefined;
  /** Adds an annotation to the audit event of the request. Absent: it is not audited. */
  readonly annotate?: ((key: string, value: string) => void) | undefined;
  /** The options of the operation, such as CreateOptions. Absent: there are none. */
  readonly options?: JsonObject | undefined;
  /** When the request began, by the monotonic clock. Absent: it begins now. */
  readonly sinceMs?: number | undefined;
  /** True: no webhook and no policy is called (registry.ts, Writing). */
  readonly isExempt?: boolean | undefined;
  /** Registers a function that is called when this attempt to write has ended, successfully or not. */
  readonly whenOver?: ((end: () => void) => void) | undefined;
}

export interface Admission {
  /** Returns the object, changed or not; the result is ignored for a delete. */
  admit(request: AdmissionRequest): JsonObject;
  /**
   * Sets values that only one object may have. Called after webhooks and before validation; never for a
   * delete.
   */
  allocate?(request: AdmissionRequest): JsonObject;
  /** Checks a complete and valid object: throws a StatusError, or warns. */
  review?(request: AdmissionRequest): void;
  /**
   * Changes to commit together with a valid object, each with its expected revision. Called again if the
   * commit fails because one of these objects has changed in the meantime.
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

/** Whether a pod itself, and not a subresource, is being created. */
export function isNewPod({ verb, definition, subresource }: AdmissionRequest): boolean {
  return verb === 'create' && subresource === null && isPod(definition);
}
