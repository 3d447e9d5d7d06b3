/**
 * Connects the API server to kubelets and pods over the network, for proxy, logs, exec, attach and
 * port-forward.
 *
 * Requests to kubelets use TLS with a client certificate that has no other purpose. kubelet-agent.ts verifies
 * the kubelet's certificate.
 */
import { Agent as HttpAgent, request as requestHttp, type ClientRequest } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { Readable, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { kubeletAddressOf } from '../api/node-address.ts';
import { defineError } from '../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { ApiRequest, ApiResponse, Connection } from '../ports/api/http-handler.ts';
import type { Log } from '../ports/log.ts';
import type { Backend, KubeletDialer } from '../ports/api/kubelet-dialer.ts';
import { KubeletAgent, type KubeletTarget } from './kubelet-agent.ts';

export interface NetworkKubeletDialerOptions {
  /** The API server's client certificate as PEM. */
  readonly cert: string;
  readonly key: string;
  /** The authority of the cluster. Absent: no certificate of a kubelet can be verified. */
  readonly ca?: string;
  readonly log: Log;
}

export interface NetworkKubeletDialer extends KubeletDialer {
  /** Closes idle connections. */
  close(): void;
}

const nodeUnreachable = defineError<{ reason: string }>({
  code: 'NODE_UNREACHABLE',
  retry: 'backoff',
  message: ({ reason }) => reason,
  hint: () => 'Check that the kubelet runs, and that its Node has the right addresses.',
});

const SECURE_PORT = 443;
const PLAIN_PORT = 80;

export function createNetworkKubeletDialer(
  options: NetworkKubeletDialerOptions,
): NetworkKubeletDialer {
  const kubelets = new KubeletAgent(options);
  // As in kube-apiserver, the certificates of pods behind the proxy are not verified.
  const secure = new HttpsAgent({ keepAlive: true, rejectUnauthorized: false });
  const plain = new HttpAgent({ keepAlive: true });
  const agents = { kubelets, secure, plain };
  return {
    fetch: async (backend, request) => fetchFrom(dial(backend, request, agents), request),
    connect: async (backend, request, connection) =>
      joinTo(dial(backend, request, agents), connection),
    close: () => {
      for (const agent of [kubelets, secure, plain]) agent.destroy();
    },
  };
}

interface Agents {
  readonly kubelets: KubeletAgent;
  readonly secure: HttpsAgent;
  readonly plain: HttpAgent;
}

function dial(backend: Backend, request: ApiRequest, agents: Agents): ClientRequest {
  const { method, headers } = request;
  const at = request.url.indexOf('/', request.url.indexOf('://') + 3);
  const options: RequestOptions = {
    method,
    path: request.url.slice(at),
    headers: Object.fromEntries(headers),
  };
  if (backend.type === 'kubelet') {
    const address = kubeletAddressOf(backend.node);
    if (!address) throw nodeUnreachable({ reason: 'no preferred addresses found' });
    const target: KubeletTarget & RequestOptions = {
      ...options,
      ...address,
      nodeName: nodeNameOf(backend.node),
      isRemote: backend.isRemote ?? false,
    };
    const servername = serverNameOf(address.host);
    return requestHttps({ ...target, servername, agent: agents.kubelets });
  }
  const { scheme, host, port } = backend;
  if (scheme === 'http') {
    return requestHttp({ ...options, host, port: port ?? PLAIN_PORT, agent: agents.plain });
  }
  const servername = serverNameOf(host);
  const agent = agents.secure;
  return requestHttps({ ...options, host, port: port ?? SECURE_PORT, servername, agent });
}

function nodeNameOf({ metadata }: JsonObject): string {
  const name = isJsonObject(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : '';
}

/**
 * Node.js would take the server name from the Host header, so that the client could choose which certificate
 * is accepted. An IP address is not a server name; the certificate is verified for the address directly.
 */
function serverNameOf(host: string): string {
  return isIP(host) === 0 ? host : '';
}

async function fetchFrom(outgoing: ClientRequest, { body }: ApiRequest): Promise<ApiResponse> {
  const arrived = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  // If sending fails, the response fails, too, with a better error.
  if (body) pipeline(Readable.from(body), outgoing).catch(() => {});
  else outgoing.end();
  const message = await arrived.catch(rethrow);
  return {
    status: message.statusCode ?? 502,
    headers: headersOf(message),
    body: Readable.toWeb(message) as ReadableStream<Uint8Array>,
  };
}

/** Headers that concern a single connection, and are not passed on. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
]);

function headersOf({ rawHeaders }: IncomingMessage): readonly (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!HOP_BY_HOP.has(name.toLowerCase())) pairs.push([name.toLowerCase(), value]);
  }
  return pairs;
}

async function joinTo(outgoing: ClientRequest, { socket, head }: Connection): Promise<void> {
  const answer = await new Promise<Upgraded | IncomingMessage>((resolve, reject) => {
    outgoing.once('upgrade', (message, backend, rest) => resolve({ message, backend, rest }));
    outgoing.once('response', resolve).once('error', reject);
    outgoing.end();
  }).catch(rethrow);
  if ('backend' in answer) return join(answer, socket, head);
  const { statusCode = 0 } = answer;
  if (statusCode < 400) {
    answer.destroy();
    throw nodeUnreachable({ reason: `invalid upgrade response: status code ${statusCode}` });
  }
  socket.write(statusLines(answer, 'connection: close\r\n'));
  await pipeline(answer, socket).catch(() => {}); // one of the two is gone
}

interface Upgraded {
  readonly message: IncomingMessage;
  readonly backend: Duplex;
  readonly rest: Uint8Array;
}

/** Copies bytes in both directions; when one end closes, the other is closed. */
async function join({ message, backend, rest }: Upgraded, socket: Duplex, head: Uint8Array) {
  const names = ['connection', 'upgrade'] as const;
  const lines = names.map((name) => `${name}: ${message.headers[name] ?? ''}\r\n`);
  socket.write(statusLines(message, lines.join('')));
  if (rest.byteLength > 0) socket.write(rest);
  if (head.byteLength > 0) backend.write(head);
  await Promise.all([pipeline(backend, socket), pipeline(socket, backend)]).catch(() => {});
  backend.destroy();
  socket.destroy();
}

function statusLines(message: IncomingMessage, connection: string): string {
  const { statusCode = 0, statusMessage = '' } = message;
  const headers = headersOf(message).filter(([name]) => name !== 'upgrade');
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${connection}${lines}\r\n`;
}

function rethrow(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  throw nodeUnreachable({ reason }, error);
}
