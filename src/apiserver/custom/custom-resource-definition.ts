/**
 * Defines the kind CustomResourceDefinition, with its defaults and validation. The rest of custom/ serves the
 * kinds that users define with it.
 */
import { formatTime } from '../../api/values/time.ts';
import type { JsonObject } from '../../lib/json.ts';
import { checkDns1123Subdomain } from '../../api/validation-names.ts';
import { markTerminating } from './crd-status.ts';
import { validateCrd, validateCrdStatus, validateCrdUpdate } from './definition/crd-rules.ts';
import { unknownFormats } from './definition/unknown-formats.ts';
import { metadataOf, withMetadata } from '../objects/metadata.ts';
import { CREATED_AT } from '../objects/columns.ts';
import { NAME, plainKind, statusSubresource } from '../objects/plain-kind.ts';
import { changeStructAt, objectsAt, structAt } from '../objects/field-path.ts';
import { fillAbsent, fillEmpty } from '../../api/validation/json-changes.ts';
import { readText, readTexts } from '../../api/validation/json-reading.ts';

export const customResourceDefinitions = plainKind('apiextensions.k8s.io/v1', {
  kind: 'CustomResourceDefinition',
  resource: 'customresourcedefinitions',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  subresources: [statusSubresource('CustomResourceDefinition')],
  columns: [NAME, CREATED_AT],
  rules: {
    versionRequired: true,
    checkName: checkDns1123Subdomain,
    applyDefaults: (object) => {
      const filled = changeStructAt(object, 'spec', fillSpec);
      const { storedVersions } = structAt(filled, 'status');
      return readTexts(storedVersions).length > 0 ? filled : withStoredVersions(filled);
    },
    prepareForCreate: (object) => {
      const { status: _, ...rest } = withMetadata(object, { generation: 1 });
      return withStoredVersions(rest);
    },
    prepareForUpdate: (object, old) => withStoredVersions(withStatusOf(object, old)),
    validate: validateCrd,
    validateUpdate: validateCrdUpdate,
    validateStatusUpdate: validateCrdStatus,
    warnings: unknownFormats,
    // A delete only begins here: the objects go first, and then the cleanup finalizer.
    isHeld: (object) => metadataOf(object)['deletionTimestamp'] === undefined,
    prepareForDeletion: (object: JsonObject, nowMs?: number) =>
      markTerminating(object, nowMs === undefined ? '' : formatTime(nowMs)),
  },
});

function fillSpec(spec: JsonObject): JsonObject {
  const named = changeStructAt(spec, 'names', (names) => {
    const kind = readText(names['kind']);
    const fields = {
      singular: kind.toLowerCase(),
      ...(kind !== '' && { listKind: `${kind}List` }),
    };
    return fillEmpty(names, fields);
  });
  const converted = fillAbsent(named, { conversion: { strategy: 'None' } });
  return fillServicePort(converted);
}

/** A webhook service is reached at the HTTPS port by default. */
function fillServicePort(spec: JsonObject): JsonObject {
  const path = 'conversion.webhook.clientConfig.service';
  const service = structAt(spec, path);
  if (readText(service['name']) === '') return spec;
  return changeStructAt(spec, path, (given) => fillAbsent(given, { port: 443 }));
}

/** Adds the storage version to the versions in which objects may be stored. */
function withStoredVersions(object: JsonObject): JsonObject {
  const storage = objectsAt(object, 'spec.versions').find((version) => version['storage'] === true);
  const stored = readTexts(structAt(object, 'status')['storedVersions']);
  const name = readText(storage?.['name']);
  if (name === '' || stored.includes(name)) return object;
  return changeStructAt(object, 'status', (status) => ({
    ...status,
    storedVersions: [...stored, name],
  }));
}

function withStatusOf(object: JsonObject, old: JsonObject): JsonObject {
  const { status: _, ...rest } = object;
  const { status } = old;
  return status === undefined ? rest : { ...rest, status };
}
