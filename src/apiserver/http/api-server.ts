/**
 * The embedded API server: a function from a Request to a Response.
 *
 *     authenticate -> authorize -> a handler, or a kind and a verb -> registry, list or watch -> presentation
 *
 * It does not listen itself: a listener, a test or the kubelet in the same process calls it. Every error is
 * answered with a metav1.Status, never with a broken connection.
 */
import { prometheusText } from '../../lib/metrics/exposition.ts';
import type { Turn } from '../../ports/clock.ts';
import type {
  ApiRequest,
  ApiResponse,
  Connection,
  HttpHandler,
} from '../../ports/api/http-handler.ts';
import {
  openAccess,
  type Access,
  type Attributes,
  type User,
  type ClientIdentity,
} from '../objects/access.ts';
import type { Actions } from '../objects/action.ts';
import { podActions } from '../actions/pod-subresources.ts';
import { Aggregation } from '../aggregation/aggregation.ts';
import { admitAll } from '../registry/admission.ts';
import { builtInAdmission } from '../admission/built-in-admission.ts';
import { createDynamicAdmission } from '../admission/create-dynamic-admission.ts';
import { ParamAccess } from '../admission/policies/param-access.ts';
import { conversionPoster } from '../admission/webhooks/conversion-post.ts';
import { WebhookMetrics } from '../admission/webhooks/webhook-metrics.ts';
import { mirrorPods } from '../admission/mirror-pods.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ApiServerOptions } from './api-server-options.ts';
import type { Auditor } from './auditor.ts';
import { attributesOf, checkPathName, verbOf, type Answer } from '../registry/call.ts';
import { Catalog } from '../registry/catalog.ts';
import { Connector, type ConnectCall } from '../connect/connector.ts';
import { writeRawAnswer } from '../connect/raw-answer.ts';
import { ConversionMetrics } from '../custom/conversion/conversion-metrics.ts';
import { CustomKinds } from '../custom/custom-kinds.ts';
import { readWhole } from '../requests/body.ts';
import { Discovery } from './discovery.ts';
import { FlowControl } from '../flow/flow-control.ts';
import { levelOf, type PriorityLevel } from '../flow/priority.ts';
import { bodyWithEnd, withEnd } from '../flow/stream-end.ts';
import { negotiate, type AnswerForm } from '../requests/negotiation.ts';
import type { PathHandler } from '../requests/path-handler.ts';
import { statusOfFailure } from './failed-request.ts';
import { healthHandler } from './health-handler.ts';
import { notServed, pathNotFound } from './plain-handlers.ts';
import { presenterOf } from '../registry/presentation.ts';
import { printAnswer } from './printing.ts';
import { Registry } from '../registry/registry.ts';
import { readUrl, type RequestUrl } from '../requests/request-url.ts';
import { readResourcePath } from '../requests/request-info.ts';
import { RequestMetrics } from './request-metrics.ts';
import type { ResourceCall } from './resource-call.ts';
import { RemoteRequests } from './remote-requests.ts';
import { isUnknownPath, partOf } from './route.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { accessDenied, forbidden } from '../objects/status.ts';
import { Verbs } from './verbs.ts';

const NO_ACTIONS: Actions = new Map();

export class ApiServer implements HttpHandler {
  readonly parts: ServerParts;
  readonly aggregation: Aggregation;
  readonly #remote: RemoteRequests;
  readonly #access: Access;
  readonly #verbs: Verbs;
  readonly #handlers: readonly PathHandler[];
  readonly #connector: Connector;
  readonly #flow: FlowControl;
  readonly #auditor: Auditor | undefined;
  readonly #metrics: PathHandler = (_request, { pathname }) => {
    if (pathname !== '/metrics') return null;
    const headers = [['content-type', prometheusText.contentType] as const];
    return { status: 200, headers, body: this.#metricsText() };
  };

  readonly #requests: RequestMetrics;
  readonly #webhookMetrics: WebhookMetrics;
  readonly #conversionMetrics: ConversionMetrics;

