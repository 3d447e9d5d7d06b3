/** Presents objects in a response: as they are, as metadata only, or as rows of a Table. */
import type { Json, JsonObject } from '../../lib/json.ts';
import type { KindDefinition } from '../objects/kind.ts';
import type { Listing } from './listing.ts';
import { metadataOf } from '../objects/metadata.ts';
import type { AnswerForm } from '../requests/negotiation.ts';

const META = 'meta.k8s.io/v1';

export interface Presenter {
  one(object: JsonObject): JsonObject;
  list(listing: Listing): ListAnswer;
  watch(): WatchPresenter;
}

/** A list whose entries are created when they are needed, because there may be very many. */
export interface ListAnswer {
  /** The fields before the entries. */
  readonly head: JsonObject;
  /** The field that holds the entries. */
  readonly field: 'items' | 'rows';
  readonly objects: readonly JsonObject[];
  readonly entry: (object: JsonObject) => JsonObject;
  /** The value of the field if there are no entries. */
  readonly empty: null | readonly [];
}

/** The whole list as one object. */
export function wholeList({ head, field, objects, entry, empty }: ListAnswer): JsonObject {
  return { ...head, [field]: objects.length > 0 ? objects.map(entry) : empty };
}

/** How the objects of one watch are presented. */
export interface WatchPresenter {
  /** Equal for all watches that present an object the same way. Null: this watch cannot share. */
  readonly form: string | null;
  present(object: JsonObject): JsonObject;
}

export function presenterOf(
  definition: KindDefinition,
  { as }: AnswerForm,
  nowMs: number,
  includeObject: string | null,
): Presenter {
  if (as === 'Table') return tablePresenter(definition, nowMs, includeObject ?? 'Metadata');
  if (as === 'PartialObjectMetadata') {
    return { one: partial, list: partialList, watch: () => ({ form: as, present: partial }) };
  }
  return {
    one: (object) => object,
    list: (listing) => plainList(definition, listing),
    watch: () => ({ form: as, present: (object) => object }),
  };
}

/** Items of a built-in kind do not repeat the list's kind and apiVersion. */
function plainList(definition: KindDefinition, { items, metadata }: Listing): ListAnswer {
  const { group, version, kind, listKind = `${kind}List`, type } = definition;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return {
    head: { kind: listKind, apiVersion, metadata },
    field: 'items',
    objects: items,
    entry: type ? withoutKind : (item) => item,
    empty: [],
  };
}

function withoutKind({ kind: _kind, apiVersion: _version, ...rest }: JsonObject): JsonObject {
  return rest;
}

function partial(object: JsonObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: META, metadata: metadataOf(object) };
}

function partialList({ items, metadata }: Listing): ListAnswer {
  return {
    head: { kind: 'PartialObjectMetadataList', apiVersion: META, metadata },
    field: 'items',
    objects: items,
    entry: partial,
    empty: null,
  };
}

function tablePresenter(
  { columns, rowConditions }: KindDefinition,
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
  const row = (object: JsonObject): JsonObject => {
    const conditions = rowConditions?.(object) ?? [];
    return {
      cells: columns.map(({ cell }) => cell(object, nowMs)),
      ...(conditions.length > 0 && { conditions }),
      object: included(object, includeObject),
    };
  };
  const table = ({ items, metadata }: Listing): ListAnswer => ({
    head: { kind: 'Table', apiVersion: META, metadata, columnDefinitions: definitions },
    field: 'rows',
    objects: items,
    entry: row,
    empty: [],
  });
  const one = (object: JsonObject): JsonObject => {
    const { resourceVersion = '' } = metadataOf(object);
    return wholeList(table({ items: [object], metadata: { resourceVersion } }));
  };
  return {
    one,
    list: table,
    watch: () => withHeadOnce(one),
  };
}

/** Only the first Table of a watch has the column definitions. */
function withHeadOnce(one: (object: JsonObject) => JsonObject): WatchPresenter {
  let isFirst = true;
  const present = (object: JsonObject): JsonObject => {
    const table = one(object);
    const shown = isFirst ? table : { ...table, columnDefinitions: null };
    isFirst = false;
    return shown;
  };
  return { form: null, present };
}

function included(object: JsonObject, includeObject: string): Json {
  if (includeObject === 'None') return null;
  return includeObject === 'Object' ? object : partial(object);
}
