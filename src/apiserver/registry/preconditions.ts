/**
 * Checks a write against its target: the name, the resourceVersion, the UID and the client's preconditions.
 */
import type { FieldError } from '../../api/validation/field-error.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { metadataOf, nameOf, textOf } from '../objects/metadata.ts';
import { badRequest, conflict, invalid, MODIFIED, StatusError } from '../objects/status.ts';
import type { DeleteOptions } from '../requests/options.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { isCustomKind } from '../schema/custom-object.ts';
import type { Target, UpdateRequest } from './write-requests.ts';

export function checkName(object: JsonObject, name: string): void {
  const given = nameOf(object);
  if (given === name) return;
  if (given === '') {
    const detail = 'was undeterminable: name must be provided';
    throw badRequest(`the name of the object (${name} based on URL) ${detail}`);
  }
  throw badRequest(
    `the name of the object (${given}) does not match the name on the URL (${name})`,
  );
}

export function checkVersion(
  { definition, name }: Target,
  object: JsonObject,
  old: JsonObject,
): void {
  const given = textOf(metadataOf(object)['resourceVersion']);
  if (given === '' && definition.rules.versionRequired) {
    const { group, resource: kind } = definition;
    throw invalid({ group, kind }, name, [VERSION_MISSING]);
  }
  if (given !== '' && given !== metadataOf(old)['resourceVersion']) {
    throw conflict(definition, name, MODIFIED);
  }
}

/** The value is a missing number as Go prints it. */
const VERSION_MISSING: FieldError = {
  type: 'Invalid',
  field: 'metadata.resourceVersion',
  detail: '0: must be specified for an update',
};

/** A PUT with the UID of another object, for example of one that was deleted since. */
export function checkUid(target: UpdateRequest, object: JsonObject, old: JsonObject): void {
  const wanted = textOf(metadataOf(object)['uid']);
  const found = textOf(metadataOf(old)['uid']);
  if (wanted === '' || wanted === found) return;
  const key = `${target.dryRun ? '' : '/registry'}${storageKeyOf(target)}`;
  throw conflict(
    target.definition,
    target.name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ` +
      `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`,
  );
}

/** The etcd key that kube-apiserver names in messages. */
function storageKeyOf({ definition, namespace, name }: Target): string {
  const { group, resource } = definition;
  const own = isCustomKind(definition) || OWN_SERVERS.has(group);
  const folder = own ? `${group}/${resource}` : (STORAGE_FOLDERS[resource] ?? resource);
  return `/${folder}${definition.namespaced ? `/${namespace}` : ''}/${name}`;
}

const STORAGE_FOLDERS: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
};

/** Groups that kube-apiserver serves with a separate API server in its process. */
const OWN_SERVERS: ReadonlySet<string> = new Set([
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
]);

/** Events of both groups are validated as Events of the core group. */
export function kindInErrors({ group, kind }: KindDefinition): { group: string; kind: string } {
  return { group: group === 'events.k8s.io' ? '' : group, kind };
}

/** kube-apiserver detects this in its storage layer, and so returns a 500. */
export function checkNoVersion(object: JsonObject): void {
  const given = textOf(metadataOf(object)['resourceVersion']);
  if (given === '' || given === '0') return;
  throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
}

export function checkPreconditions(
  target: Target,
  object: JsonObject,
  options: DeleteOptions,
): void {
  const { uid, resourceVersion } = metadataOf(object);
  const kind = { group: target.definition.group, resource: target.definition.kind };
  const differs = (what: string, wanted: string, found: string): never => {
    throw conflict(
      kind,
      target.name,
      `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). ` +
        'The object might have been ' +
        (what === 'UID' ? 'deleted and then recreated' : 'modified'),
    );
  };
  if (options.uid !== null && options.uid !== uid) differs('UID', options.uid, textOf(uid));
  if (options.resourceVersion !== null && options.resourceVersion !== resourceVersion) {
    differs('ResourceVersion', options.resourceVersion, textOf(resourceVersion));
  }
}

/** Whether another write came first. */
export function isConflict(error: unknown): boolean {
  return error instanceof PodkeepError && error.code === 'STORE_CONFLICT';
}
