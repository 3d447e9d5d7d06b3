/**
 * Finds the credentials for a pod's images: those of its imagePullSecrets, then those of the node.
 */
import type { Pod } from '../../../api/pod.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { Log } from '../../../ports/log.ts';
import type { ObjectLookup } from '../../../ports/api/object-lookup.ts';
import type { FoundPullSecrets, PullSecrets } from '../../../ports/api/pull-secrets.ts';
import { fittingCredentials, readRegistryEntries } from '../../images/registry-credentials.ts';
import type { RegistryEntry } from '../../images/registry-credentials.ts';
import { podReferenceOf, runSpecOf } from '../../../api/run-spec.ts';

export interface ObjectPullSecretsOptions {
  readonly objects: Pick<ObjectLookup, 'get'>;
  readonly log: Log;
  /** The node's own credentials, such as in a Docker config.json. */
  readonly ofNode?: (() => Promise<readonly RegistryEntry[]>) | undefined;
}

/** The key of the credentials, by type of the secret. Secrets of other types are not pull secrets. */
const KEYS: ReadonlyMap<Json | undefined, string> = new Map([
  ['kubernetes.io/dockerconfigjson', '.dockerconfigjson'],
  ['kubernetes.io/dockercfg', '.dockercfg'],
]);

export class ObjectPullSecrets implements PullSecrets {
  readonly #options: ObjectPullSecretsOptions;

  constructor(options: ObjectPullSecretsOptions) {
    this.#options = options;
  }

  async find(pod: Pod, signal: AbortSignal): Promise<FoundPullSecrets> {
    const { namespace } = podReferenceOf(pod);
    const missing: string[] = [];
    const entries: RegistryEntry[] = [];
    for (const { name = '' } of runSpecOf(pod).imagePullSecrets ?? []) {
      if (name === '') continue;
      try {
        const secret = await this.#get(namespace, name, signal);
        const source = { uid: uidOf(secret), namespace, name };
        for (const entry of entriesOf(secret)) {
          entries.push({ ...entry, credentials: { ...entry.credentials, source } });
        }
      } catch (error) {
        signal.throwIfAborted();
        this.#options.log.warn('Unable to retrieve pull secret, the image pull may not succeed', {
          namespace,
          name,
          error,
        });
        missing.push(name);
      }
    }
    const ofNode = (await this.#options.ofNode?.()) ?? [];
    const credentialsFor = (image: string) => [
      ...fittingCredentials(entries, image),
      ...fittingCredentials(ofNode, image),
    ];
    return { missing, credentialsFor };
  }

  #get(namespace: string, name: string, signal: AbortSignal): Promise<JsonObject> {
    return this.#options.objects.get({ kind: 'Secret', namespace, name }, signal);
  }
}

function uidOf({ metadata }: JsonObject): string {
  const uid = isJsonObject(metadata) ? metadata['uid'] : '';
  return typeof uid === 'string' ? uid : '';
}

function entriesOf({ type, data }: JsonObject): readonly RegistryEntry[] {
  const key = KEYS.get(type);
  const encoded = key !== undefined && isJsonObject(data) ? data[key] : undefined;
  if (typeof encoded !== 'string') return [];
  return readRegistryEntries(Buffer.from(encoded, 'base64').toString());
}
