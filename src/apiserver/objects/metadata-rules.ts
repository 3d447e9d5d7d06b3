/**
 * Validates the metadata that every object has, whatever its kind.
 *
 * kube-apiserver validates metadata up to four times in an update, and reports each error once for each time.
 * podkeep reports the same number of causes:
 *
 *   common     the rules of a create, then immutable fields
 *   the kind   immutable fields; built-in kinds also check the names of finalizers
 *   the kind   some validate the whole object again (WHOLE_ON_UPDATE)
 */
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelKey,
  checkLabelValue,
} from '../../api/validation-names.ts';
import type { FieldError } from '../../api/validation/field-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { KindDefinition } from './kind.ts';
import { listOf, metadataOf, textOf } from './metadata.ts';

const ANNOTATIONS_BYTES_MAX = 256 * 1024;

/** Built-in kinds whose update validates the whole object, metadata included. */
const WHOLE_ON_UPDATE: ReadonlySet<string> = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'CSINode',
  'ConfigMap',
  'DeviceClass',
  'EndpointSlice',
  'Endpoints',
  'IngressClass',
  'Job',
  'Namespace',
  'Node',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'ResourceClaim',
  'Role',
  'RoleBinding',
  'Secret',
  'ServiceAccount',
  'VolumeAttachment',
  'VolumeAttributesClass',
]);

/** Finalizers that need no domain prefix. */
const STANDARD_FINALIZERS: ReadonlySet<Json> = new Set([
  'kubernetes',
  'orphan',
  'foregroundDeletion',
]);

const LIBRARY_GROUPS: ReadonlySet<string> = new Set([
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
]);

type MetadataKind = Pick<KindDefinition, 'group' | 'kind' | 'namespaced' | 'type'>;

/** On create. Custom kinds may have finalizers of any qualified name. */
export function validateNewMetadata(
  object: JsonObject,
  definition: MetadataKind & Pick<KindDefinition, 'rules'>,
): readonly FieldError[] {
  const { namespaced, rules } = definition;
  return [
    ...validateMetadata(object, namespaced, rules.checkName),
    ...finalizerNameErrors(object, definition),
  ];
}

/** `isPart`: an update of a subresource, which validates only what it may change. */
export function validateChangedMetadata(
  object: JsonObject,
  old: JsonObject,
  definition: MetadataKind,
  isPart: boolean,
): readonly FieldError[] {
  const asNew = validateMetadata(object, definition.namespaced, () => []);
  const asChanged = changeErrors(object, old);
  const names = finalizerNameErrors(object, definition);
  const isWhole = definition.type && !isPart && WHOLE_ON_UPDATE.has(definition.kind);
  const again = isWhole ? [...asNew, ...names] : [];
  return [...asNew, ...asChanged, ...asChanged, ...names, ...again];
}

export function validateMetadata(
  object: JsonObject,
  namespaced: boolean,
  checkName: (name: string) => readonly string[] = checkDns1123Subdomain,
): readonly FieldError[] {
  const metadata = metadataOf(object);
  return [
    ...generateNameErrors(textOf(metadata['generateName']), checkName),
    ...nameErrors(textOf(metadata['name']), checkName),
    ...namespaceErrors(textOf(metadata['namespace']), namespaced),
    ...labelErrors(metadata['labels']),
    ...annotationErrors(metadata['annotations']),
    ...ownerErrors(metadata['ownerReferences']),
    ...finalizerErrors(metadata['finalizers']),
  ];
}

