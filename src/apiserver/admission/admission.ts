/**
 * What may come in: asked after an object is complete and before it is validated and stored.
 *
 * Each plugin has one concern. It may change the object or throw a StatusError; those that change
 * come before those that only judge. One that judges what is complete reviews it after validation. One that keeps accounts may add changes of its own, which are
 * committed together with the object or not at all.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { Change } from '../../ports/object-store.ts';
import type { User } from '../access.ts';
import type { KindDefinition } from '../kind.ts';

export interface AdmissionRequest {
  readonly verb: 'create' | 'update' | 'delete';
  readonly definition: KindDefinition;
  readonly subresource: string | null;
  readonly namespace: string;
  /** Empty: the server has yet to make one up. */
  readonly name: string;
  /** As it would be stored; for a delete: as it is. */
  readonly object: JsonObject;
  /** As it is; null for a create. */
  readonly old: JsonObject | null;
  readonly user: User;
  readonly dryRun: boolean;
  /** Takes a sentence for the Warning header; absent: the server itself writes, and reads none. */
  readonly warn?: ((sentence: string) => void) | undefined;
}

export interface Admission {
  /** The object, changed or not. What is returned for a delete does not matter. */
  admit(request: AdmissionRequest): JsonObject;
  /** Judges an object that is complete and valid: throws a StatusError, or warns. */
  review?(request: AdmissionRequest): void;
  /**
   * Changes to commit together with an object that is valid, each with the revision it expects.
   * Asked again if the commit fails because one of them has changed meanwhile.
   */
  charge?(request: AdmissionRequest): readonly Change[];
}

/** All of them, one after the other. */
export function admitAll(plugins: readonly Admission[]): Required<Admission> {
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
    review: (request) => {
      for (const plugin of reviewing) plugin.review?.(request);
    },
    charge: (request) => charging.flatMap((plugin) => plugin.charge?.(request) ?? []),
  };
}

export function isPod({ group, kind }: KindDefinition): boolean {
  return group === '' && kind === 'Pod';
}

/** Is a pod itself, and not a part of it, about to be created? */
export function isNewPod({ verb, definition, subresource }: AdmissionRequest): boolean {
  return verb === 'create' && subresource === null && isPod(definition);
}
