/**
 * The credentials for a pod's images: those of the secrets that its imagePullSecrets name, and after
 * them what the node itself knows.
 */
import type { Pod } from '../../api/pod.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Log } from '../../ports/log.ts';
import type { ObjectLookup } from '../../ports/object-lookup.ts';
import type { FoundPullSecrets, PullSecrets } from '../../ports/pull-secrets.ts';
import { fittingCredentials, readRegistryEntries } from './registry-credentials.ts';
import type { RegistryEntry } from './registry-credentials.ts';
import { podReferenceOf, runSpecOf } from './run-spec.ts';

export interface ObjectPullSecretsOptions {
  readonly objects: Pick<ObjectLookup, 'get'>;
  readonly log: Log;
  /** What the node itself has, such as in a config.json of Docker. */
  readonly ofNode?: (() => Promise<readonly RegistryEntry[]>) | undefined;
}

/** By the type of the secret. Others are no pull secrets, whatever is in them. */
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
        this.#options.log.warn('a pull secret cannot be used', { namespace, name, error });
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
