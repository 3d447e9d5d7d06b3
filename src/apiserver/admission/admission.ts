/**
 * What may come in: asked after an object is complete and before it is validated and stored.
 *
 * Each plugin has one concern. It may change the object or throw a StatusError; those that change
 * come before those that only judge.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { KindDefinition } from '../kind.ts';

export interface Admission {
  admitCreate(definition: KindDefinition, object: JsonObject): JsonObject;
}

/** All of them, one after the other. */
export function admitAll(plugins: readonly Admission[]): Admission {
  return {
    admitCreate: (definition, object) =>
      plugins.reduce((admitted, plugin) => plugin.admitCreate(definition, admitted), object),
  };
}

export function isPod({ group, kind }: KindDefinition): boolean {
  return group === '' && kind === 'Pod';
}
