/**
 * What webhooks and policies see of a request: its names, its objects in the version that they ask for, and
 * what they may match.
 *
 * A subresource with a kind of its own (Scale) is shown as that kind, and changes of it are written back.
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { KindDefinition, Subresource } from '../../objects/kind.ts';
import { fromStored, toStored } from '../../objects/stored-form.ts';
import type { AdmissionRequest } from '../../registry/admission.ts';
import type { Catalog } from '../../registry/catalog.ts';
import { prefixOf } from '../../registry/registry.ts';

type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface DynamicAttributes {
  readonly operation: Operation;
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
  readonly subresource: string;
  /** Of a namespace: its own name. Empty: cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  /** Null: the operation has none, such as a delete. */
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
  readonly request: AdmissionRequest;
  /** The kind in whose version the objects are shown. */
  readonly shownAs: KindDefinition;
}

const OPERATIONS = {
  create: 'CREATE',
  update: 'UPDATE',
  delete: 'DELETE',
  connect: 'CONNECT',
} as const;

export function attributesOfRequest(request: AdmissionRequest): DynamicAttributes {
  const { verb, definition, subresource, namespace, name, object, old } = request;
  const { group, version, resource } = definition;
  const view = partOfRequest(request)?.view;
  const isNamespace = group === '' && resource === 'namespaces';
  return {
    operation: OPERATIONS[verb],
    resource: { group, version, resource },
    kind: kindOfRequest(definition, partOfRequest(request)),
    subresource: subresource ?? '',
    namespace: isNamespace ? name : definition.namespaced ? namespace : '',
    name,
    object: verb === 'delete' ? null : (view?.read(object) ?? object),
    oldObject: old && (view?.read(old) ?? old),
    request,
    shownAs: definition,
  };
}

/** The request's object after webhooks have changed what they saw of it. */
export function objectOfRequest(request: AdmissionRequest, seen: JsonObject): JsonObject {
  const view = partOfRequest(request)?.view;
  return view ? view.write(request.object, seen) : seen;
}

/** The kind in which changes are decoded. */
export function decodedAs({ request, shownAs }: DynamicAttributes): KindDefinition {
  const part = partOfRequest(request);
  return part?.view?.definition ?? part?.body ?? shownAs;
}

/** A changed object in the version of the request. */
export function backConverted(
  object: JsonObject,
  { request, shownAs }: DynamicAttributes,
): JsonObject {
  const isSame = hasOwnKind(request) || shownAs === request.definition;
  return isSame ? object : converted(object, shownAs, request.definition);
}

/** A subresource with a kind of its own, or the body of a POST: the same in all versions of the resource. */
function hasOwnKind(request: AdmissionRequest): boolean {
  const part = partOfRequest(request);
  return part?.view !== undefined || part?.body !== undefined;
}

/** The other served kinds of the same stored objects. They are found once for each change of the catalog. */
export function equivalentsOf(
  definition: KindDefinition,
  catalog: Catalog,
): readonly KindDefinition[] {
  const known = equivalents.get(catalog);
  const byKind =
    known?.version === catalog.version ? known.byKind : new Map<KindDefinition, Equivalents>();
  if (byKind !== known?.byKind) equivalents.set(catalog, { version: catalog.version, byKind });
  const found = byKind.get(definition);
  if (found) return found;
  const prefix = prefixOf(definition, '');
  const others = catalog.all().filter((one) => one !== definition && prefixOf(one, '') === prefix);
  byKind.set(definition, others);
  return others;
}

type Equivalents = readonly KindDefinition[];

const equivalents = new WeakMap<
  Catalog,
  { readonly version: number; readonly byKind: Map<KindDefinition, Equivalents> }
>();

/** A Namespace is cluster-scoped, though its request has a namespace: itself. */
export function isNamespaceRequest({ request }: DynamicAttributes): boolean {
  const { group, resource } = request.definition;
  return group === '' && resource === 'namespaces';
}

/** The same request in another version of its kind. */
export function convertAttributes(
  attributes: DynamicAttributes,
  to: KindDefinition,
): DynamicAttributes {
  const { request, object, oldObject } = attributes;
  const { group, version, resource } = to;
  const part = partOfRequest(request);
  const isOwn = hasOwnKind(request);
  return {
    ...attributes,
    shownAs: to,
    resource: { group, version, resource },
    kind: kindOfRequest(to, part),
    object: object && (isOwn ? object : converted(object, request.definition, to)),
    oldObject: oldObject && (isOwn ? oldObject : converted(oldObject, request.definition, to)),
  };
}

function converted(object: JsonObject, from: KindDefinition, to: KindDefinition): JsonObject {
  const { group, version, kind } = to;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return { ...fromStored(to, toStored(from, object)), apiVersion, kind };
}

function kindOfRequest(
  definition: KindDefinition,
  part: Subresource | undefined,
): GroupVersionKind {
  const { group, version, kind } = definition;
  if (!part) return { group, version, kind };
  return { group: part.group ?? group, version: part.version ?? version, kind: part.kind };
}

function partOfRequest({ definition, subresource }: AdmissionRequest): Subresource | undefined {
  return definition.subresources?.find(({ name }) => name === subresource);
}
