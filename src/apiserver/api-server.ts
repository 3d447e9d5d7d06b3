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
import { prometheusText } from '../lib/metrics/exposition.ts';
import type { Clock } from '../ports/clock.ts';
import type { ApiRequest, ApiResponse, Connection, HttpHandler } from '../ports/http-handler.ts';
import type { Log } from '../ports/log.ts';
import type { KubeletDialer } from '../ports/kubelet-dialer.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { IdentityRandom } from '../ports/random.ts';
import {
  openAccess,
  type Access,
  type Attributes,
  type User,
  type ClientIdentity,
} from './access.ts';
import type { Actions } from './action.ts';
import { podActions } from './actions/pod-actions.ts';
import { admitAll, type Admission } from './admission/admission.ts';
import { builtInAdmission } from './admission/built-in-admission.ts';
import { mirrorPods } from './admission/mirror-pods.ts';
import { attributesOf, checkPathName, verbOf, type Answer } from './call.ts';
import { Catalog } from './catalog.ts';
import { Connector, type ConnectCall } from './connect/connector.ts';
import { writeRawAnswer } from './connect/raw-answer.ts';
import { CustomKinds } from './custom/custom-kinds.ts';
import { readWhole } from './decode/body.ts';
import { Discovery } from './discovery.ts';
import { FlowControl } from './flow/flow-control.ts';
import { levelOf, type Level } from './flow/priority.ts';
import { bodyWithEnd, withEnd } from './flow/stream-end.ts';
import type { KindDefinition } from './kind.ts';
import { negotiate, type AnswerForm } from './negotiation.ts';
import { textPage, type Page } from './page.ts';
import { presenterOf } from './presentation.ts';
import { printAnswer } from './printing.ts';
import { Registry } from './registry.ts';
import { readUrl, type RequestUrl } from './request-url.ts';
import { readResourcePath, type ResourceRequest } from './request-info.ts';
import { isUnknownPage, partOf } from './route.ts';
import type { ServerParts } from './server-parts.ts';
import {
  accessDenied,
  badRequest,
  forbidden,
  internalError,
  resourceUnknown,
  StatusError,
} from './status.ts';
import { Verbs } from './verbs.ts';

export interface ApiServerOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: IdentityRandom;
  readonly log: Log;
  readonly kinds: readonly KindDefinition[];
  /** What `/version` says. */
  readonly version: JsonObject;
  /** Absent: whoever reaches the server may do everything. */
  readonly access?: (parts: ServerParts) => Access;
  /** Asked after those that every server has. */
  readonly admission?: readonly Admission[];
  /** Beyond those on pods. */
  readonly actions?: (parts: ServerParts) => Actions;
  readonly pages?: (parts: ServerParts) => readonly Page[];
  /** The way to kubelets and pods; absent: what needs it is answered with 503. */
  readonly kubeletDialer?: KubeletDialer;
}

const NO_ACTIONS: Actions = new Map();

