/**
 * The embedded API server: a function from a Request to a Response.
 *
 *     path -> kind -> verb -> registry, list or watch -> presentation -> Response
 *
 * It does not listen anywhere. A socket is one door to it, a test or the kubelet in the same process
 * another. Whatever goes wrong is answered with a metav1.Status, and never with a broken connection.
 */
import { stringify as formatYaml } from 'yaml';
import type { JsonObject } from '../lib/json.ts';
import { PodkeepError } from '../lib/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { Random } from '../ports/random.ts';
import { AGGREGATED_TYPE, wantsAggregated } from './aggregated-discovery.ts';
import { Catalog, verbsOf } from './catalog.ts';
import { contentTypeOf, readBytes, readObject, readOptions } from './decode/body.ts';
import type { KindDefinition, Verb, View } from './kind.ts';
import { listObjects } from './listing.ts';
import { metadataOf, textOf } from './metadata.ts';
import { negotiate, type AnswerForm } from './negotiation.ts';
import { admitAll } from './admission/admission.ts';
import { defaultTolerations } from './admission/default-tolerations.ts';
import { NamespaceLifecycle } from './admission/namespace-lifecycle.ts';
import { Priority } from './admission/priority.ts';
import { ServiceAccounts } from './admission/service-account.ts';
import { readDeleteOptions, readListOptions, readWriteOptions } from './options.ts';
import { applyPatch, patchTypeOf, readPatch } from './patching.ts';
import { presenterOf, type Presenter } from './presentation.ts';
import { Registry, type Target } from './registry.ts';
import { readResourcePath, type ResourceRequest } from './request-info.ts';
import {
  badRequest,
  internalError,
  methodNotAllowed,
  resourceUnknown,
  StatusError,
  successStatus,
} from './status.ts';
import { openWatch } from './watching.ts';

export interface ApiServerOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly kinds: readonly KindDefinition[];
  /** What `/version` says. */
  readonly version: JsonObject;
}

interface Call {
  readonly request: Request;
  readonly query: URLSearchParams;
  readonly definition: KindDefinition;
  readonly path: ResourceRequest;
  /** The path is about another object that is made from the one it names, such as its scale. */
  readonly view: View | undefined;
  readonly form: AnswerForm;
  readonly presenter: Presenter;
  /** Sentences for the Warning header. */
  readonly warnings: string[];
}

interface Answer {
  readonly code: number;
  readonly body: JsonObject | ReadableStream<Uint8Array>;
}

