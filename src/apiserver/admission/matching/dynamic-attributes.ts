/**
 * Presents a request to webhooks and policies: operation, resource, names, and the objects in the version
 * that their rule names.
 *
 * A subresource with its own kind (Scale) is presented as that kind, and changes to it are written back to
 * the object.
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
  /** For a Namespace: its own name. Empty: the object is cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  /** Null: the operation has no new object (delete). */
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
  readonly request: AdmissionRequest;
  /** The kind in whose version the objects are presented. */
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

/** The request's object with the changes that webhooks or policies made to their view of it. */
export function objectOfRequest(request: AdmissionRequest, seen: JsonObject): JsonObject {
  const view = partOfRequest(request)?.view;
  return view ? view.write(request.object, seen) : seen;
}

/** The kind as which changed objects are decoded. */
export function decodedAs({ request, shownAs }: DynamicAttributes): KindDefinition {
  const part = partOfRequest(request);
  return part?.view?.definition ?? part?.body ?? shownAs;
}

/** A changed object, converted back to the version of the request. */
export function backConverted(
  object: JsonObject,
  { request, shownAs }: DynamicAttributes,
): JsonObject {
  const isSame = hasOwnKind(request) || shownAs === request.definition;
  return isSame ? object : converted(object, shownAs, request.definition);
}

/**
 * Whether the request has a subresource with its own kind, or a POST body: both are the same in all versions
 * of the resource.
 */
function hasOwnKind(request: AdmissionRequest): boolean {
  const part = partOfRequest(request);
  return part?.view !== undefined || part?.body !== undefined;
}

/** The other served versions of the same stored objects. Cached until the catalog changes. */
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

/** A Namespace is cluster-scoped, although the namespace of its request is its own name. */
export function isNamespaceRequest({ request }: DynamicAttributes): boolean {
  const { group, resource } = request.definition;
  return group === '' && resource === 'namespaces';
}

/** The same request in another version of its kind. A conversion webhook needs a replay (conversion-replay.ts). */
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
  const { webhook } = to.storedAs ?? {};
  if (webhook) return webhook.convert(object, apiVersion);
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
