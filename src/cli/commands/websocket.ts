/**
 * Opens a WebSocket to the API server with the credentials of the kubeconfig, through the proxy of the
 * kubeconfig or the environment.
 */
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import type { ClientOptions, WebSocket } from 'ws';
import { refusalOf } from '../../client/api-status.ts';
import { apiUnreachable } from '../../client/client-errors.ts';
import type { ClusterAccess } from '../../client/kubeconfig/cluster-access.ts';
import { credentialsOf, type Identity } from '../../client/kubeconfig/credentials.ts';
import { isSocks } from '../../client/transport/connections.ts';
import { proxyFor } from '../../client/transport/proxy-choice.ts';
import { connectSocks, type Destination } from '../../client/transport/socks-tunnel.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import type { Io } from '../io.ts';

export interface WebSocketRequest {
  readonly access: ClusterAccess;
  readonly target: string;
  readonly protocol: string;
  readonly env: Io['env'];
  /** Called before any message can arrive. */
  readonly prepare: (socket: WebSocket) => void;
}

interface TlsOptions {
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
  readonly servername?: string;
  readonly cert?: string;
  readonly key?: string;
}

const HANDSHAKE_MS_MAX = 30_000;

/** Resolves when the connection is open. Rejects if the server refuses it or cannot be reached. */
export async function openWebSocket(
  { access, target, protocol, env, prepare }: WebSocketRequest,
  signal: AbortSignal,
): Promise<void> {
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const identity = await credentialsOf(access.user, { clock, log, environment: env }).current();
  const { WebSocket } = await import('ws');
  const url = `${access.server.replace(/^http/, 'ws')}${target}`;
  const tunnel = await tunnelTo(access, env, identity);
  signal.throwIfAborted();
  const socket = new WebSocket(url, protocol, { ...optionsFor(access, identity), ...tunnel });
  prepare(socket);
  const abort = (): void => socket.terminate();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await opened(socket, access, target);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function opened(socket: WebSocket, access: ClusterAccess, target: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', (error) => {
      reject(apiUnreachable({ server: access.server, reason: error.message }, error));
    });
    socket.once('unexpected-response', (_request, response: IncomingMessage) => {
      const wire = {
        status: response.statusCode ?? 0,
        header: (name: string) => response.headers[name]?.toString() ?? null,
        body: '',
      };
      text(response)
        .then((body) => reject(refusalOf(wire, body, `GET ${target}`, clock.now())))
        .catch(reject)
        .finally(() => socket.terminate());
    });
  });
}

function optionsFor(access: ClusterAccess, identity: Identity): ClientOptions {
  const headers: Record<string, string> = {};
  // A header may occur several times; Node.js accepts lists, although its type does not allow them.
  Object.assign(headers, access.user.headers);
  if (identity.authorization !== undefined) headers['authorization'] = identity.authorization;
  return {
    ...tlsOf(access, identity),
    headers,
    perMessageDeflate: false,
    handshakeTimeout: HANDSHAKE_MS_MAX,
  };
}

function tlsOf(
  { ca, serverName, insecureSkipTlsVerify }: ClusterAccess,
  { cert, key }: Identity,
): TlsOptions {
  return {
    rejectUnauthorized: !insecureSkipTlsVerify,
    ...(ca !== undefined && { ca }),
    ...(serverName !== undefined && { servername: serverName }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}

/** Options for a connection through the proxy (CONNECT). Empty: there is no proxy. */
async function tunnelTo(
  access: ClusterAccess,
  env: Io['env'],
  identity: Identity,
): Promise<ClientOptions> {
  const proxy = access.proxyUrl ?? proxyFor(access.server, env);
  if (proxy === undefined) return {};
  const { hostname, port, protocol } = new URL(access.server);
  const isSecure = protocol === 'https:';
  const socket = await connectThrough(proxy, {
    host: hostname,
    port: Number(port || (isSecure ? 443 : 80)),
  });
  const servername = access.serverName ?? (isIP(hostname) === 0 ? hostname : '');
  const createConnection = (): Socket =>
    isSecure ? connectTls({ ...tlsOf(access, identity), socket, servername }) : socket;
  return { createConnection };
}

async function connectThrough(proxy: string, { host, port }: Destination): Promise<Socket> {
  const destination = `${host}:${port}`;
  if (!isSocks(proxy)) return askForTunnel(proxy, destination);
  return connectSocks(proxy, { host, port }, clock).catch((error: Error) => {
    const server = `${destination} behind ${new URL(proxy).host}`;
    throw apiUnreachable({ server, reason: error.message }, error);
  });
}

function askForTunnel(proxy: string, destination: string): Promise<Socket> {
  const { protocol, hostname: host, port, username, password } = new URL(proxy);
  const request = protocol === 'https:' ? requestHttps : requestHttp;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return new Promise((resolve, reject) => {
    const fail = (reason: string, cause?: unknown): void =>
      reject(apiUnreachable({ server: `${destination} behind ${host}`, reason }, cause));
    request({
      host,
      port: port || (protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: destination,
      headers: {
        host: destination,
        ...(username !== '' && {
          'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}`,
        }),
      },
    })
      .once('connect', ({ statusCode = 0 }, socket) => {
        if (statusCode === 200) return resolve(socket);
        socket.destroy();
        fail(`the proxy answered with ${statusCode}`);
      })
      .once('error', (error) => fail(error.message, error))
      .end();
  });
}

function ignore(): void {}