export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #catalog: Catalog;
  readonly #registry: Registry;

  constructor(options: ApiServerOptions) {
    const { store, clock, random, kinds } = options;
    this.#options = options;
    this.#catalog = new Catalog(kinds);
    this.#registry = new Registry({
      store,
      clock,
      random,
      admission: admitAll([
        new NamespaceLifecycle(store),
        new ServiceAccounts(store, random),
        defaultTolerations,
        new Priority(store),
      ]),
    });
  }

  async fetch(request: Request): Promise<Response> {
    const warnings: string[] = [];
    let form: AnswerForm = { encoding: 'json', as: 'object' };
    try {
      const url = new URL(request.url);
      const plain = this.#answerPlain(url.pathname) ?? this.#answerAggregated(request, url);
      if (plain) return plain;
      form = negotiate(request.headers.get('accept'));
      const { code, body } = await this.#answer(request, url, form, warnings);
      return respond(code, body, form, warnings);
    } catch (error) {
      const status = this.#statusOf(error);
      return respond(status.code, status.toStatus(), { ...form, as: 'object' }, warnings);
    }
  }

  /** Health and whatever no part of the API knows: text for people, not objects. */
  #answerPlain(path: string): Response | null {
    if (path === '/healthz' || path === '/livez' || path === '/readyz') return text(200, 'ok');
    const isApi = /^\/(?:api|apis|version|openapi)(?:\/|$)/.test(path);
    return isApi && this.#isServed(path) ? null : text(404, '404 page not found\n');
  }

  /** Discovery in one answer, which names its own content type. */
  #answerAggregated({ method, headers }: Request, { pathname }: URL): Response | null {
    const root = /^\/(apis?)\/?$/.exec(pathname)?.[1];
    if (root !== 'api' && root !== 'apis') return null;
    if (method !== 'GET' || !wantsAggregated(headers.get('accept'))) return null;
    const body = JSON.stringify(this.#catalog.aggregated(root));
    return new Response(body, { headers: { 'content-type': AGGREGATED_TYPE, vary: 'Accept' } });
  }

  #isServed(path: string): boolean {
    const [, root, group = '', version = ''] = path.split('/');
    if (root !== 'apis' || group === '') return root !== 'openapi';
    if (version === '') return this.#catalog.apiGroup(group) !== undefined;
    return this.#catalog.apiResourceList(group, version) !== undefined;
  }

  #answer(
    request: Request,
    url: URL,
    form: AnswerForm,
    warnings: string[],
  ): Promise<Answer> | Answer {
    const path = readResourcePath(url.pathname);
    if (!path) return this.#discover(request, url);
    const definition = this.#catalog.find(path.group, path.version, path.resource);
    if (!definition) throw resourceUnknown();
    if (definition.namespaced && path.namespace === null && path.name !== null) {
      throw resourceUnknown();
    }
    checkPathName(path.name);
    const { clock } = this.#options;
    const query = url.searchParams;
    const view = viewOf(definition, path);
    const shown = view?.definition ?? definition;
    const presenter = presenterOf(shown, form, clock.now(), query.get('includeObject'));
    const call: Call = { request, query, definition, path, view, form, presenter, warnings };
    return this.#perform(verbOf(request.method, path, query), call);
  }

  #discover(request: Request, { pathname, host }: URL): Answer {
    if (request.method !== 'GET') throw methodNotAllowed();
    const [root, group, version] = pathname.split('/').slice(1);
    const found =
      root === 'version'
        ? this.#options.version
        : root === 'api'
          ? group
            ? this.#catalog.apiResourceList('', group)
            : this.#catalog.apiVersions(host)
          : !group
            ? this.#catalog.apiGroupList()
            : version
              ? this.#catalog.apiResourceList(group, version)
              : this.#catalog.apiGroup(group);
    if (!found) throw resourceUnknown();
    return { code: 200, body: found };
  }

  #perform(verb: Verb, call: Call): Promise<Answer> | Answer {
    if (!isOffered(verb, call)) throw methodNotAllowed();
    switch (verb) {
      case 'get':
        return { code: 200, body: this.#present(call, this.#registry.get(targetOf(call))) };
      case 'list':
        return this.#list(call);
      case 'watch':
        return this.#watch(call);
      case 'create':
        return this.#create(call);
      case 'update':
        return this.#update(call);
      case 'patch':
        return this.#patch(call);
      case 'delete':
        return this.#delete(call);
      case 'deletecollection':
        return this.#deleteCollection(call);
    }
  }

  #list({ query, definition, path, presenter }: Call): Answer {
    const options = readListOptions(query);
    const listing = listObjects(this.#options.store, definition, path.namespace ?? '', options);
    return { code: 200, body: presenter.list(listing) };
  }

  #watch({ query, definition, path, presenter }: Call): Answer {
    const { store, clock } = this.#options;
    const options = readListOptions(query);
    const { name } = path;
    const namespace = path.namespace ?? '';
    const present = (object: JsonObject): JsonObject => presenter.one(object);
    const body = openWatch({ store, clock, definition, namespace, name, options, present });
    return { code: 200, body };
  }

  async #create(call: Call): Promise<Answer> {
    const { request, query, definition, path, presenter, warnings } = call;
    const { dryRun, fieldValidation } = readWriteOptions(query, 'CreateOptions');
    const body = await readObject(request, definition, fieldValidation);
    warnings.push(...body.warnings, ...(definition.rules.warnings?.(body.object) ?? []));
    const namespace = path.namespace ?? '';
    const object = await this.#registry.create(definition, namespace, body.object, dryRun);
    return { code: 201, body: presenter.one(object) };
  }

  #present({ view, presenter }: Call, object: JsonObject): JsonObject {
    return presenter.one(view ? view.read(object) : object);
  }

  async #update(call: Call): Promise<Answer> {
    const { request, query, definition, path, view, warnings } = call;
    const { dryRun, fieldValidation } = readWriteOptions(query, 'UpdateOptions');
    const body = await readObject(request, view?.definition ?? definition, fieldValidation);
    warnings.push(...body.warnings);
    const object = await this.#registry.update({
      ...targetOf(call),
      subresource: path.subresource,
      dryRun,
      change: (old) => (view ? view.write(old, body.object) : body.object),
    });
    return { code: 200, body: this.#present(call, object) };
  }

  async #patch(call: Call): Promise<Answer> {
    const { request, query, path, view, warnings } = call;
    const { dryRun, fieldValidation: validation } = readWriteOptions(query, 'PatchOptions');
    const definition = view?.definition ?? call.definition;
    const type = patchTypeOf(contentTypeOf(request), definition);
    const body = readPatch(new TextDecoder().decode(await readBytes(request)));
    const patch = (before: JsonObject): JsonObject =>
      applyPatch(definition, before, { type, body, validation }, (found) => {
        warnings.splice(0, warnings.length, ...found);
      });
    const object = await this.#registry.update({
      ...targetOf(call),
      subresource: path.subresource,
      dryRun,
      change: (old) => (view ? view.write(old, patch(view.read(old))) : patch(old)),
    });
    return { code: 200, body: this.#present(call, object) };
  }

  async #delete(call: Call): Promise<Answer> {
    const { request, query, definition, path, presenter } = call;
    const options = readDeleteOptions(query, await readOptions(request));
    const { object, isGone, isGraceful } = await this.#registry.remove(targetOf(call), options);
    if (!isGone || isGraceful) return { code: 200, body: presenter.one(object) };
    const { group, resource: kind } = definition;
    const uid = textOf(metadataOf(object)['uid']);
    const details = { name: path.name ?? '', ...(group !== '' && { group }), kind, uid };
    return { code: 200, body: successStatus(details) };
  }

  async #deleteCollection(call: Call): Promise<Answer> {
    const { request, query, definition, path, presenter } = call;
    const { store } = this.#options;
    const deletion = readDeleteOptions(query, await readOptions(request));
    const listing = listObjects(store, definition, path.namespace ?? '', readListOptions(query));
    for (const object of listing.items) {
      const { name, namespace } = metadataOf(object);
      const target = { definition, namespace: textOf(namespace), name: textOf(name) };
      await this.#registry.remove(target, deletion).catch((error: unknown) => {
        // Somebody else was faster: it is gone, which is what was asked for.
        if (!(error instanceof StatusError) || error.code !== 404) throw error;
      });
    }
    return { code: 200, body: presenter.list(listing) };
  }

  #statusOf(error: unknown): StatusError {
    if (error instanceof StatusError) return error;
    this.#options.log.error('A request failed in a way that it should not', { error });
    const hint = error instanceof PodkeepError ? `${error.message} (${error.hint})` : 'see the log';
    return internalError(hint);
  }
}

