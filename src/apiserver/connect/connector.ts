/**
 * Forwards exec, attach, portforward, log and proxy requests to their backend: the kubelet of a pod's node,
 * the pod, a pod that a Service selects, or a node.
 *
 *     exec, attach, portforward   only with an upgrade to another protocol
 *     log                         as a stream of plain text
 *     proxy                       request and response unchanged
 *
 * The client has been authorized before. Its credentials are not forwarded.
 */
import { isIP } from 'node:net';
import { kubeletAddressOf } from '../../api/node-address.ts';
import { isGlobalUnicast, isLoopback } from '../../lib/global-unicast.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ApiRequest, ApiResponse, Connection } from '../../ports/api/http-handler.ts';
import type { Backend, KubeletDialer } from '../../ports/api/kubelet-dialer.ts';
import type { User } from '../objects/access.ts';
import type { KindDefinition, Subresource } from '../objects/kind.ts';
import { textAt } from '../objects/field-path.ts';
import { nodes } from '../kinds/core/node.ts';
import type { ResourceRequest } from '../requests/request-info.ts';
import type { RequestUrl } from '../requests/request-url.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { badRequest, StatusError } from '../objects/status.ts';
import { connectOptions } from './connect-options.ts';
import { checkLogOptions } from './log-options.ts';
import { checkLogResponse } from './log-response.ts';
import { NO_HEADERS, withoutSecrets } from './passed-headers.ts';
import { logPath, podAddress, streamPath } from './pod-backend.ts';
import { readPortNumber, readProxyName } from './proxy-name.ts';
import { serviceAddress } from './service-backend.ts';

export interface ConnectCall {
  readonly request: ApiRequest;
  readonly url: RequestUrl;
  readonly path: ResourceRequest;
  readonly definition: KindDefinition;
  readonly part: Subresource;
  readonly user: User;
}

/** The backend, and the path of the request to it. */
interface Way {
  readonly backend: Backend;
  readonly target: string;
}

export class Connector {
  readonly #parts: ServerParts;
  readonly #dialer: KubeletDialer | undefined;

  constructor(parts: ServerParts, dialer: KubeletDialer | undefined) {
    this.#parts = parts;
    this.#dialer = dialer;
  }

  /** Handles a request without a protocol upgrade. Throws a StatusError. */
  async answer(call: ConnectCall): Promise<ApiResponse> {
    const { request, path, part } = call;
    refuseDryRun(call);
    if (part.connects === 'log') return this.#answerLog(call);
    await this.#ask(call);
    const way = await this.#findWay(call);
    if (part.connects === 'stream') throw badRequest('Upgrade request required');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    // Without the trailing slash, relative links on a page would lead out of the proxy.
    if (path.beneath === null && isRead) return redirectInto(call);
    return this.#fetch(way, { ...request, headers: withoutSecrets(request.headers) });
  }

  /**
   * Handles a request with a protocol upgrade. Throws a StatusError if the client has not got a response yet.
   */
  async connect(call: ConnectCall, connection: Connection): Promise<void> {
    const { method, headers } = call.request;
    refuseDryRun(call);
    await this.#ask(call);
    const { backend, target } = await this.#findWay(call);
    const url = urlOf(target);
    const asked = { method, url, headers: withoutSecrets(headers), body: null };
    const dialer = this.#requireDialer();
    await dialer.connect(backend, asked, connection).catch((error: unknown) => {
      throw unreachable(error, 'error dialing backend: ');
    });
  }

