/** Validates downward API references: fields of the pod as environment variables or files. */
import { isZeroQuantity } from '../../values/quantity.ts';
import { formatQuantity } from '../../values/quantity-text.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  invalidField,
  required,
  unsupported,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import { readText } from '../../validation/json-reading.ts';
import { validateQualifiedName } from '../../validation/names.ts';
import { readAmount } from '../../validation/quantities.ts';

export const VARIABLE_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
export const FILE_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

/** All fields that can be referenced; variables and files each support a subset. */
const KNOWN_FIELDS = new Set([
  ...FILE_FIELDS,
  ...VARIABLE_FIELDS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);
const RESOURCE_FIELDS = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const HUGE_PAGES_FIELD = /^(?:limits|requests)\.hugepages-/;
const SUBSCRIPT = /^(.+?)\['([^]*)'\]$/;

const CPU_DIVISORS = ['1m', '1'];
const BYTE_DIVISORS = [
  '1',
  '1k',
  '1M',
  '1G',
  '1T',
  '1P',
  '1E',
  '1Ki',
  '1Mi',
  '1Gi',
  '1Ti',
  '1Pi',
  '1Ei',
];

export function* validateFieldRef(
  ref: JsonObject,
  path: string,
  supported: readonly string[],
): FieldErrors {
  const [apiVersion, fieldPath] = [readText(ref['apiVersion']), readText(ref['fieldPath'])];
  if (apiVersion === '') {
    yield required(`${path}.apiVersion`);
    return;
  }
  if (fieldPath === '') {
    yield required(`${path}.fieldPath`);
    return;
  }
  const [, base, key] = SUBSCRIPT.exec(fieldPath) ?? [];
  const fault = conversionFault(apiVersion, fieldPath, base);
  if (fault !== undefined) {
    yield invalidField(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${fault}`);
  } else if (base !== undefined && key !== undefined) {
    const name = base === 'metadata.annotations' ? key.toLowerCase() : key;
    yield* validateQualifiedName(name, path);
  } else {
    const field = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
    if (!supported.includes(field)) yield unsupported(`${path}.fieldPath`, field, supported);
  }
}

/** `resourceFieldRef`: a resource of a container. A file must name the container. */
export function* validateResourceRef(ref: JsonObject, path: string, isFile: boolean): FieldErrors {
  const resource = readText(ref['resource']);
  if (isFile && readText(ref['containerName']) === '') {
    yield required(`${path}.containerName`);
  } else if (resource === '') {
    yield required(`${path}.resource`);
  } else if (!RESOURCE_FIELDS.includes(resource) && !HUGE_PAGES_FIELD.test(resource)) {
    yield unsupported(`${path}.resource`, resource, RESOURCE_FIELDS);
  }
  yield* validateDivisor(resource, ref, `${path}.divisor`);
}

function* validateDivisor(resource: string, ref: JsonObject, field: string): FieldErrors {
  const divisor = readAmount(ref['divisor']);
  const kind = divisorKindOf(resource);
  if (isZeroQuantity(divisor) || kind === undefined) return;
  const supported = kind === 'cpu' ? CPU_DIVISORS : BYTE_DIVISORS;
  if (supported.includes(formatQuantity(divisor))) return;
  const listed = kind === 'cpu' ? '1m and 1' : BYTE_DIVISORS.join(', ');
  const detail = `only divisor's values ${listed} are supported with the ${kind} resource`;
  yield invalidField(field, resource, detail);
}

function divisorKindOf(resource: string): string | undefined {
  if (HUGE_PAGES_FIELD.test(resource)) return 'hugepages';
  switch (resource.replace(/^(?:limits|requests)\./, '')) {
    case resource:
      return undefined;
    case 'cpu':
      return 'cpu';
    case 'memory':
      return 'memory';
    case 'ephemeral-storage':
      return 'local ephemeral storage';
    default:
      return undefined;
  }
}

function conversionFault(
  apiVersion: string,
  fieldPath: string,
  base: string | undefined,
): string | undefined {
  if (apiVersion !== 'v1') return `unsupported pod version: ${apiVersion}`;
  if (base !== undefined) {
    if (base === 'metadata.annotations' || base === 'metadata.labels') return undefined;
    return `field label does not support subscript: ${fieldPath}`;
  }
  if (KNOWN_FIELDS.has(fieldPath) || fieldPath === 'spec.host') return undefined;
  return `field label not supported: ${fieldPath}`;
}
