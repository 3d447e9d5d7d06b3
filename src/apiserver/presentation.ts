/** How objects look in an answer: as they are, as metadata only, or as rows of a table for people. */
import type { Json, JsonObject } from '../lib/json.ts';
import type { KindDefinition } from './kind.ts';
import type { Listing } from './listing.ts';
import { metadataOf } from './metadata.ts';
import type { AnswerForm } from './negotiation.ts';

const META = 'meta.k8s.io/v1';

export interface Presenter {
  one(object: JsonObject): JsonObject;
  list(listing: Listing): JsonObject;
}

export function presenterOf(
  definition: KindDefinition,
  { as }: AnswerForm,
  nowMs: number,
  includeObject: string | null,
): Presenter {
  if (as === 'Table') return tablePresenter(definition, nowMs, includeObject ?? 'Metadata');
  if (as === 'PartialObjectMetadata') return { one: partial, list: partialList };
  return { one: (object) => object, list: (listing) => plainList(definition, listing) };
}

/** Items of a built-in kind do not repeat what the list says. */
function plainList(definition: KindDefinition, { items, metadata }: Listing): JsonObject {
  const { group, version, kind, type } = definition;
  return {
    kind: `${kind}List`,
    apiVersion: group === '' ? version : `${group}/${version}`,
    metadata,
    items: type ? items.map(withoutKind) : items,
  };
}

function withoutKind({ kind: _kind, apiVersion: _version, ...rest }: JsonObject): JsonObject {
  return rest;
}

function partial(object: JsonObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: META, metadata: metadataOf(object) };
}

function partialList({ items, metadata }: Listing): JsonObject {
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: META,
    metadata,
    items: items.length > 0 ? items.map(partial) : null,
  };
}

function tablePresenter(
  { columns }: KindDefinition,
  nowMs: number,
  includeObject: string,
): Presenter {
  const definitions = columns.map(({ name, type, format = '', description = '', priority }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
  const row = (object: JsonObject): JsonObject => ({
    cells: columns.map(({ cell }) => cell(object, nowMs)),
    object: included(object, includeObject),
  });
  const table = (metadata: JsonObject, rows: readonly JsonObject[]): JsonObject => ({
    kind: 'Table',
    apiVersion: META,
    metadata,
    columnDefinitions: definitions,
    rows,
  });
  return {
    one: (object) => {
      const { resourceVersion = '' } = metadataOf(object);
      return table({ resourceVersion }, [row(object)]);
    },
    list: ({ items, metadata }) => table(metadata, items.map(row)),
  };
}

function included(object: JsonObject, includeObject: string): Json {
  if (includeObject === 'None') return null;
  return includeObject === 'Object' ? object : partial(object);
}
