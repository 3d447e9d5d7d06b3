/**
 * Sends requests to the API server of an APIService: resolves its Service for each request, and verifies its
 * certificate as the APIService says.
 *
 * Requests that this server makes by itself (discovery, OpenAPI, the end of a namespace) have a limit in bytes
 * and in time.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { readFlag, readNumber, readText } from '../../api/validation/json-reading.ts';
import type { ApiServerBackend, ApiServerDialer } from '../../ports/api/api-server-dialer.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import type { Clock } from '../../ports/clock.ts';
import { readCaBundle } from '../decode/ca-bundle.ts';
import { resolveService, type EndpointDeps } from '../admission/webhooks/service-endpoint.ts';
import { parseJson } from '../decode/json-text.ts';
import { checkTextParts } from '../decode/object-limits.ts';
import type { User } from '../objects/access.ts';
import { structAt } from '../objects/field-path.ts';
import { userHeaders, type HeaderLine } from './forwarded-headers.ts';
import type { OpenFrontProxy } from './front-proxy.ts';

export interface BackendDeps extends EndpointDeps {
  readonly clock: Clock;
  /** Absent: this server has no identity for other API servers. */
  readonly frontProxy: OpenFrontProxy | undefined;
}

export interface BackendCall {
  readonly method?: string;
  readonly path: string;
  readonly user: User;
  /** Absent: JSON. */
  readonly accept?: string;
  readonly body?: JsonObject;
}

export interface BackendAnswer {
  /** The address that was asked, for messages. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** The user of discovery: its group has all rights, so that an answer never depends on roles. */
export const AGGREGATOR: User = { name: 'system:kube-aggregator', groups: ['system:masters'] };

const JSON_TYPE = 'application/json';
const SECURE_PORT = 443;
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** Parsing blocks all other requests: this takes about as long as the largest object of a client. */
const ANSWER_PARTS_MAX = 100_000;
/** kube-aggregator's limit for discovery. */
const CALL_MS_MAX = 5000;

export class BackendClient {
  readonly #deps: BackendDeps;

  constructor(deps: BackendDeps) {
    this.#deps = deps;
  }

  /** Throws an Error that says why there is none. */
  async resolve(apiService: JsonObject): Promise<ApiServerBackend> {
    const { namespace, name, port } = serviceOf(apiService);
    const { host, port: number } = await resolveService(this.#deps, { namespace, name, port });
    const serverName = `${name}.${namespace}.svc`;
    return { host, port: number, serverName, ...trustOf(apiService) };
  }

  async dialer(): Promise<ApiServerDialer> {
    const { frontProxy } = this.#deps;
    if (!frontProxy) throw new Error('this server has no certificate for aggregated API servers');
    return (await frontProxy()).dialer();
  }

  /** Throws an Error with the address and Go's sentence. */
  async call(apiService: JsonObject, call: BackendCall): Promise<BackendAnswer> {
    const backend = await this.resolve(apiService);
    const { method = 'GET', path } = call;
    const url = `https://${bracketed(backend.host)}:${backend.port}${path}`;
    const ended = new AbortController();
    const cancel = this.#deps.clock.after(CALL_MS_MAX, () =>
      ended.abort(new Error('context deadline exceeded')),
    );
    try {
      const dialer = await this.dialer();
      const body = call.body ? Buffer.from(JSON.stringify(call.body)) : null;
      const asked = { method, path, headers: headersOf(call), body, signal: ended.signal };
      const response = await dialer.fetch(backend, asked);
      const { status } = response;
      return { url, status, contentType: typeOf(response), text: await readLimited(response) };
    } catch (error) {
      throw new BackendFailure(url, method, error);
    } finally {
      cancel();
    }
  }
}

/** A call without an answer, as Go's client says it. */
export class BackendFailure extends Error {
  readonly url: string;

  constructor(url: string, method: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const verb = `${method.slice(0, 1)}${method.slice(1).toLowerCase()}`;
    super(`${verb} ${JSON.stringify(url)}: ${why}`, { cause });
    this.url = url;
  }
}

/** The object of an answer. Throws an Error if there is none. */
export function objectOf({ url, status, text }: BackendAnswer): JsonObject {
  if (status !== 200) throw new Error(`bad status from ${url}: ${status}`);
  checkTextParts(text, ANSWER_PARTS_MAX);
  const value = parseJson(text);
  if (!isJsonObject(value)) throw new Error(`the answer of ${url} is no object`);
  return value;
}

export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export function serviceOf(apiService: JsonObject): ServiceName {
  const service = structAt(apiService, 'spec.service');
  const port = readNumber(service['port']) || SECURE_PORT;
  return { namespace: readText(service['namespace']), name: readText(service['name']), port };
}

/** Throws an Error if the bundle holds no certificate: it never falls back to the system's. */
function trustOf(apiService: JsonObject): Pick<ApiServerBackend, 'caBundle' | 'isInsecure'> {
  const spec = structAt(apiService, 'spec');
  const bundle = readText(spec['caBundle']);
  const isInsecure = readFlag(spec['insecureSkipTLSVerify']);
  return { caBundle: bundle === '' ? null : readCaBundle(bundle), isInsecure };
}

function headersOf({ user, accept = JSON_TYPE, body }: BackendCall): readonly HeaderLine[] {
  const type: readonly HeaderLine[] = body ? [['content-type', JSON_TYPE]] : [];
  return [...userHeaders(user), ['accept', accept], ['user-agent', 'podkeep'], ...type];
}

function typeOf({ headers }: ApiResponse): string {
  return [...headers].find(([name]) => name === 'content-type')?.[1] ?? '';
}

async function readLimited({ body }: ApiResponse): Promise<string> {
  if (!(body instanceof ReadableStream)) return body === null ? '' : Buffer.from(body).toString();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) {
      throw new Error(`the response is larger than ${ANSWER_BYTES_MAX} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
