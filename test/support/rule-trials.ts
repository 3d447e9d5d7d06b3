/** Tries validation rules of kinds: the sample of a kind with a change, and the answer to it. */
import { applyJsonMergePatch } from '../../src/api/patch/json-merge-patch.ts';
import { builtInKinds } from '../../src/apiserver/kinds/built-in-kinds.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/lib/json.ts';
import { ApiRequests, problemsOf, type Answer } from './api-requests.ts';
import { SAMPLES } from './kind-samples.ts';

const CLUSTER_SCOPED: ReadonlySet<string> = new Set(
  builtInKinds
    .filter(({ namespaced }) => !namespaced)
    .map(({ group, version, resource }) => [group, version, resource].filter(Boolean).join('/')),
);

export function pathOf(key: string): string {
  const words = key.split('/');
  const resource = words.at(-1) ?? '';
  const root = `/${words.length === 2 ? 'api' : 'apis'}/${words.slice(0, -1).join('/')}`;
  return CLUSTER_SCOPED.has(key) ? `${root}/${resource}` : `${root}/namespaces/default/${resource}`;
}

/** `change`: a merge patch of the sample, which is called `sample`. */
export function sampleWith(key: string, change: Json = {}): JsonObject {
  const named = applyJsonMergePatch({ metadata: { name: 'sample' } }, SAMPLES[key] ?? {});
  const changed = applyJsonMergePatch(named, change);
  return isJsonObject(changed) ? changed : {};
}

export async function createWith(key: string, change?: Json): Promise<Answer> {
  const api = await ApiRequests.open();
  return api.ask('POST', pathOf(key), { body: sampleWith(key, change) });
}

export async function tryCreate(key: string, change: Json): Promise<readonly string[]> {
  return problemsOf(await createWith(key, change));
}

/** Creates the sample, changed by `first`, and then applies `patch` to it, or to a part of it. */
export async function tryUpdate(
  key: string,
  patch: Json,
  { first = {}, part = '' }: { readonly first?: Json; readonly part?: string } = {},
): Promise<readonly string[]> {
  const api = await ApiRequests.open();
  await api.ask('POST', pathOf(key), { body: sampleWith(key, first) });
  return problemsOf(await api.merge(`${pathOf(key)}/sample${part}`, patch));
}