  constructor(options: ApiServerOptions) {
    const { store, clock, random, log, kinds, version } = options;
    const catalog = new Catalog(kinds);
    // Called late, because the authorizer needs the registry and is created after it.
    const authorize: Access['authorize'] = (user, wanted) => this.#access.authorize(user, wanted);
    const plugins = [
      ...builtInAdmission(store, random, clock, log),
      ...(options.admission ?? []),
      new ParamAccess({ store, catalog, authorize }),
      mirrorPods,
    ];
    this.#webhookMetrics = new WebhookMetrics(clock);
    this.#conversionMetrics = new ConversionMetrics(clock);
    const dynamicAdmission = createDynamicAdmission({
      store,
      clock,
      random,
      log,
      catalog,
      metrics: this.#webhookMetrics,
      client: options.webhookClient,
      dialer: options.kubeletDialer,
      authorize,
    });
    const admission = admitAll(plugins);
    const find = catalog.find.bind(catalog);
    const registry = new Registry({ store, clock, random, admission, dynamicAdmission, find });
    const { frontProxy, webhookClient: client, kubeletDialer: dialer } = options;
    this.aggregation = new Aggregation(store, { frontProxy, dialer });
    const remoteApis = this.aggregation;
    this.parts = { store, clock, random, log, catalog, registry, remoteApis };
    this.aggregation.attach(this.parts);
    const post = conversionPoster({ store, random, client, dialer });
    new CustomKinds(this.parts, { post, metrics: this.#conversionMetrics }).start();
    this.#auditor = options.auditor;
    this.#access = options.access?.(this.parts) ?? openAccess;
    const actions = [...podActions(this.parts), ...(options.actions?.(this.parts) ?? NO_ACTIONS)];
    this.#requests = new RequestMetrics(this.parts);
    this.#verbs = new Verbs(this.parts, new Map(actions), this.#requests, (user, wanted) =>
      this.#authorize(user, wanted, undefined),
    );
    this.#connector = new Connector(this.parts, options.kubeletDialer);
    const discovery = new Discovery(this.parts, version);
    this.#flow = new FlowControl(clock);
    this.#remote = new RemoteRequests(this.aggregation, this.#flow);
    this.#handlers = [
      healthHandler(store, options.checks),
      this.#metrics,
      ...(options.handlers?.(this.parts) ?? []),
      discovery.handler,
    ];
  }

  /** The same response with the types of the fetch standard, whose Request has already resolved the path. */
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
    const trail = this.#auditor?.begin(request, clientIdentity);
    const finish = this.#requests.begin(request);
    const answer = finish(await this.#respond(request, clientIdentity, trail));
    return trail ? trail.finish(answer) : answer;
  }

  #metricsText(): string {
    const flow = prometheusText.expose(this.#flow.metrics.read());
    const webhooks = this.#webhookMetrics.text() + this.#conversionMetrics.text();
    return flow + this.#requests.text() + webhooks;
  }

