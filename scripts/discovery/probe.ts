/**
 * Finds out with requests which methods an API server serves at which path. Discovery lists the verbs of a
 * resource, but not the paths at which each verb works.
 *
 *     all          /api/v1/configmaps                          of a namespaced resource
 *     collection   /api/v1/namespaces/default/configmaps       or /api/v1/nodes
 *     item         …/configmaps/absent
 *     misplaced    /api/v1/configmaps/absent                   or /api/v1/namespaces/default/nodes
 *     a name       …/configmaps/absent/{subresource}
 *
 * The same probe runs against kube-apiserver, to create the record, and against podkeep, in a test.
 *
 * 1. A probe changes nothing: every request is a dry run.
 * 2. A 404 that names an item means that the path is served, but the item does not exist; a 404 that names
 *    nothing means that the path has no route.
 */
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';

export const METHODS = ['GET', 'WATCH', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export type ProbeMethod = (typeof METHODS)[number];

export interface ProbeAnswer {
  readonly code: number;
  /** Empty for answers to HEAD, and for a watch that has started. */
  readonly text: string;
}

export type Ask = (method: ProbeMethod, path: string) => Promise<ProbeAnswer>;

/** A resource as discovery describes it. */
export interface ProbedResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** By name, with their verbs. */
  readonly subresources: Readonly<Record<string, readonly string[]>>;
}

/** The request of a probe. */
export interface ProbeRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject;
  readonly contentType?: string;
  readonly watches?: boolean;
}

export function requestOf(method: ProbeMethod, path: string): ProbeRequest {
  if (method === 'WATCH') {
    return {
      method: 'GET',
      path: `${path}?watch=1&resourceVersion=0&timeoutSeconds=1`,
      watches: true,
    };
  }
  if (method === 'GET' || method === 'HEAD') return { method, path };
  const dry = `${path}?dryRun=All`;
  if (method === 'DELETE') return { method, path: dry };
  const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return { method, path: dry, body: {}, contentType };
}

/** Methods by result, in the order of METHODS. A result is `served`, or the name of a refusal. */
export type PathRecord = Readonly<Record<string, string>>;

export interface ResourceRecord {
  readonly scope: 'Cluster' | 'Namespaced';
  readonly verbs: string;
  readonly subresources: Readonly<Record<string, string>>;
  readonly paths: Readonly<Record<string, PathRecord>>;
}

/** Bodies of refusals by name; the probe fills them in. */
export type Refusals = Map<string, JsonObject | string>;

export async function probeResource(
  ask: Ask,
  resource: ProbedResource,
  refusals: Refusals,
): Promise<ResourceRecord> {
  const paths: Record<string, PathRecord> = {};
  for (const [name, path] of pathsOf(resource)) {
    paths[name] = await probePath(ask, path, refusals);
  }
  const { namespaced, verbs, subresources } = resource;
  const parts = Object.entries(subresources).map(([name, own]) => [name, own.join(' ')] as const);
  return {
    scope: namespaced ? 'Namespaced' : 'Cluster',
    verbs: verbs.join(' '),
    subresources: Object.fromEntries(parts),
    paths,
  };
}

export function keyOf({ group, version, resource }: ProbedResource): string {
  return `${group === '' ? '' : `${group}/`}${version}/${resource}`;
}

function pathsOf(one: ProbedResource): readonly (readonly [string, string])[] {
  const { group, version, resource, namespaced, subresources } = one;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const bare = `${root}/${resource}`;
  const inNamespace = `${root}/namespaces/default/${resource}`;
  const item = `${namespaced ? inNamespace : bare}/absent`;
  const parts = Object.keys(subresources).map((name) => [name, `${item}/${name}`] as const);
  return namespaced
    ? [
        ['all', bare],
        ['collection', inNamespace],
        ['item', item],
        ['misplaced', `${bare}/absent`],
        ...parts,
      ]
    : [['collection', bare], ['item', item], ['misplaced', inNamespace], ...parts];
}

const NO_ANSWER: ProbeAnswer = { code: 0, text: '' };

/** Tries the methods concurrently, because none of them changes anything. */
async function probePath(ask: Ask, path: string, refusals: Refusals): Promise<PathRecord> {
  const found: Record<string, string> = {};
  const answers = await Promise.all(METHODS.map((method) => ask(method, path)));
  for (const [index, method] of METHODS.entries()) {
    const outcome = outcomeOf(method, answers[index] ?? NO_ANSWER, refusals);
    found[outcome] = found[outcome] === undefined ? method : `${found[outcome]} ${method}`;
  }
  return found;
}

function outcomeOf(method: ProbeMethod, { code, text }: ProbeAnswer, refusals: Refusals): string {
  // Answers to HEAD have no body, so the two kinds of 404 cannot be distinguished.
  if (method === 'HEAD') return code === 405 || code === 404 ? `HEAD ${code}` : 'served';
  if (code !== 404 && code !== 405) return 'served';
  if (!text.startsWith('{')) return nameOf(`${code} text`, text, refusals);
  const status = JSON.parse(text) as JsonObject;
  const { details } = status;
  const namesItem = isJsonObject(details) && typeof details['name'] === 'string';
  if (code === 404 && namesItem) return 'served';
  const reason = typeof status['reason'] === 'string' ? status['reason'] : '';
  return nameOf(`${code} ${reason}`, general(status), refusals);
}

/**
 * Replaces the name of the resource in a message, so that equal refusals of different resources are recorded
 * once.
 */
function general(status: JsonObject): JsonObject {
  const { details, message } = status;
  const { kind = '', group } = isJsonObject(details) ? details : {};
  if (typeof kind !== 'string' || kind === '' || typeof message !== 'string') return status;
  const named = typeof group === 'string' ? `${kind}.${group}` : kind;
  return {
    ...status,
    message: message.replace(named, '<resource>'),
    details: { kind: '<resource>' },
  };
}

function nameOf(title: string, body: JsonObject | string, refusals: Refusals): string {
  const text = JSON.stringify(body);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? title : `${title} (${number})`;
    const known = refusals.get(name);
    if (known === undefined) refusals.set(name, body);
    if (known === undefined || JSON.stringify(known) === text) return name;
  }
}
