/** Clients that measure podkeep's HTTPS listener, and bare servers to compare it with. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2, type ClientHttp2Stream } from 'node:http2';
import { Agent, createServer, request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { DataFolder } from '../src/cli/data-folder.ts';

export interface Credentials {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export function credentialsIn({ pki }: DataFolder): Credentials {
  const read = (name: string): string => readFileSync(path.join(pki, name), 'utf8');
  return { ca: read('ca.crt'), cert: read('admin.crt'), key: read('admin.key') };
}

export class BenchClient {
  readonly #url: URL;
  readonly #agent: Agent;

  constructor(url: string, credentials: Credentials, connections: number) {
    this.#url = new URL(url);
    this.#agent = new Agent({ ...credentials, keepAlive: true, maxSockets: connections });
  }

  /** Resolves with the number of bytes of the answer. */
  send(method: string, target: string, body?: string): Promise<number> {
    const { hostname: host, port } = this.#url;
    return new Promise((resolve, reject) => {
      const outgoing = requestHttps(
        {
          host,
          port,
          method,
          path: target,
          agent: this.#agent,
          headers: { 'content-type': 'application/json' },
        },
        (response) => {
          let bytes = 0;
          response.on('data', (chunk: Buffer) => (bytes += chunk.length));
          response.on('end', () => {
            const { statusCode = 0 } = response;
            if (statusCode < 300) resolve(bytes);
            else reject(new Error(`${method} ${target} was answered with ${statusCode}`));
          });
        },
      );
      outgoing.on('error', reject).end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A bare server that sends the same bytes over the same TLS: the upper bound of what Node.js can do. */
export async function openBareServer(
  { cert, key }: Pick<Credentials, 'cert' | 'key'>,
  body: Buffer,
): Promise<{ readonly url: string; close(): void }> {
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  const server = createServer({ cert, key }, (request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(200, headers).end(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, close: () => void server.close() };
}

/** Opens watches on one connection; each counts its lines. */
export async function openWatchers(
  url: string,
  credentials: Credentials,
  target: string,
  count: number,
): Promise<{ lines(): number; close(): void }> {
  const session = connectHttp2(url, credentials);
  let lines = 0;
  const streams: ClientHttp2Stream[] = Array.from({ length: count }, () => {
    const stream = session.request({ ':path': target });
    stream.on('data', (chunk: Buffer) => {
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
    });
    return stream;
  });
  await Promise.all(streams.map((stream) => once(stream, 'response')));
  return { lines: () => lines, close: () => session.destroy() };
}
