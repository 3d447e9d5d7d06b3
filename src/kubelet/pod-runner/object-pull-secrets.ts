/** The pull secrets of pods, from the secrets that their imagePullSecrets name. */
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
}

const KEYS = ['.dockerconfigjson', '.dockercfg'] as const;

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
        entries.push(...entriesOf(secret));
      } catch (error) {
        signal.throwIfAborted();
        this.#options.log.warn('a pull secret cannot be used', { namespace, name, error });
        missing.push(name);
      }
    }
    return { missing, credentialsFor: (image) => fittingCredentials(entries, image) };
  }

  #get(namespace: string, name: string, signal: AbortSignal): Promise<JsonObject> {
    return this.#options.objects.get({ kind: 'Secret', namespace, name }, signal);
  }
}

function entriesOf({ data }: { readonly data?: Json }): readonly RegistryEntry[] {
  if (!isJsonObject(data)) return [];
  return KEYS.flatMap((key) => {
    const encoded = data[key];
    if (typeof encoded !== 'string') return [];
    return readRegistryEntries(Buffer.from(encoded, 'base64').toString());
  });
}
