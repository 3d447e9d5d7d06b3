/**
 * Describes the subject of a path's operations: a kind, or a subresource with another kind (a Scale, an
 * Eviction). Custom kinds differ slightly, because kube-apiserver serves them with a separate server.
 */
import { kindOf } from '../../api/schema/schema.ts';
import { isCustomKind } from '../schema/custom-object.ts';
import type { KindDefinition, Subresource } from '../objects/kind.ts';
import { apiVersionOf, typeContent, type Content, type GroupVersionKind } from './spec.ts';

export interface OperationSubject {
  /** The kind of the resource, whatever the subresource is. */
  readonly resource: GroupVersionKind;
  readonly namespaced: boolean;
  /** The subresource. Null: the object itself. */
  readonly part: string | null;
  /** The kind by which clients find the operations. */
  readonly kind: GroupVersionKind;
  /** The type that is read and written. */
  readonly content: Content;
  readonly list: Content;
  readonly isCustom: boolean;
}

export function subjectOf(definition: KindDefinition): OperationSubject {
  const { group, version, kind, namespaced } = definition;
  const resource = { group, version, kind };
  const isCustom = definition.type === undefined;
  return {
    resource,
    namespaced,
    part: null,
    kind: resource,
    content: isCustom ? customContent(resource) : builtInContent(resource),
    list: listContent(definition),
    isCustom,
  };
}

export function subjectOfPart(whole: OperationSubject, part: Subresource): OperationSubject {
  const { group, version } = whole.resource;
  const named = { group: part.group ?? group, version: part.version ?? version, kind: part.kind };
  const isOther = named.kind !== whole.resource.kind || named.group !== group;
  return {
    ...whole,
    part: part.name,
    kind: whole.isCustom ? whole.resource : named,
    content: isOther ? builtInContent(named) : whole.content,
  };
}

/** `com.example.stable.v1.CronTab`: the group is reversed, as in a Java package. */
export function customName({ group, version, kind }: GroupVersionKind): string {
  return [...group.split('.').toReversed(), version, kind].join('.');
}

export function listKindOf(definition: KindDefinition): string {
  return isCustomKind(definition) ? definition.listKind : `${definition.kind}List`;
}

function customContent(kind: GroupVersionKind): Content {
  return { of: 'definition', name: customName(kind) };
}

function builtInContent(named: GroupVersionKind): Content {
  const type = kindOf(apiVersionOf(named), named.kind)?.type;
  return type ? typeContent(type.name) : { of: 'text' };
}

function listContent(definition: KindDefinition): Content {
  const list = { ...definition, kind: listKindOf(definition) };
  return definition.type === undefined ? customContent(list) : builtInContent(list);
}
