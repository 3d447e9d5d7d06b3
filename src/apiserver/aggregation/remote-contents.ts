/**
 * Empties a namespace at another API server, as the controller of namespaces of Kubernetes does: the objects
 * of each kind that can be deleted are deleted as a collection, or one by one; then the remaining ones are
 * counted.
 */
import type { JsonObject } from '../../lib/json.ts';
import { readNumber, readObjects, readText, readTexts } from '../../api/validation/json-reading.ts';
import type { User } from '../objects/access.ts';
import { structAt } from '../objects/field-path.ts';
import { metadataOf, nameOf } from '../objects/metadata.ts';
import type { RemoteRemains, RemoteVersion } from '../objects/remote-apis.ts';
import { objectOf, type BackendAnswer, type BackendClient } from './backend-client.ts';

/** The controller's own user, to whom the other server may give its own rights. */
const CONTROLLER: User = {
  name: 'system:serviceaccount:kube-system:namespace-controller',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
};
const DELETE_OPTIONS = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
const METADATA_ACCEPT =
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
const PAGE = 500;
/** The server knows no such verb, or no such resource. */
const UNSUPPORTED: ReadonlySet<number> = new Set([404, 405]);

export interface RemoteKind extends RemoteVersion {
  readonly resource: string;
  readonly verbs: readonly string[];
}

/** The kinds of a discovered version that a namespace must not leave behind. */
export function deletableKinds(
  version: RemoteVersion,
  { resources }: JsonObject,
): readonly RemoteKind[] {
  return readObjects(resources)
    .filter(({ scope }) => scope === 'Namespaced')
    .map(({ resource, verbs }) => ({
      ...version,
      resource: readText(resource),
      verbs: readTexts(verbs),
    }))
    .filter(({ verbs }) => verbs.includes('delete'));
}

/** Never rejects: a failure is part of the report. */
export async function purgeKind(
  client: BackendClient,
  apiService: JsonObject,
  kind: RemoteKind,
  namespace: string,
): Promise<RemoteRemains> {
  const { group, version, resource } = kind;
  const path = `/apis/${group}/${version}/namespaces/${namespace}/${resource}`;
  const report = { group, resource };
  try {
    await deleteAll(client, apiService, kind, path);
    const { count, finalizers } = countOf(await list(client, apiService, path));
    const isUnexpected = count > 0 && finalizers.length === 0;
    const which = `${group}/${version}, Resource=${resource}`;
    const message = `unexpected items still remain in namespace: ${namespace} for gvr: ${which}`;
    return { ...report, count, finalizers, failure: isUnexpected ? message : null };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { ...report, count: 0, finalizers: [], failure };
  }
}

async function deleteAll(
  client: BackendClient,
  apiService: JsonObject,
  { verbs }: RemoteKind,
  path: string,
): Promise<void> {
  const remove = (target: string): Promise<BackendAnswer> =>
    client.call(apiService, {
      method: 'DELETE',
      path: target,
      user: CONTROLLER,
      body: DELETE_OPTIONS,
    });
  if (verbs.includes('deletecollection')) {
    const answer = await remove(path);
    if (!UNSUPPORTED.has(answer.status)) return checkDone(answer);
  }
  const found = await list(client, apiService, path);
  for (const object of readObjects(found?.['items'])) {
    const answer = await remove(`${path}/${encodeURIComponent(nameOf(object))}`);
    if (!UNSUPPORTED.has(answer.status)) checkDone(answer);
  }
}

function checkDone({ url, status, text }: BackendAnswer): void {
  if (status >= 200 && status < 300) return;
  throw new Error(`bad status from ${url}: ${status} ${text.slice(0, 256)}`.trim());
}

/** Null: the kind cannot be listed. */
async function list(
  client: BackendClient,
  apiService: JsonObject,
  path: string,
): Promise<JsonObject | null> {
  const asked = { path: `${path}?limit=${PAGE}`, user: CONTROLLER, accept: METADATA_ACCEPT };
  const answer = await client.call(apiService, asked);
  return UNSUPPORTED.has(answer.status) ? null : objectOf(answer);
}

function countOf(found: JsonObject | null): Pick<RemoteRemains, 'count' | 'finalizers'> {
  const items = readObjects(found?.['items']);
  const more = found ? readNumber(structAt(found, 'metadata')['remainingItemCount']) : 0;
  const finalizers = items.flatMap((one) => readTexts(metadataOf(one)['finalizers']));
  return { count: items.length + Math.max(0, more), finalizers };
}
