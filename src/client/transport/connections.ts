/**
 * Opens a pool of connections to an API server: direct, through an HTTP proxy (CONNECT), or through a SOCKS
 * proxy.
 *
 * It has no timeouts; callers set them, because a watch may be silent for as long as nothing changes.
 */
import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { callbackify } from 'node:util';
import type { buildConnector, Dispatcher } from 'undici';
import type { Clock } from '../../ports/clock.ts';
import { connectSocks } from './socks-tunnel.ts';

export interface ConnectionOptions {
  /** Such as `https://10.0.0.1:6443`. */
  readonly origin: string;
  readonly proxyUrl: string | undefined;
  readonly tls: TlsOptions;
  readonly clock: Clock;
}

export interface TlsOptions {
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
  readonly servername?: string;
  readonly cert?: string;
  readonly key?: string;
}

const CONNECT_MS_MAX = 10_000;
/** The interval of TCP keep-alive probes. */
const PROBE_SILENCE_MS = 30_000;
const SHARED = { headersTimeout: 0, bodyTimeout: 0, allowH2: false, pipelining: 1 } as const;

/** undici takes a tenth of a second to load, so it is loaded at the first request. */
export async function openConnections(options: ConnectionOptions): Promise<Dispatcher> {
  const { origin, proxyUrl: uri, tls } = options;
  const { Pool, ProxyAgent } = await import('undici');
  if (uri === undefined) {
    const dial = {
      timeout: CONNECT_MS_MAX,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_SILENCE_MS,
    };
    return new Pool(origin, { ...SHARED, connect: { ...tls, ...dial } });
  }
  if (isSocks(uri)) return new Pool(origin, { ...SHARED, connect: dialSocks(uri, options) });
  return new ProxyAgent({ ...SHARED, uri, requestTls: tls, proxyTunnel: true });
}

export function isSocks(proxyUrl: string): boolean {
  return /^socks5h?:/.test(proxyUrl);
}

function dialSocks(proxy: string, options: ConnectionOptions): buildConnector.connector {
  const { origin, tls, clock } = options;
  const { protocol, hostname, port } = new URL(origin);
  const isSecure = protocol === 'https:';
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  const destination = { host, port: port === '' ? (isSecure ? 443 : 80) : Number(port) };
  const dial = callbackify(async (): Promise<Socket> => {
    const socket = await connectSocks(proxy, destination, clock);
    socket.setKeepAlive(true, PROBE_SILENCE_MS);
    if (!isSecure) return socket;
    const servername = isIP(host) === 0 ? host : '';
    const secured = connectTls({ servername, host, ...tls, socket });
    await once(secured, 'secureConnect');
    return secured;
  });
  return (_options, callback) =>
    dial((error, socket) => (error ? callback(error, null) : callback(null, socket)));
}
