/** Sends one HTTP request over its own connection, and reads the beginning of its response. */
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP } from 'node:net';
import { cutToBytes } from '../../../lib/utf8.ts';
import { addressText, dialedHost } from '../probe-address.ts';
import type { HttpProbeRequest } from './http-request.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly location: string | undefined;
  /** The first 10 KiB of the body. Rejects if it breaks off before. */
  read(): Promise<string>;
  /** Closes the connection, even if the body has not been read completely. */
  close(): void;
}

const BODY_BYTES_MAX = 10_240;
/** The limit of Go's client. */
const HEADER_BYTES_MAX = 10 * 1024 * 1024;

/** Rejects with Node's error; the caller formats the message. */
export function exchange(request: HttpProbeRequest, signal: AbortSignal): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const sent = open(request, signal);
    sent.on('error', reject);
    sent.on('response', (response) => {
      resolve({
        status: response.statusCode ?? 0,
        location: response.headers.location,
        read: () => readHead(response),
        close: () => sent.destroy(),
      });
    });
    // A switch of protocols is an answer, too; Node has a separate event for it.
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      const status = response.statusCode ?? 0;
      resolve({ status, location: undefined, read: async () => '', close: () => undefined });
    });
    sent.end();
  });
}

function open(request: HttpProbeRequest, signal: AbortSignal): http.ClientRequest {
  const { scheme, port, target, hostHeader } = request;
  const host = dialedHost(request);
  // Go sends the port even if it is the default.
  const headers = ['host', bytesOf(hostHeader ?? addressText(request))];
  for (const [name, values] of request.headers) {
    for (const value of values) headers.push(name, bytesOf(value));
  }
  const options: http.RequestOptions = {
    host,
    port,
    path: target.startsWith('/') ? target : `/${target}`,
    method: 'GET',
    headers,
    signal,
    // No pool: each probe shows whether a new connection is possible.
    agent: false,
    setHost: false,
    maxHeaderSize: HEADER_BYTES_MAX,
  };
  if (scheme === 'http') return http.request(options);
  // The server name of TLS is that of the address, not that of the Host header.
  const servername = isIP(host) === 0 ? host : '';
  return https.request({ ...options, servername, rejectUnauthorized: false });
}

/** Go sends text as UTF-8; Node sends one byte for each character. */
function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

async function readHead(response: http.IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= BODY_BYTES_MAX) break;
  }
  return cutToBytes(Buffer.concat(chunks).toString('utf8'), BODY_BYTES_MAX);
}