  async #respond(
    request: ApiRequest,
    clientIdentity: ClientIdentity,
    trail: AuditTrail | undefined,
  ): Promise<ApiResponse> {
    const warnings: string[] = [];
    let form: AnswerForm = { encoding: 'json', as: 'object' };
    try {
      const url = readUrl(request.url);
      const user = await this.#access.authenticate(request, clientIdentity, trail);
      const path = readResourcePath(url.pathname);
      const remote = this.#remote.find(request.method, url, path);
      if (remote) {
        this.#authorize(user, remote.wanted, trail);
        const client = { request, url, user, identity: clientIdentity, trail };
        return await this.#remote.answer(remote, client);
      }
      if (!path) return await this.#answerPath(request, url, user, trail);
      const verb = verbOf(request.method, path, url.searchParams);
      const wanted = attributesOf(verb, path, url.searchParams);
      this.#authorize(user, wanted, trail);
      const definition = this.parts.catalog.find(path.group, path.version, path.resource);
      if (!definition) return notServed(path, this.parts.catalog);
      if (isUnknownPath(definition, path, verb)) return pathNotFound();
      const level = request.inProcess ? null : levelOf(user, wanted);
      const connection = this.#connectionOf(user, { request, url, path, definition });
      if (connection) return await this.#answerConnection(connection, level, user);
      form = negotiate(request.headers.get('accept'));
      const turn: Turn = async () => this.parts.clock.turn?.();
      const asked = { request, url, user, path, definition, form, warnings, turn };
      const call = { ...asked, ...(trail && { trail }) };
      return await this.#inTurn(call, level, async (held) => {
        const { code, body } = await this.#answer(held, level);
        trail?.responded(body);
        return printAnswer(code, body, form, warnings);
      });
    } catch (error) {
      return this.#printError(error, form, warnings, trail);
    }
  }

  async #printError(
    error: unknown,
    form: AnswerForm = { encoding: 'json', as: 'object' },
    warnings: readonly string[] = [],
    trail?: AuditTrail,
  ): Promise<ApiResponse> {
    const status = statusOfFailure(error, this.parts.log, trail);
    trail?.responded(status.toStatus());
    const shown: AnswerForm = { ...form, as: 'object' };
    const answer = await printAnswer(status.code, status.toStatus(), shown, warnings);
    const seconds = status.details?.retryAfterSeconds;
    if (seconds === undefined) return answer;
    const headers = [...answer.headers, ['retry-after', String(seconds)] as const];
    return { status: answer.status, headers, body: answer.body };
  }

  /** Reads the body first, so that a client that sends slowly takes no seat from others. */
  async #inTurn(
    call: ResourceCall,
    level: PriorityLevel | null,
    perform: (call: ResourceCall) => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    if (call.request.inProcess) return perform(call);
    const { user } = call;
    const share = call.request.body && level !== null ? this.#flow.body(level, user) : null;
    try {
      let bytes = 0;
      const count = (more: number): void => {
        bytes += more;
        share?.add(more);
      };
      const request = share ? await readWhole(call.request, count) : call.request;
      const kind = call.definition.storedAs?.webhook ? 'slowSeat' : 'seat';
      const { turn, free } = await this.#flow[kind](level, user, bytes);
      try {
        return await perform({ ...call, request, turn });
      } finally {
        free();
      }
    } finally {
      share?.release();
    }
  }

  /** Logs and proxied responses may last for hours. */
  async #answerConnection(
    call: ConnectCall,
    level: PriorityLevel | null,
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

  /** Responds on the connection itself, and takes the connection over if it is upgraded. */
  async connect(
    request: ApiRequest,
    connection: Connection,
    clientIdentity: ClientIdentity = {},
  ): Promise<void> {
    let answer: ApiResponse;
    const trail = this.#auditor?.begin(request, clientIdentity);
    try {
      if (await this.#connectRemote(request, connection, clientIdentity, trail)) return;
      const found = await this.#findConnection(request, clientIdentity, trail);
      if (found) {
        const { call, user, wanted } = found;
        trail?.upgraded(connection.socket);
        connection.socket.once('close', this.#flow.stream(levelOf(user, wanted), user));
        connection.socket.once('close', this.#requests.upgraded(request));
        return await this.#connector.connect(call, connection);
      }
      // Any other upgrade request gets a plain response.
      answer = await this.answer(request, clientIdentity);
    } catch (error) {
      answer = await this.#printError(error, undefined, [], trail);
      answer = trail?.finish(answer) ?? answer;
    }
    await writeRawAnswer(connection.socket, answer);
  }

  /** False: this server answers itself. */
  async #connectRemote(
    request: ApiRequest,
    connection: Connection,
    identity: ClientIdentity,
    trail: AuditTrail | undefined,
  ): Promise<boolean> {
    const url = readUrl(request.url);
    const path = readResourcePath(url.pathname);
    const remote = path && this.#remote.find(request.method, url, path);
    if (!remote) return false;
    const user = await this.#access.authenticate(request, identity, trail);
    this.#authorize(user, remote.wanted, trail);
    trail?.upgraded(connection.socket);
    connection.socket.once('close', this.#requests.upgraded(request));
    const client = { request, url, user, identity, trail };
    const answer = await this.#remote.connect(remote, client, connection);
    if (answer) await writeRawAnswer(connection.socket, answer);
    return true;
  }

  async #findConnection(
    request: ApiRequest,
    clientIdentity: ClientIdentity,
    trail: AuditTrail | undefined,
  ): Promise<{ call: ConnectCall; user: User; wanted: Attributes } | null> {
    const url = readUrl(request.url);
    const path = readResourcePath(url.pathname);
    const definition = path && this.parts.catalog.find(path.group, path.version, path.resource);
    const part = definition?.subresources?.find(({ name }) => name === path?.subresource);
    if (!path || !definition || !part?.connects || part.connects === 'log') return null;
    const user = await this.#access.authenticate(request, clientIdentity, trail);
    const verb = verbOf(request.method, path, url.searchParams);
    const wanted = attributesOf(verb, path, url.searchParams);
    this.#authorize(user, wanted, trail);
    const call = this.#connectionOf(user, { request, url, path, definition });
    return call && { call, user, wanted };
  }

  /** Null: the request is not forwarded to a backend. */
  #connectionOf(user: User, call: Omit<ConnectCall, 'part' | 'user'>): ConnectCall | null {
    const { request, url, path, definition } = call;
    if (!definition.subresources?.some((one) => one.connects && one.name === path.subresource)) {
      return null;
    }
    checkPathName(path.name);
    const verb = verbOf(request.method, path, url.searchParams);
    const part = partOf(definition, path, { verb, isHead: request.method === 'HEAD' });
    if (!part) return null;
    // Browsers can open a WebSocket only with a GET. The permission to read must not suffice for exec.
    if (part.connects === 'stream' && verb !== 'create') {
      const { isAllowed, reason } = this.#access.authorize(user, attributesOf('create', path));
      if (!isAllowed) throw forbidden(definition, path.name ?? '', reason);
    }
    return { ...call, part, user };
  }

  async #answerPath(
    request: ApiRequest,
    url: RequestUrl,
    user: User,
    trail: AuditTrail | undefined,
  ): Promise<ApiResponse> {
    const { method } = request;
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const wanted = { verb, path: url.pathname };
    this.#authorize(user, wanted, trail);
    const level = request.inProcess ? null : levelOf(user, wanted);
    const { free } = await this.#flow.seat(level, user);
    try {
      for (const handler of this.#handlers) {
        const response = await handler(request, url);
        if (response) return response;
      }
    } finally {
      free();
    }
    return pathNotFound();
  }

  #authorize(user: User, wanted: Attributes, trail: AuditTrail | undefined): void {
    const decision = this.#access.authorize(user, wanted);
    const { isAllowed, reason } = decision;
    trail?.decided(decision);
    if (!isAllowed) throw accessDenied(user.name, wanted, reason);
  }

  async #answer(request: ResourceCall, level: PriorityLevel | null): Promise<Answer> {
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
}
