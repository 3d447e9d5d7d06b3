/**
 * Passes on requests for versions that other API servers serve. This server authorizes the user first, as for
 * every other request, and refuses paths that the other server could read differently
 * (aggregation/remote-path.ts).
 *
 * A body is read before it is passed on, within the limits of its user. The request waits for a seat like any
 * other, but releases the seat as soon as it has got it, because the other server may take long. Until the
 * response ends, the request counts among the streams of its user.
 */
import type { Aggregation } from '../aggregation/aggregation.ts';
import type { ProxyCall } from '../aggregation/api-proxy.ts';
import { asksForWatch, checkRemotePath, readRemotePath } from '../aggregation/remote-path.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { FlowControl } from '../flow/flow-control.ts';
import { levelOf } from '../flow/priority.ts';
import { withEnd } from '../flow/stream-end.ts';
import type { Attributes, ClientIdentity, User } from '../objects/access.ts';
import { badRequest, StatusError } from '../objects/status.ts';
import { attributesOf, verbOf } from '../registry/call.ts';
import { readBytes } from '../requests/body.ts';
import type { ResourceRequest } from '../requests/request-info.ts';
import type { RequestUrl } from '../requests/request-url.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ApiRequest, ApiResponse, Connection } from '../../ports/api/http-handler.ts';

/** A request that another API server answers. */
export interface RemoteRequest {
  readonly apiService: JsonObject;
  readonly path: ResourceRequest | null;
  readonly wanted: Attributes;
}

export interface RemoteClient {
  readonly request: ApiRequest;
  readonly url: RequestUrl;
  readonly user: User;
  readonly identity: ClientIdentity;
  readonly trail: AuditTrail | undefined;
}

/** kube-apiserver's limits for discovery, and for requests that do not run for long. */
const DISCOVERY_MS = 5000;
const REQUEST_MS = 60_000;
const LONG_PARTS: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

export class RemoteRequests {
  readonly #aggregation: Aggregation;
  readonly #flow: FlowControl;

  constructor(aggregation: Aggregation, flow: FlowControl) {
    this.#aggregation = aggregation;
    this.#flow = flow;
  }

  /** Undefined: this server answers itself. Throws a StatusError for a path that could mean two things. */
  find(method: string, url: RequestUrl, path: ResourceRequest | null): RemoteRequest | undefined {
    if (this.#aggregation.isEmpty) return undefined;
    const { pathname } = url;
    const found = readRemotePath(pathname);
    const apiService = found && this.#aggregation.find(found);
    if (!apiService) return undefined;
    const document = `apis/${found.group}/${found.version}`;
    if (found.isDocument && !this.#aggregation.documents().has(document)) return undefined;
    checkRemotePath(pathname, path);
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const wanted = path ? attributesFor(method, url, path) : { verb, path: pathname };
    return { apiService, path, wanted };
  }

  async answer(remote: RemoteRequest, client: RemoteClient): Promise<ApiResponse> {
    const { request, user } = client;
    const level = request.inProcess ? null : levelOf(user, remote.wanted);
    const share = request.body && level !== null ? this.#flow.body(level, user) : null;
    const end = this.#flow.stream(level, user);
    try {
      const body = request.body ? await readBytes(request, (more) => share?.add(more)) : null;
      const { free } = await this.#flow.seat(level, user, body?.byteLength ?? 0);
      free();
      const aggregator = await this.#aggregation.aggregator();
      return withEnd(await aggregator.answer(callOf(remote, client, body)), end);
    } catch (error) {
      end();
      throw error;
    } finally {
      share?.release();
    }
  }

  /** Null: the connection has been answered. */
  async connect(
    remote: RemoteRequest,
    client: RemoteClient,
    connection: Connection,
  ): Promise<ApiResponse | null> {
    const level = levelOf(client.user, remote.wanted);
    connection.socket.once('close', this.#flow.stream(level, client.user));
    const aggregator = await this.#aggregation.aggregator();
    return aggregator.connect(callOf(remote, client, null), connection);
  }
}

function attributesFor(method: string, url: RequestUrl, path: ResourceRequest): Attributes {
  const { searchParams } = url;
  // Two servers may choose a different one of two.
  if (searchParams.getAll('fieldSelector').length > 1) {
    throw badRequest('fieldSelector is given more than once');
  }
  const verb = asksForWatch(method, path, url) ? 'watch' : verbOf(method, path, searchParams);
  return attributesOf(verb, path, searchParams);
}

function callOf(
  { apiService, path, wanted }: RemoteRequest,
  { request, url, user, identity, trail }: RemoteClient,
  body: Uint8Array | null,
): ProxyCall {
  const { method, headers, onClose } = request;
  const search = url.searchParams.toString();
  const isLong = wanted.verb === 'watch' || LONG_PARTS.has(path?.subresource ?? '');
  return {
    apiService,
    method,
    target: `${url.pathname}${search === '' ? '' : `?${search}`}`,
    headers,
    body,
    user,
    address: identity.address,
    host: url.host,
    path: url.pathname,
    auditId: trail?.id,
    onClose,
    limit: isLong ? null : path ? REQUEST_LIMIT : DISCOVERY_LIMIT,
  };
}

const DISCOVERY_LIMIT = {
  ms: DISCOVERY_MS,
  reason: new Error('context deadline exceeded'),
};

const REQUEST_LIMIT = {
  ms: REQUEST_MS,
  reason: new StatusError(
    504,
    'Timeout',
    'Timeout: request did not complete within the allotted timeout',
    {},
  ),
};