  /**
   * Runs admission: webhooks and policies may refuse exec, attach, port-forward and proxy. Reading a log is
   * not subject to admission.
   */
  async #ask({ url, path, definition, part, user }: ConnectCall): Promise<void> {
    const target = { definition, namespace: path.namespace ?? '', name: path.name ?? '' };
    const body = connectOptions(part, url.searchParams, path.beneath);
    const asked = { ...target, subresource: part.name, user, body };
    await this.#parts.registry.askAbout({ ...asked, verb: 'connect' });
  }

  async #findWay(call: ConnectCall): Promise<Way> {
    const { path, url, part } = call;
    const name = path.name ?? '';
    if (part.connects === 'proxy') {
      const search = url.searchParams.toString();
      const target = `${path.beneath ?? '/'}${search === '' ? '' : `?${search}`}`;
      return { backend: await this.#proxied(call, name), target };
    }
    const pod = this.#object(call, name);
    const target = streamPath(pod, part.name, url.searchParams);
    const node = textAt(pod, 'spec.nodeName');
    if (node === '') throw badRequest(`pod ${name} does not have a host assigned`);
    return { backend: this.#kubeletOf(node), target };
  }

  async #proxied(call: ConnectCall, text: string): Promise<Backend> {
    const { definition, path } = call;
    if (definition.kind === 'Service') {
      return serviceAddress(this.#parts, path.namespace ?? '', text);
    }
    if (definition.kind !== nodes.kind) {
      const { name } = readProxyName(text, 'pod');
      const pod = this.#object(call, name);
      const own = isLoopback(textAt(pod, 'status.podIP'))
        ? await this.#dialer?.loopbackAddressesOf?.(path.namespace ?? '', name)
        : [];
      return podAddress(pod, text, own ?? []);
    }
    return this.#proxiedNode(text);
  }

  /**
   * A node reports its own address, so only addresses of other machines are allowed. A kubelet in this
   * process is reached without an address.
   */
  #proxiedNode(text: string): Backend {
    const given = readProxyName(text, 'node');
    const port = readPortNumber(given, text, 'node');
    const kubelet = this.#kubeletOf(given.name);
    const address = kubeletAddressOf(kubelet.node);
    const isKubelet = port === null || port === address?.port;
    if (isKubelet && this.#dialer?.isLocal?.(given.name) === true) return kubelet;
    // The addresses of a host name are checked when the name is resolved; without an address no connection is
    // made.
    if (isKubelet && (!address || isIP(address.host) === 0)) return { ...kubelet, isRemote: true };
    if (!address || !isGlobalUnicast(address.host)) throw badRequest('address not allowed');
    if (isKubelet) return kubelet;
    // A port that is not the kubelet's is treated as a plain address.
    return { type: 'address', scheme: given.scheme, host: address.host, port };
  }

  async #answerLog(call: ConnectCall): Promise<ApiResponse> {
    const { url, path } = call;
    const name = path.name ?? '';
    checkLogOptions(url.searchParams, name);
    const pod = this.#object(call, name);
    const target = logPath(pod, url.searchParams);
    const node = textAt(pod, 'spec.nodeName');
    if (node === '') return { status: 204, headers: [], body: null };
    const way = { backend: this.#kubeletOf(node), target };
    const asked = { method: 'GET', headers: NO_HEADERS, body: null };
    const { body } = await checkLogResponse(await this.#fetch(way, asked), name);
    return { status: 200, headers: [['content-type', 'text/plain']], body };
  }

  async #fetch({ backend, target }: Way, asked: Omit<ApiRequest, 'url'>): Promise<ApiResponse> {
    const { method, headers, body } = asked;
    const dialer = this.#requireDialer();
    return dialer
      .fetch(backend, { method, url: urlOf(target), headers, body })
      .catch((error: unknown) => {
        throw unreachable(error, '');
      });
  }

  #requireDialer(): KubeletDialer {
    if (this.#dialer) return this.#dialer;
    const message = 'this server has no way to its nodes';
    throw new StatusError(503, 'ServiceUnavailable', message);
  }

  #object({ definition, path }: ConnectCall, name: string): JsonObject {
    return this.#parts.registry.get({ definition, namespace: path.namespace ?? '', name });
  }

  #kubeletOf(name: string): Extract<Backend, { type: 'kubelet' }> {
    const node = this.#parts.registry.get({ definition: nodes, namespace: '', name });
    return { type: 'kubelet', node };
  }
}

/** The host is a placeholder: the backend is given separately. */
function urlOf(target: string): string {
  return `https://node${target}`;
}

function refuseDryRun({ url, part }: ConnectCall): void {
  if (part.connects !== 'log' && url.searchParams.has('dryRun')) {
    throw badRequest('dryRun is not supported');
  }
}

function redirectInto({ url }: ConnectCall): ApiResponse {
  const search = url.searchParams.toString();
  const location = `${url.pathname}/${search === '' ? '' : `?${search}`}`;
  return { status: 301, headers: [['location', location]], body: null };
}

/** The API returns why the connection failed. */
function unreachable(error: unknown, prefix: string): StatusError {
  if (error instanceof StatusError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new StatusError(500, '', `${prefix}${why}`);
}
