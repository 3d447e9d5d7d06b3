/**
 * Finds the kind that an argument names: `pods`, `pod`, `po`, `Pod`, `deployments.apps`, `all`.
 *
 * Discovery takes at most two requests: the core group, then all other groups. If several groups have a
 * kind of this name, the first group wins, as with kubectl.
 */
import { apiAnswerBroken } from '../../client/client-errors.ts';
import { defineError } from '../../lib/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { ApiSession } from './api-session.ts';

export interface ServedKind {
  /** Empty: the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
}

const AGGREGATED = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(',');

const kindUnknown = defineError<{ name: string }>({
  code: 'KIND_UNKNOWN',
  retry: 'never',
  message: ({ name }) => `the server doesn't have a resource type "${name}"`,
  hint: () =>
    'Check how it is spelled: pods, services, deployments.apps. Its definition may be missing.',
});

/** Returns the kinds in the order in which `names` lists them. Throws KIND_UNKNOWN. */
export async function findKinds(
  session: ApiSession,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly ServedKind[]> {
  const core = await readKinds(session, '/api', signal);
  const found = names.map((name) => match(core, name));
  if (found.every((kinds) => kinds.length > 0) && !names.some(mayBeElsewhere)) return found.flat();
  const all = [...core, ...(await readKinds(session, '/apis', signal))];
  return names.flatMap((name) => {
    const kinds = match(all, name);
    if (kinds.length === 0) throw kindUnknown({ name });
    return kinds;
  });
}

/**
 * Whether groups other than the core group may match: `all` has members in every group, and
 * `deployments.apps` names a group.
 */
function mayBeElsewhere(name: string): boolean {
  return name === 'all' || name.includes('.');
}

export function pathOfKind(
  { group, version, plural, isNamespaced }: ServedKind,
  namespace: string,
) {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const inside =
    isNamespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${inside}/${plural}`;
}

/** The name of a kind as kubectl writes it: `pod`, `deployment.apps`. */
export function nameOfKind({ group, singular }: ServedKind): string {
  return group === '' ? singular : `${singular}.${group}`;
}

function match(kinds: readonly ServedKind[], text: string): readonly ServedKind[] {
  const [name = '', ...rest] = text.toLowerCase().split('.');
  const group = rest.join('.');
  const isMeant = (kind: ServedKind): boolean =>
    group === '' || kind.group === group || `${kind.version}.${kind.group}` === group;
  const candidates = kinds.filter(isMeant);
  const exact =
    candidates.find(({ plural, singular }) => plural === name || singular === name) ??
    candidates.find(({ shortNames }) => shortNames.includes(name)) ??
    candidates.find(({ kind }) => kind.toLowerCase() === name);
  if (exact) return [exact];
  return candidates.filter(
    ({ categories, verbs }) => categories.includes(name) && verbs.includes('list'),
  );
}

async function readKinds(
  session: ApiSession,
  target: '/api' | '/apis',
  signal: AbortSignal,
): Promise<readonly ServedKind[]> {
  const answer = await session.ask(target, signal, `${AGGREGATED},application/json;q=0.1`);
  if (answer['kind'] !== 'APIGroupDiscoveryList') {
    const problem = 'it is not an APIGroupDiscoveryList, which Kubernetes serves since v1.27';
    throw apiAnswerBroken({ request: `GET ${target}`, problem });
  }
  return objectsIn(answer['items']).flatMap(kindsOfGroup);
}

function kindsOfGroup({ metadata, versions }: JsonObject): readonly ServedKind[] {
  const group = isJsonObject(metadata) ? textOf(metadata['name']) : '';
  return objectsIn(versions).flatMap(({ version, resources }) =>
    objectsIn(resources).map((resource) => toKind(group, textOf(version), resource)),
  );
}

function toKind(group: string, version: string, resource: JsonObject): ServedKind {
  const { resource: plural, responseKind, scope } = resource;
  const kind = isJsonObject(responseKind) ? textOf(responseKind['kind']) : '';
  return {
    group,
    version,
    kind,
    plural: textOf(plural),
    singular: textOf(resource['singularResource']) || kind.toLowerCase(),
    shortNames: textsOf(resource['shortNames']),
    categories: textsOf(resource['categories']),
    isNamespaced: scope === 'Namespaced',
    verbs: textsOf(resource['verbs']),
  };
}

export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  if (!Array.isArray(value)) return [];
  const items: readonly Json[] = value;
  return items.filter(isJsonObject);
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: Json | undefined): readonly string[] {
  if (!Array.isArray(value)) return [];
  const items: readonly Json[] = value;
  return items.filter((item) => typeof item === 'string');
}
