/** Builds the keys of objects in the store. */
import type { KindDefinition } from '../objects/kind.ts';
import { storageVersionOf } from '../objects/stored-form.ts';
import type { Target } from './write-requests.ts';

/** The key of an object. With an empty name: the prefix of all objects. */
export function keyOf({ definition, namespace, name }: Target): string {
  return `${prefixOf(definition, definition.namespaced ? namespace : '')}${name}`;
}

export function prefixOf(definition: KindDefinition, namespace: string): string {
  const { group, resource, namespaced } = storageVersionOf(definition);
  const base = `/${group === '' ? 'core' : group}/${resource}/`;
  return namespaced && namespace !== '' ? `${base}${namespace}/` : base;
}
