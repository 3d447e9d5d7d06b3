/**
 * Validates a CustomResourceDefinition, with kube-apiserver's error messages.
 *
 * In kube-apiserver's internal form, a schema that all versions share is stored once, outside of `versions`.
 * So an error in a shared schema (or in that of the only version) is reported at `spec.validation`, and only
 * an error in a version's own schema at `spec.versions[1].schema`. The same holds for subresources, columns
 * and selectable fields.
 */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { checkDns1123Subdomain } from '../../../api/validation-names.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import { nameOf } from '../../objects/metadata.ts';
import {
  invalidField,
  required,
  requireOneOf,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import {
  readFlag,
  readObject,
  readObjects,
  readStruct,
  readText,
  readTexts,
} from '../../../api/validation/json-reading.ts';
import { conditionOf } from '../crd.ts';
import { validateApproval } from './approval-rules.ts';
import { mayHaveInvalidBundle, validateConversion } from './conversion-rules.ts';
import { internalVersion } from './internal-form.ts';
import { validateNames } from './name-rules.ts';
import { checkDns1035Label } from '../../../api/dns-1035.ts';
import { validateParts } from './version-rules.ts';
import { printExactJson } from '../../../lib/json-text/exact-json.ts';

export function validateCrd(object: JsonObject): readonly FieldError[] {
  return [...validateAll(object, undefined)];
}

export function validateCrdUpdate(object: JsonObject, old: JsonObject): readonly FieldError[] {
  return [...validateAll(object, old)];
}

export function validateCrdStatus(object: JsonObject): readonly FieldError[] {
  return [...validateStatus(object)];
}

function* validateAll(object: JsonObject, old: JsonObject | undefined): FieldErrors {
  const spec = readStruct(object['spec']);
  if (!old) yield* validateName(object, spec);
  yield* validateSpec(spec, mayHaveInvalidBundle(old));
  if (old) yield* validateUnchanged(spec, old);
  yield* validateStatus(object);
  yield* validateStoredVersions(object, spec);
  yield* validateApproval(object, old);
  yield* validatePreserving(spec, old);
}

function* validateName(object: JsonObject, spec: JsonObject): FieldErrors {
  const { plural } = readStruct(spec['names']);
  const wanted = `${readText(plural)}.${readText(spec['group'])}`;
  const name = nameOf(object);
  if (name === wanted) return;
  yield invalidField('metadata.name', name, 'must be spec.names.plural+"."+spec.group');
}

function* validateSpec(spec: JsonObject, mayKeepBundle: boolean): FieldErrors {
  yield* validateGroup(readText(spec['group']));
  yield* requireOneOf('spec.scope', readText(spec['scope']), ['Cluster', 'Namespaced']);
  const versions = readObjects(spec['versions']);
  yield* validateSchemasGiven(versions);
  yield* validateDefaultsAllowed(spec, versions);
  const common = commonParts(versions);
  for (const [index, version] of versions.entries()) {
    yield* validateVersionName(version, index);
    const own = without(version, common);
    yield* validateParts(own, `spec.versions[${index}]`, 'schema', hasStatus(version));
  }
  yield* validateVersionSet(versions, common);
  yield* validateNamesGiven(readStruct(spec['names']));
  yield* validateNames(readStruct(spec['names']), 'spec.names');
  yield* validateParts(common, 'spec', 'validation', versions.some(hasStatus));
  yield* validateConversion(spec, mayKeepBundle);
}

function hasStatus(version: JsonObject): boolean {
  return readObject(readStruct(version['subresources'])['status']) !== undefined;
}

function* validateGroup(group: string): FieldErrors {
  const field = 'spec.group';
  const faults = checkDns1123Subdomain(group);
  if (group === '') yield required(field);
  else if (faults.length > 0) yield invalidField(field, group, faults.join(','));
  else if (!group.includes('.')) {
    yield invalidField(field, group, 'should be a domain with at least one dot');
  }
}

function* validateSchemasGiven(versions: readonly JsonObject[]): FieldErrors {
  for (const [index, version] of versions.entries()) {
    const { openAPIV3Schema } = readStruct(version['schema']);
    if (openAPIV3Schema === undefined) {
      yield required(`spec.versions[${index}].schema.openAPIV3Schema`);
    }
  }
}

function* validateDefaultsAllowed(spec: JsonObject, versions: readonly JsonObject[]): FieldErrors {
  if (spec['preserveUnknownFields'] !== true) return;
  const hasDefaults = printExactJson(versions).includes('"default":');
  if (!hasDefaults) return;
  const detail = 'must be false in order to use defaults in the schema';
  yield invalidField('spec.preserveUnknownFields', true, detail);
}

function* validateVersionName(version: JsonObject, index: number): FieldErrors {
  const name = readText(version['name']);
  const faults = checkDns1035Label(name);
  if (faults.length === 0) return;
  yield invalidField(`spec.versions[${index}].name`, name, faults.join(','));
  // The first version is also stored apart from the others, and reported there as well.
  if (index === 0) yield invalidField('spec.version', name, faults.join(','));
}

function* validateVersionSet(versions: readonly JsonObject[], common: JsonObject): FieldErrors {
  const shown = versions.map((version) => internalVersion(without(version, common)));
  const names = versions.map((version) => readText(version['name']));
  if (new Set(names).size !== names.length) {
    yield invalidField('spec.versions', shown, 'must contain unique version names');
  }
  if (versions.filter((version) => readFlag(version['storage'])).length !== 1) {
    const detail = 'must have exactly one version marked as storage version';
    yield invalidField('spec.versions', shown, detail);
  }
}

const HOISTED = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

/** What all versions have in common. */
function commonParts(versions: readonly JsonObject[]): JsonObject {
  const [first] = versions;
  if (!first) return {};
  const common = HOISTED.flatMap((name) => {
    const value = first[name];
    const isShared = versions.every((version) => jsonEqual(version[name] ?? null, value ?? null));
    return isShared && value !== undefined ? [[name, value] as const] : [];
  });
  return Object.fromEntries(common);
}

function without(version: JsonObject, common: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(version).filter(([name]) => !Object.hasOwn(common, name)),
  );
}

