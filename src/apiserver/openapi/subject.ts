/**
 * What the operations of a path are about: a kind, or a part of it that is of another kind (a Scale, an
 * Eviction). Custom kinds are told in the words of their own server, which are a little different.
 */
import { kindOf } from '../../api/schema/schema.ts';
import { isCustomKind } from '../custom/custom-object.ts';
import type { KindDefinition, Subresource } from '../kind.ts';
import { apiVersionOf, typeContent, type Content, type GroupVersionKind } from './spec.ts';

export interface Subject {
  /** Of the resource, whatever the part is. */
  readonly resource: GroupVersionKind;
  readonly namespaced: boolean;
  /** Null: the object itself. */
  readonly part: string | null;
  /** What clients find the operations by. */
  readonly kind: GroupVersionKind;
  /** What is read and written. */
  readonly content: Content;
  readonly list: Content;
  readonly isCustom: boolean;
}

export function subjectOf(definition: KindDefinition): Subject {
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

export function subjectOfPart(whole: Subject, part: Subresource): Subject {
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

/** `com.example.stable.v1.CronTab`: a group is read from its end, as a package in Java is. */
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
