/**
 * The embedded API server: a function from a Request to a Response.
 *
 *     who? -> may they? -> a page, or a kind and a verb -> registry, list or watch -> presentation
 *
 * It does not listen anywhere. A socket is one door to it, a test or the kubelet in the same process
 * another. Whatever goes wrong is answered with a metav1.Status, and never with a broken connection.
 */
import type { JsonObject } from '../lib/json.ts';
import { PodkeepError } from '../lib/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { Random } from '../ports/random.ts';
import { openAccess, type Access, type Attributes, type User, type Visitor } from './access.ts';
import type { Actions } from './action.ts';
import { admitAll, type Admission } from './admission/admission.ts';
import { builtInAdmission } from './admission/built-in-admission.ts';
import { attributesOf, checkPathName, partOf, verbOf, type Answer } from './call.ts';
import { Catalog } from './catalog.ts';
import { Discovery } from './discovery.ts';
import type { KindDefinition } from './kind.ts';
import { negotiate, type AnswerForm } from './negotiation.ts';
import { textPage, type Page } from './page.ts';
import { presenterOf } from './presentation.ts';
import { printAnswer } from './printing.ts';
import { Registry } from './registry.ts';
import { readResourcePath, type ResourceRequest } from './request-info.ts';
import type { ServerParts } from './server-parts.ts';
import { accessDenied, internalError, resourceUnknown, StatusError } from './status.ts';
import { Verbs } from './verbs.ts';

export interface ApiServerOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly kinds: readonly KindDefinition[];
  /** What `/version` says. */
  readonly version: JsonObject;
  /** Absent: whoever reaches the server may do everything. */
  readonly access?: (parts: ServerParts) => Access;
  /** Asked after those that every server has. */
  readonly admission?: readonly Admission[];
  readonly actions?: (parts: ServerParts) => Actions;
  readonly pages?: (parts: ServerParts) => readonly Page[];
}

const NO_ACTIONS: Actions = new Map();

export class ApiServer {
  readonly parts: ServerParts;
  readonly #access: Access;
  readonly #verbs: Verbs;
  readonly #pages: readonly Page[];

  constructor(options: ApiServerOptions) {
    const { store, clock, random, log, kinds, version } = options;
    const plugins = [...builtInAdmission(store, random), ...(options.admission ?? [])];
    const registry = new Registry({ store, clock, random, admission: admitAll(plugins) });
    const catalog = new Catalog(kinds);
    this.parts = { store, clock, random, log, catalog, registry };
    this.#access = options.access?.(this.parts) ?? openAccess;
    this.#verbs = new Verbs(this.parts, options.actions?.(this.parts) ?? NO_ACTIONS);
    const discovery = new Discovery(catalog, version);
    this.#pages = [health, ...(options.pages?.(this.parts) ?? []), discovery.page];
  }

  async fetch(request: Request, visitor: Visitor = {}): Promise<Response> {
    const warnings: string[] = [];
    let form: AnswerForm = { encoding: 'json', as: 'object' };
    try {
      const url = new URL(request.url);
      const user = await this.#access.authenticate(request, visitor);
      const path = readResourcePath(url.pathname);
      if (!path) return await this.#answerPage(request, url, user);
      const wanted = attributesOf(verbOf(request.method, path, url.searchParams), path);
      this.#authorize(user, wanted);
      const definition = this.parts.catalog.find(path.group, path.version, path.resource);
      if (!definition) return notServed(path, this.parts.catalog);
      form = negotiate(request.headers.get('accept'));
      const call = { request, url, user, path, definition, form, warnings };
      const { code, body } = await this.#answer(call);
      return printAnswer(code, body, form, warnings);
    } catch (error) {
      const status = this.#statusOf(error);
      return printAnswer(status.code, status.toStatus(), { ...form, as: 'object' }, warnings);
    }
  }

  async #answerPage(request: Request, url: URL, user: User): Promise<Response> {
    const { method } = request;
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    this.#authorize(user, { verb, path: url.pathname });
    for (const page of this.#pages) {
      const response = page(request, url);
      if (response) return response;
    }
    return textPage(404, '404 page not found\n');
  }

  #authorize(user: User, wanted: Attributes): void {
    const { isAllowed, reason } = this.#access.authorize(user, wanted);
    if (!isAllowed) throw accessDenied(user.name, wanted, reason);
  }

  #answer(request: ResourceCall): Promise<Answer> | Answer {
    const { path, definition, form, url } = request;
    const query = url.searchParams;
    checkPathName(path.name);
    const verb = verbOf(request.request.method, path, query);
    const part = partOf(definition, path, verb);
    const shown = part?.view?.definition ?? definition;
    const now = this.parts.clock.now();
    const presenter = presenterOf(shown, form, now, query.get('includeObject'));
    return this.#verbs.perform(verb, { ...request, query, part, presenter });
  }

  #statusOf(error: unknown): StatusError {
    if (error instanceof StatusError) return error;
    this.parts.log.error('A request failed in a way that it should not', { error });
    const hint = error instanceof PodkeepError ? `${error.message} (${error.hint})` : 'see the log';
    return internalError(hint);
  }
}

interface ResourceCall {
  readonly request: Request;
  readonly url: URL;
  readonly user: User;
  readonly path: ResourceRequest;
  readonly definition: KindDefinition;
  readonly form: AnswerForm;
  readonly warnings: string[];
}

const HEALTH = /^\/(?:healthz|livez|readyz)(?:\/|$)/;

const health: Page = (_request, { pathname }) =>
  HEALTH.test(pathname) ? textPage(200, 'ok') : null;

/** A resource that is missing from a version that is there is an error of the API; else no page. */
function notServed({ group, version }: ResourceRequest, catalog: Catalog): Response {
  if (catalog.apiResourceList(group, version)) throw resourceUnknown();
  return textPage(404, '404 page not found\n');
}