function* validateNamesGiven(names: JsonObject): FieldErrors {
  for (const name of ['plural', 'singular', 'kind', 'listKind']) {
    if (readText(names[name]) === '') yield required(`spec.names.${name}`);
  }
}

/** Fields that determine the position of objects in the store are immutable, once there may be objects. */
function* validateUnchanged(spec: JsonObject, old: JsonObject): FieldErrors {
  const before = readStruct(old['spec']);
  const isEstablished = conditionOf(old, 'Established')?.['status'] === 'True';
  const names = [readStruct(spec['names']), readStruct(before['names'])] as const;
  if (isEstablished) {
    yield* validateSame('spec.scope', spec['scope'], before['scope']);
    yield* validateSame('spec.names.kind', names[0]['kind'], names[1]['kind']);
  }
  yield* validateSame('spec.group', spec['group'], before['group']);
  yield* validateSame('spec.names.plural', names[0]['plural'], names[1]['plural']);
}

function* validateSame(field: string, now: unknown, before: unknown): FieldErrors {
  if (now !== before) yield invalidField(field, now, 'field is immutable');
}

function* validateStatus(object: JsonObject): FieldErrors {
  const status = readStruct(object['status']);
  yield* validateNames(readStruct(status['acceptedNames']), 'status.acceptedNames');
}

function* validateStoredVersions(object: JsonObject, spec: JsonObject): FieldErrors {
  const field = 'status.storedVersions';
  const stored = readTexts(readStruct(object['status'])['storedVersions']);
  if (stored.length === 0) {
    yield invalidField(field, null, 'must have at least one stored version');
    return;
  }
  const versions = readObjects(spec['versions']);
  for (const version of versions) {
    const name = readText(version['name']);
    if (!readFlag(version['storage']) || stored.includes(name)) continue;
    yield invalidField(field, stored, `must have the storage version ${name}`);
  }
  const names = new Set(versions.map((version) => readText(version['name'])));
  for (const [index, name] of stored.entries()) {
    if (names.has(name)) continue;
    yield invalidField(
      `${field}[${index}]`,
      name,
      `missing from spec.versions; ${name} was previously a storage version, and must remain in ` +
        `spec.versions until a storage migration ensures no data remains persisted in ${name} and ` +
        `removes ${name} from status.storedVersions`,
    );
  }
}

function* validatePreserving(spec: JsonObject, old: JsonObject | undefined): FieldErrors {
  if (readStruct(old?.['spec'])['preserveUnknownFields'] === true) return;
  if (spec['preserveUnknownFields'] !== true) return;
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in ' +
    'spec.versions[*].schema instead';
  yield invalidField('spec.preserveUnknownFields', true, detail);
}