export class ApiServer implements HttpHandler {
  readonly parts: ServerParts;
  readonly #access: Access;
  readonly #verbs: Verbs;
  readonly #pages: readonly Page[];
  readonly #connector: Connector;
  readonly #flow: FlowControl;
  readonly #metrics: Page = (_request, { pathname }) => {
    if (pathname !== '/metrics') return null;
    const headers = [['content-type', prometheusText.contentType] as const];
    return { status: 200, headers, body: prometheusText.expose(this.#flow.metrics.read()) };
  };

  constructor(options: ApiServerOptions) {
    const { store, clock, random, log, kinds, version } = options;
    const plugins = [
      ...builtInAdmission(store, random, clock, log),
      ...(options.admission ?? []),
      mirrorPods,
    ];
    const registry = new Registry({ store, clock, random, admission: admitAll(plugins) });
    const catalog = new Catalog(kinds);
    this.parts = { store, clock, random, log, catalog, registry };
    new CustomKinds(this.parts).start();
    this.#access = options.access?.(this.parts) ?? openAccess;
    const actions = [...podActions(this.parts), ...(options.actions?.(this.parts) ?? NO_ACTIONS)];
    this.#verbs = new Verbs(this.parts, new Map(actions));
    this.#connector = new Connector(this.parts, options.kubeletDialer);
    const discovery = new Discovery(catalog, version);
    this.#flow = new FlowControl(clock);
    this.#pages = [health, this.#metrics, ...(options.pages?.(this.parts) ?? []), discovery.page];
  }

  /** The same answer in the standard's own shape. Its Request has resolved the path already. */
  async fetch(request: Request, clientIdentity: ClientIdentity = {}): Promise<Response> {
    const answer = await this.answer(request, clientIdentity);
    if (answer instanceof Response) return answer;
    const { status, headers, body } = answer;
    return new Response(body, {
      status,
      headers: [...headers].map(([name, value]) => [name, value]),
    });
  }

  async answer(request: ApiRequest, clientIdentity: ClientIdentity = {}): Promise<ApiResponse> {
    const warnings: string[] = [];
    let form: AnswerForm = { encoding: 'json', as: 'object' };
    try {
      const url = readUrl(request.url);
      const user = await this.#access.authenticate(request, clientIdentity);
      const path = readResourcePath(url.pathname);
      if (!path) return await this.#answerPage(request, url, user);
      const verb = verbOf(request.method, path, url.searchParams);
      const wanted = attributesOf(verb, path, url.searchParams);
      this.#authorize(user, wanted);
      const definition = this.parts.catalog.find(path.group, path.version, path.resource);
      if (!definition) return notServed(path, this.parts.catalog);
      if (isUnknownPage(definition, path, verb)) return pageNotFound();
      const level = request.inProcess ? null : levelOf(user, wanted);
      const connection = this.#connectionOf(user, { request, url, path, definition });
      if (connection) return await this.#answerConnection(connection, level, user);
      form = negotiate(request.headers.get('accept'));
      const call = { request, url, user, path, definition, form, warnings };
      return await this.#inTurn(call, level, async (held) => {
        const { code, body } = await this.#answer(held, level);
        return printAnswer(code, body, form, warnings);
      });
    } catch (error) {
      return this.#printError(error, form, warnings);
    }
  }

  async #printError(
    error: unknown,
    form: AnswerForm = { encoding: 'json', as: 'object' },
    warnings: readonly string[] = [],
  ): Promise<ApiResponse> {
    const status = this.#statusOf(error);
    const shown: AnswerForm = { ...form, as: 'object' };
    const answer = await printAnswer(status.code, status.toStatus(), shown, warnings);
    const seconds = status.details?.retryAfterSeconds;
    if (seconds === undefined) return answer;
    const headers = [...answer.headers, ['retry-after', String(seconds)] as const];
    return { status: answer.status, headers, body: answer.body };
  }

  /** The body is read first: a client that sends slowly takes no seat from others. */
  async #inTurn(
    call: ResourceCall,
    level: Level | null,
    perform: (call: ResourceCall) => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    if (level === null) return perform(call);
    const { user } = call;
    const share = call.request.body ? this.#flow.body(level, user) : null;
    try {
      let bytes = 0;
      const count = (more: number): void => {
        bytes += more;
        share?.add(more);
      };
      const request = share ? await readWhole(call.request, count) : call.request;
      const finish = await this.#flow.seat(level, user, bytes);
      try {
        return await perform({ ...call, request });
      } finally {
        finish();
      }
    } finally {
      share?.release();
    }
  }

  /** Logs and proxied answers may go on for hours. */
  async #answerConnection(
    call: ConnectCall,
    level: Level | null,
    user: User,
  ): Promise<ApiResponse> {
    const end = this.#flow.stream(level, user);
    try {
      return withEnd(await this.#connector.answer(call), end);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Answers on the connection itself, and keeps it if the answer is another protocol. */
  async connect(
    request: ApiRequest,
    connection: Connection,
    clientIdentity: ClientIdentity = {},
  ): Promise<void> {
    let answer: ApiResponse;
    try {
      const found = await this.#findConnection(request, clientIdentity);
      if (found) {
        const { call, user, wanted } = found;
        connection.socket.once('close', this.#flow.stream(levelOf(user, wanted), user));
        return await this.#connector.connect(call, connection);
      }
      // Whatever else comes with the wish for another protocol gets a plain answer.
      answer = await this.answer(request, clientIdentity);
    } catch (error) {
      answer = await this.#printError(error);
    }
    await writeRawAnswer(connection.socket, answer);
  }

  async #findConnection(
    request: ApiRequest,
    clientIdentity: ClientIdentity,
  ): Promise<{ call: ConnectCall; user: User; wanted: Attributes } | null> {
    const url = readUrl(request.url);
    const path = readResourcePath(url.pathname);
    const definition = path && this.parts.catalog.find(path.group, path.version, path.resource);
    const part = definition?.subresources?.find(({ name }) => name === path?.subresource);
    if (!path || !definition || !part?.connects || part.connects === 'log') return null;
    const user = await this.#access.authenticate(request, clientIdentity);
    const verb = verbOf(request.method, path, url.searchParams);
    const wanted = attributesOf(verb, path, url.searchParams);
    this.#authorize(user, wanted);
    const call = this.#connectionOf(user, { request, url, path, definition });
    return call && { call, user, wanted };
  }

  /** Null: the request is not one that is handed on. */
  #connectionOf(user: User, call: Omit<ConnectCall, 'part'>): ConnectCall | null {
    const { request, url, path, definition } = call;
    if (!definition.subresources?.some((one) => one.connects && one.name === path.subresource)) {
      return null;
    }
    checkPathName(path.name);
    const verb = verbOf(request.method, path, url.searchParams);
    const part = partOf(definition, path, { verb, isHead: request.method === 'HEAD' });
    if (!part) return null;
    // Browsers can open a WebSocket only with a GET. That must not make a reader one who may act.
    if (part.connects === 'stream' && verb !== 'create') {
      const { isAllowed, reason } = this.#access.authorize(user, attributesOf('create', path));
      if (!isAllowed) throw forbidden(definition, path.name ?? '', reason);
    }
    return { ...call, part };
  }

  async #answerPage(request: ApiRequest, url: RequestUrl, user: User): Promise<ApiResponse> {
    const { method } = request;
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const wanted = { verb, path: url.pathname };
    this.#authorize(user, wanted);
    const level = request.inProcess ? null : levelOf(user, wanted);
    const finish = await this.#flow.seat(level, user);
    try {
      for (const page of this.#pages) {
        const response = await page(request, url);
        if (response) return response;
      }
    } finally {
      finish();
    }
    return pageNotFound();
  }

  #authorize(user: User, wanted: Attributes): void {
    const { isAllowed, reason } = this.#access.authorize(user, wanted);
    if (!isAllowed) throw accessDenied(user.name, wanted, reason);
  }

  async #answer(request: ResourceCall, level: Level | null): Promise<Answer> {
    const { path, definition, form, url, user } = request;
    const query = url.searchParams;
    checkPathName(path.name);
    const { method } = request.request;
    const verb = verbOf(method, path, query);
    const part = partOf(definition, path, { verb, isHead: method === 'HEAD' });
    const shown = part?.view?.definition ?? definition;
    const now = this.parts.clock.now();
    const presenter = presenterOf(shown, form, now, query.get('includeObject'));
    const call = { ...request, query, part, presenter };
    if (verb !== 'watch' && verb !== 'list') return this.#verbs.perform(verb, call);
    const onEnd = this.#flow[verb === 'list' ? 'list' : 'stream'](level, user);
    try {
      const answer = await this.#verbs.perform(verb, { ...call, onEnd });
      return verb === 'list' ? { ...answer, body: bodyWithEnd(answer.body, onEnd) } : answer;
    } catch (error) {
      onEnd();
      throw error;
    }
  }

  #statusOf(error: unknown): StatusError {
    if (error instanceof StatusError) return error;
    // The client is gone, or was too slow: it is not for us to complain of, or for it to hear.
    if (error instanceof PodkeepError && error.code === 'REQUEST_BROKEN_OFF') {
      return badRequest(error.message);
    }
    this.parts.log.error('A request failed in a way that it should not', { error });
    const hint = error instanceof PodkeepError ? `${error.message} (${error.hint})` : 'see the log';
    return internalError(hint);
  }
}

interface ResourceCall {
  readonly request: ApiRequest;
  readonly url: RequestUrl;
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
function notServed({ group, version }: ResourceRequest, catalog: Catalog): ApiResponse {
  if (catalog.apiResourceList(group, version)) throw resourceUnknown();
  return pageNotFound();
}

function pageNotFound(): ApiResponse {
  return textPage(404, '404 page not found\n');
}
