/**
 * Validates the resource claims (devices) of a pod: each names a ResourceClaim or a ResourceClaimTemplate.
 */
import type { JsonObject } from '../../../lib/json.ts';
import {
  duplicate,
  forbiddenField,
  invalidField,
  required,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import { isGiven, readObjects, readStruct, readText } from '../../validation/json-reading.ts';
import { validateDnsLabel, validateDnsSubdomain } from '../../validation/names.ts';
import { internalForm } from '../internal-form.ts';

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

export function claimNamesOf(spec: JsonObject): ReadonlySet<string> {
  const names = readObjects(spec['resourceClaims']).map(({ name }) => readText(name));
  return new Set(names.filter((name) => name !== ''));
}

export function* validateResourceClaims(
  spec: JsonObject,
  metadata: JsonObject,
  path: string,
): FieldErrors {
  const isMirror = Object.hasOwn(readStruct(metadata['annotations']), MIRROR_ANNOTATION);
  const names = new Set<string>();
  for (const [index, claim] of readObjects(spec['resourceClaims']).entries()) {
    if (isMirror) yield forbiddenField('[]', 'static pods do not support resource claims');
    else yield* validateClaim(claim, `${path}[${index}]`, names);
  }
}

function* validateClaim(claim: JsonObject, path: string, names: Set<string>): FieldErrors {
  const name = readText(claim['name']);
  if (name === '') yield required(`${path}.name`);
  else if (names.has(name)) yield duplicate(`${path}.name`, name);
  else {
    yield* validateDnsLabel(name, `${path}.name`);
    names.add(name);
  }
  const sources = ['resourceClaimName', 'resourceClaimTemplateName'];
  const given = sources.filter((source) => isGiven(claim[source]));
  if (given.length !== 1) {
    const detail =
      given.length === 0
        ? 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'
        : 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
    yield invalidField(path, internalForm(claim, 'core/v1.PodResourceClaim'), detail);
  }
  for (const source of given) {
    yield* validateDnsSubdomain(readText(claim[source]), `${path}.${source}`);
  }
}
