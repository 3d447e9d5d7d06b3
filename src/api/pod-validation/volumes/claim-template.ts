/** Validates the volume claim template of an ephemeral volume. */
import { checkDns1123Label, checkDns1123Subdomain } from '../../validation-names.ts';
import { jsonEqual } from '../../values/json-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  forbiddenField,
  invalidField,
  invalidFor,
  required,
  unsupported,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import {
  isGiven,
  readObject,
  readStruct,
  readText,
  readTexts,
} from '../../validation/json-reading.ts';
import {
  validateAnnotations,
  validateLabels,
  validateLabelSelector,
} from '../../validation/labels.ts';
import { readAmounts, validatePositive } from '../../validation/quantities.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const VOLUME_MODES = ['Block', 'Filesystem'];

export function* validateClaimTemplate(template: JsonObject, path: string): FieldErrors {
  const metadata = readStruct(template['metadata']);
  yield* validateAnnotations(metadata['annotations'], `${path}.metadata.annotations`);
  yield* validateLabels(metadata['labels'], `${path}.metadata.labels`);
  for (const [name, value] of Object.entries(metadata)) {
    if (name === 'labels' || name === 'annotations' || !isGiven(value)) continue;
    yield forbiddenField(`${path}.metadata.${name}`, 'cannot be set');
  }
  yield* validateClaimSpec(readStruct(template['spec']), `${path}.spec`);
}

function* validateClaimSpec(spec: JsonObject, path: string): FieldErrors {
  const modes = readTexts(spec['accessModes']);
  if (modes.length === 0) {
    yield required(`${path}.accessModes`, 'at least 1 access mode is required');
  }
  yield* validateLabelSelector(spec['selector'], `${path}.selector`);
  yield* validateAccessModes(modes, `${path}.accessModes`);
  const storage = readAmounts(readStruct(spec['resources'])['requests']).get('storage');
  if (!storage) yield required(`${path}.resources[storage]`);
  else yield* validatePositive(storage, `${path}.resources[storage]`);
  yield* validateClassName(spec, path, 'storageClassName');
  const mode = readText(spec['volumeMode']);
  if (isGiven(spec['volumeMode']) && !VOLUME_MODES.includes(mode)) {
    yield unsupported(`${path}.volumeMode`, mode, VOLUME_MODES);
  }
  yield* validateDataSources(spec, path);
  yield* validateClassName(spec, path, 'volumeAttributesClassName');
}

function* validateAccessModes(modes: readonly string[], field: string): FieldErrors {
  for (const mode of modes) {
    if (!ACCESS_MODES.includes(mode)) yield unsupported(field, mode, ACCESS_MODES);
  }
  const isShared = modes.some((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode));
  if (!modes.includes('ReadWriteOncePod') || !isShared) return;
  yield forbiddenField(field, 'may not use ReadWriteOncePod with other access modes');
}

function* validateClassName(spec: JsonObject, path: string, name: string): FieldErrors {
  const value = readText(spec[name]);
  if (value !== '') yield* invalidFor(`${path}.${name}`, value, checkDns1123Subdomain(value));
}

/** dataSource and dataSourceRef must agree. */
function* validateDataSources(spec: JsonObject, path: string): FieldErrors {
  const [source, ref] = [readObject(spec['dataSource']), readObject(spec['dataSourceRef'])];
  if (source) yield* validateDataSource(source, `${path}.dataSource`);
  if (ref) {
    const namespace = readText(ref['namespace']);
    yield* validateDataSource(ref, `${path}.dataSourceRef`);
    if (namespace !== '') {
      const field = `${path}.dataSourceRef.namespace`;
      yield* invalidFor(field, namespace, checkDns1123Label(namespace));
    }
  }
  if (!source || !ref) return;
  // The API prints an empty object here, whatever the value is.
  if (readText(ref['namespace']) !== '') {
    yield invalidField(path, {}, 'may not be specified when dataSourceRef.namespace is specified');
  } else if (!isSameReference(source, ref)) {
    yield invalidField(path, {}, 'must match dataSourceRef');
  }
}

function* validateDataSource(source: JsonObject, path: string): FieldErrors {
  const [kind, group] = [readText(source['kind']), readText(source['apiGroup'])];
  if (readText(source['name']) === '') yield required(`${path}.name`);
  if (kind === '') yield required(`${path}.kind`);
  if (group === '' && kind !== 'PersistentVolumeClaim') {
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    yield invalidField(path, kind, detail);
  }
  if (group !== '') yield* invalidFor(`${path}.apiGroup`, group, checkDns1123Subdomain(group));
}

function isSameReference(a: JsonObject, b: JsonObject): boolean {
  return ['apiGroup', 'kind', 'name'].every((name) => jsonEqual(a[name] ?? null, b[name] ?? null));
}
