/** Validates the status of a pod's resource claims (devices). */
import { checkDns1123Subdomain } from '../../../../api/validation-names.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import {
  duplicate,
  invalidField,
  invalidFor,
  required,
  type FieldErrors,
} from '../../../../api/validation/field-errors.ts';
import {
  isGiven,
  readObject,
  readObjects,
  readStruct,
  readText,
} from '../../../../api/validation/json-reading.ts';
import { validateDnsLabel } from '../../../../api/validation/names.ts';

export function* validateClaimStatuses(status: JsonObject, spec: JsonObject): FieldErrors {
  const claims = new Set(readObjects(spec['resourceClaims']).map(({ name }) => readText(name)));
  const seen = new Set<string>();
  for (const [index, claim] of readObjects(status['resourceClaimStatuses']).entries()) {
    const path = `status.resourceClaimStatuses[${index}]`;
    const name = readText(claim['name']);
    if (!claims.has(name)) {
      const detail = 'must match the name of an entry in `spec.resourceClaims`';
      yield invalidField(`${path}.name`, name, detail);
    }
    if (seen.has(name)) yield duplicate(`${path}.name`, name);
    seen.add(name);
    if (!isGiven(claim['resourceClaimName'])) continue;
    const made = readText(claim['resourceClaimName']);
    yield* invalidFor(`${path}.resourceClaimName`, made, checkDns1123Subdomain(made));
  }
}

/** The claim that was created for extended resources, such as `example.com/gpu`. */
export function* validateExtendedClaim(status: JsonObject, spec: JsonObject): FieldErrors {
  const claim = readObject(status['extendedResourceClaimStatus']);
  if (!claim) return;
  const path = 'status.extendedResourceClaimStatus';
  const mappings = readObjects(claim['requestMappings']);
  if (mappings.length === 0) {
    yield required(`${path}.requestMappings`, 'at least one request mapping is required');
  }
  yield* checkMappings(mappings, spec, path);
  const name = readText(claim['resourceClaimName']);
  if (name === '') yield required(`${path}.resourceClaimName`);
  else yield* invalidFor(`${path}.resourceClaimName`, name, checkDns1123Subdomain(name));
}

function* checkMappings(
  mappings: readonly JsonObject[],
  spec: JsonObject,
  path: string,
): FieldErrors {
  const containers = new Map(
    [...readObjects(spec['initContainers']), ...readObjects(spec['containers'])].map(
      (container) => [readText(container['name']), container] as const,
    ),
  );
  const seen = new Set<string>();
  for (const [index, mapping] of mappings.entries()) {
    const at = `${path}.requestMappings[${index}]`;
    const names = ['containerName', 'resourceName', 'requestName'].map(
      (name) => [name, readText(mapping[name])] as const,
    );
    const container = containers.get(readText(mapping['containerName']));
    yield* checkResource(mapping, container, at);
    yield* validateDnsLabel(readText(mapping['requestName']), `${path}.requestName`);
    const key = JSON.stringify(names);
    if (seen.has(key)) for (const [name, value] of names) yield duplicate(`${at}.${name}`, value);
    seen.add(key);
  }
}

function* checkResource(
  mapping: JsonObject,
  container: JsonObject | undefined,
  path: string,
): FieldErrors {
  const resource = readText(mapping['resourceName']);
  if (!container) {
    const detail =
      'must match the name of an entry in spec.initContainers.name or spec.containers.name';
    yield invalidField(`${path}.containerName`, readText(mapping['containerName']), detail);
  } else if (!Object.hasOwn(readStruct(readStruct(container['resources'])['requests']), resource)) {
    const detail =
      'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests';
    yield invalidField(`${path}.resourceName`, resource, detail);
  }
}
