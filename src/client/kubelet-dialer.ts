/**
 * Connects the API server to kubelets and pods over the network, for proxy, logs, exec, attach and
 * port-forward.
 *
 * Requests to kubelets use TLS with a client certificate that has no other purpose. kubelet-agent.ts verifies
 * the kubelet's certificate.
 */
import { Agent as HttpAgent, request as requestHttp, type ClientRequest } from 'node:http';
import type { RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { kubeletAddressOf } from '../api/node-address.ts';
import { defineError } from '../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { ApiRequest } from '../ports/api/http-handler.ts';
import type { Log } from '../ports/log.ts';
import type { Backend, KubeletDialer } from '../ports/api/kubelet-dialer.ts';
import { exchange, joinTo } from './backend-exchange.ts';
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
    fetch: async (backend, request) =>
      exchange(dial(backend, request, agents), request.body).catch(rethrow),
    connect: async (backend, request, connection) =>
      joinTo(dial(backend, request, agents), connection).catch(rethrow),
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

function rethrow(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  throw nodeUnreachable({ reason }, error);
}
