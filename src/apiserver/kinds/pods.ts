/**
 * Pods, as the server offers them now: with the subresources that read and change the pod itself.
 * Binding and eviction make something else of a request, and are added by whoever performs them.
 */
import type { KindDefinition, Subresource } from '../kind.ts';
import { POD } from './pod/definition.ts';
import { POD_SUBRESOURCES } from './pod/subresources.ts';

export const pods: KindDefinition = {
  ...POD,
  subresources: (POD.subresources ?? []).filter(showsPod).map(withOwnRules),
};

function showsPod({ kind }: Subresource): boolean {
  return kind === POD.kind;
}

function withOwnRules(subresource: Subresource): Subresource {
  const rules = POD_SUBRESOURCES.get(subresource.name);
  if (!rules) return subresource;
  return { ...subresource, prepareForUpdate: rules.prepare, validateUpdate: rules.validate };
}