/** Only a DELETE request sets them. */
const DELETION_FIELDS = ['deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

function changeErrors(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const before = metadataOf(old);
  const { uid, finalizers, labels, annotations, ownerReferences } = metadataOf(object);
  const added = listOf(finalizers).filter((one) => !listOf(before['finalizers']).includes(one));
  const isLate = before['deletionTimestamp'] !== undefined && added.length > 0;
  const quoted = added.map((one) => JSON.stringify(one)).toSorted();
  return [
    ...(isLate
      ? [
          {
            type: 'Forbidden' as const,
            field: 'metadata.finalizers',
            detail:
              'no new finalizers can be added if the object is being deleted, found new finalizers ' +
              `[]string{${quoted.join(', ')}}`,
          },
        ]
      : []),
    ...(uid === before['uid']
      ? []
      : [
          {
            type: 'Invalid' as const,
            field: 'metadata.uid',
            value: uid,
            detail: 'field is immutable',
          },
        ]),
    ...DELETION_FIELDS.filter((name) => metadataOf(object)[name] !== before[name]).map((name) => ({
      type: 'Invalid' as const,
      field: `metadata.${name}`,
      value: metadataOf(object)[name],
      detail: 'field is immutable',
    })),
    ...labelErrors(labels),
    ...annotationErrors(annotations),
    ...ownerErrors(ownerReferences),
  ];
}

/** Validated even if the object has a name, and then not used. It may end in a dash. */
function generateNameErrors(
  base: string,
  checkName: (name: string) => readonly string[],
): readonly FieldError[] {
  if (base === '') return [];
  const masked = base.length > 1 && base.endsWith('-') ? `${base.slice(0, -2)}a` : base;
  const field = 'metadata.generateName';
  return checkName(masked).map((detail) => ({ type: 'Invalid', field, value: base, detail }));
}

function nameErrors(
  name: string,
  checkName: (name: string) => readonly string[],
): readonly FieldError[] {
  const field = 'metadata.name';
  if (name === '') {
    return [{ type: 'Required', field, detail: 'name or generateName is required' }];
  }
  return checkName(name).map((detail) => ({ type: 'Invalid', field, value: name, detail }));
}

function namespaceErrors(namespace: string, namespaced: boolean): readonly FieldError[] {
  const field = 'metadata.namespace';
  if (!namespaced) {
    if (namespace === '') return [];
    return [{ type: 'Forbidden', field, detail: 'not allowed on this type' }];
  }
  if (namespace === '') return [{ type: 'Required', field, detail: '' }];
  return checkDns1123Label(namespace).map((detail) => ({
    type: 'Invalid',
    field,
    value: namespace,
    detail,
  }));
}

function labelErrors(labels: Json | undefined, field = 'metadata.labels'): readonly FieldError[] {
  if (!isJsonObject(labels)) return [];
  return Object.entries(labels).flatMap(([key, value]) => [
    ...checkLabelKey(key).map((detail) => ({
      type: 'Invalid' as const,
      field,
      value: key,
      detail,
    })),
    ...checkLabelValue(textOf(value)).map((detail) => ({
      type: 'Invalid' as const,
      field,
      value,
      detail,
    })),
  ]);
}

function annotationErrors(annotations: Json | undefined): readonly FieldError[] {
  if (!isJsonObject(annotations)) return [];
  const field = 'metadata.annotations';
  const bytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(textOf(value)),
    0,
  );
  const detail = `may not be more than ${ANNOTATIONS_BYTES_MAX} bytes`;
  return [
    ...Object.keys(annotations).flatMap((key) =>
      checkLabelKey(key.toLowerCase()).map((problem) => ({
        type: 'Invalid' as const,
        field,
        value: key,
        detail: problem,
      })),
    ),
    ...(bytes > ANNOTATIONS_BYTES_MAX ? [{ type: 'TooLong' as const, field, detail }] : []),
  ];
}

function ownerErrors(owners: Json | undefined): readonly FieldError[] {
  const field = 'metadata.ownerReferences';
  let first: string | undefined;
  return listOf(owners).flatMap((owner) => {
    if (!isJsonObject(owner)) return [];
    const errors = [...ownerReferenceErrors(owner, field)];
    if (owner['controller'] !== true) return errors;
    const name = `${textOf(owner['kind'])}/${textOf(owner['name'])}`;
    if (first === undefined) {
      first = name;
      return errors;
    }
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${name}`;
    return [...errors, { type: 'Invalid' as const, field, value: owners, detail }];
  });
}

/** The field path has no index, as in kube-apiserver's errors. */
function* ownerReferenceErrors(owner: JsonObject, field: string): Generator<FieldError, void> {
  const [apiVersion, kind] = [textOf(owner['apiVersion']), textOf(owner['kind'])];
  const isEmpty = (key: string): boolean => textOf(owner[key]) === '';
  // A text with more than one slash is not a valid apiVersion.
  if (isEmpty('apiVersion') || apiVersion.endsWith('/') || apiVersion.split('/').length > 2) {
    const detail = 'version must not be empty';
    yield { type: 'Invalid', field: `${field}.apiVersion`, value: apiVersion, detail };
  }
  for (const key of ['kind', 'name', 'uid'].filter(isEmpty)) {
    yield { type: 'Invalid', field: `${field}.${key}`, value: '', detail: 'must not be empty' };
  }
  if (apiVersion === 'v1' && kind === 'Event') {
    const detail = '/v1, Kind=Event is disallowed from being an owner';
    yield { type: 'Invalid', field, value: owner, detail };
  }
}

function finalizerErrors(finalizers: Json | undefined): readonly FieldError[] {
  const field = 'metadata.finalizers';
  const names = listOf(finalizers);
  const isTorn = names.includes('orphan') && names.includes('foregroundDeletion');
  const detail = 'finalizer orphan and foregroundDeletion cannot be both set';
  return [
    ...names.flatMap((finalizer) =>
      checkLabelKey(textOf(finalizer)).map((problem) => ({
        type: 'Invalid' as const,
        field,
        value: finalizer,
        detail: problem,
      })),
    ),
    ...(isTorn ? [{ type: 'Invalid' as const, field, value: [...names], detail }] : []),
  ];
}

/** For kube-apiserver's own kinds, but not for kinds of the extension and aggregation APIs. */
function finalizerNameErrors(
  object: JsonObject,
  { group, type }: MetadataKind,
): readonly FieldError[] {
  if (!type || LIBRARY_GROUPS.has(group)) return [];
  const detail = 'name is neither a standard finalizer name nor is it fully qualified';
  return listOf(metadataOf(object)['finalizers']).flatMap((value, index) =>
    textOf(value).includes('/') || STANDARD_FINALIZERS.has(value)
      ? []
      : [{ type: 'Invalid' as const, field: `metadata.finalizers[${index}]`, value, detail }],
  );
}