function verbOf(method: string, { name }: ResourceRequest, query: URLSearchParams): Verb {
  const watches = ['1', 'true'].includes(query.get('watch') ?? '');
  switch (method) {
    case 'GET':
    case 'HEAD':
      return watches ? 'watch' : name === null ? 'list' : 'get';
    case 'POST':
      if (name === null) return 'create';
      break;
    case 'PUT':
      if (name !== null) return 'update';
      break;
    case 'PATCH':
      if (name !== null) return 'patch';
      break;
    case 'DELETE':
      return name === null ? 'deletecollection' : 'delete';
  }
  throw methodNotAllowed();
}

function isOffered(verb: Verb, { definition, path }: Call): boolean {
  if (path.subresource === null) return verbsOf(definition).includes(verb);
  const subresource = definition.subresources?.find(({ name }) => name === path.subresource);
  if (!subresource) throw resourceUnknown();
  return subresource.verbs.includes(verb);
}

function viewOf(
  { subresources }: KindDefinition,
  { subresource }: ResourceRequest,
): View | undefined {
  return subresources?.find(({ name }) => name === subresource)?.view;
}

function targetOf({ definition, path }: Call): Target {
  return { definition, namespace: path.namespace ?? '', name: path.name ?? '' };
}

/** Names that would walk through the store instead of naming something in it. */
function checkPathName(name: string | null): void {
  if (name === null) return;
  const complaint =
    name === '.' || name === '..'
      ? `may not be '${name}'`
      : name.includes('/')
        ? "may not contain '/'"
        : name.includes('%')
          ? "may not contain '%'"
          : null;
  if (complaint) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${complaint}`);
}

function respond(
  code: number,
  body: JsonObject | ReadableStream<Uint8Array>,
  { encoding }: AnswerForm,
  warnings: readonly string[],
): Response {
  const headers = new Headers({
    'content-type': `application/${encoding}`,
    'cache-control': 'no-cache, private',
  });
  for (const warning of warnings) headers.append('warning', `299 - ${JSON.stringify(warning)}`);
  if (body instanceof ReadableStream) return new Response(body, { status: code, headers });
  const printed =
    encoding === 'yaml' ? formatYaml(body, { compat: 'yaml-1.1' }) : JSON.stringify(body);
  return new Response(printed, { status: code, headers });
}

function text(code: number, body: string): Response {
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  return new Response(body, { status: code, headers });
}
