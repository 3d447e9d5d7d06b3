/**
 * Admission plugin ServiceAccount: every pod runs as a service account. Its token, the cluster's CA
 * certificate and its namespace are mounted where client libraries expect them, unless the pod or the account
 * opts out.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import type { IdentityRandom } from '../../ports/random.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { generateName, listOf, metadataOf, nameOf, textOf } from '../objects/metadata.ts';
import { forbidden } from '../objects/status.ts';
import { isNewPod, type Admission, type AdmissionRequest } from '../registry/admission.ts';
import { isMirrorPod } from './mirror-pods.ts';

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const VOLUME_PREFIX = 'kube-api-access-';
/** One hour and seven seconds, by which the API server recognizes tokens of this kind. */
const TOKEN_SECONDS = 3607;
const FILE_MODE = 0o644;

export class ServiceAccounts implements Admission {
  readonly #store: ObjectStore;
  readonly #random: IdentityRandom;

  constructor(store: ObjectStore, random: IdentityRandom) {
    this.#store = store;
    this.#random = random;
  }

  admit(request: AdmissionRequest): JsonObject {
    const { definition, object } = request;
    const { spec } = object;
    if (!isNewPod(request) || !isJsonObject(spec) || isMirrorPod(object)) return object;
    const name = textOf(spec['serviceAccountName']) || 'default';
    const account = this.#find(definition, object, name);
    const named = { ...spec, serviceAccountName: name, serviceAccount: name };
    const mounted = wantsToken(spec, account) ? this.#mountToken(named) : named;
    const secrets = listOf(account['imagePullSecrets']);
    const needsSecrets = listOf(spec['imagePullSecrets']).length === 0 && secrets.length > 0;
    return { ...object, spec: needsSecrets ? { ...mounted, imagePullSecrets: secrets } : mounted };
  }

  #find(definition: KindDefinition, pod: JsonObject, name: string): JsonObject {
    const namespace = textOf(metadataOf(pod)['namespace']);
    const account = this.#store.get(`/core/serviceaccounts/${namespace}/${name}`)?.value;
    if (account) return account;
    throw forbidden(
      definition,
      nameOf(pod),
      `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
    );
  }

  #mountToken(spec: JsonObject): JsonObject {
    const volumes = listOf(spec['volumes']);
    const existing = volumes.find((volume) => volumeName(volume).startsWith(VOLUME_PREFIX));
    const name = existing ? volumeName(existing) : generateName(VOLUME_PREFIX, this.#random);
    const containers = listOf(spec['containers']).map((container) => withMount(container, name));
    const init = listOf(spec['initContainers']).map((container) => withMount(container, name));
    const isNeeded =
      !isSame(containers, spec['containers']) || !isSame(init, spec['initContainers'] ?? []);
    return {
      ...spec,
      containers,
      ...(init.length > 0 && { initContainers: init }),
      ...(isNeeded && !existing && { volumes: [...volumes, tokenVolume(name)] }),
    };
  }
}

/** The pod's setting takes precedence over its account's. */
function wantsToken(spec: JsonObject, account: JsonObject): boolean {
  const given = spec['automountServiceAccountToken'] ?? account['automountServiceAccountToken'];
  return given !== false;
}

/** A container that already mounts a volume at that path is not changed. */
function withMount(container: Json, name: string): Json {
  if (!isJsonObject(container)) return container;
  const mounts = listOf(container['volumeMounts']);
  const isTaken = mounts.some((mount) => isJsonObject(mount) && mount['mountPath'] === MOUNT_PATH);
  if (isTaken) return container;
  return {
    ...container,
    volumeMounts: [...mounts, { name, readOnly: true, mountPath: MOUNT_PATH }],
  };
}

function tokenVolume(name: string): JsonObject {
  const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.namespace' };
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [{ path: 'namespace', fieldRef }] } },
      ],
      defaultMode: FILE_MODE,
    },
  };
}

function volumeName(volume: Json): string {
  return isJsonObject(volume) ? textOf(volume['name']) : '';
}

function isSame(list: readonly Json[], original: Json | undefined): boolean {
  return Array.isArray(original) && list.every((item, index) => item === original[index]);
}
