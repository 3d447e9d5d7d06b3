/** A listener with its own authority, and clients of both protocols that trust it. */
import { once } from 'node:events';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { Agent, request as requestHttps, type RequestOptions } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import {
  createAuthority,
  createPki,
  issueNodeCertificate,
  type KeyPair,
  type Pki,
} from '../../src/apiserver/pki/pki.ts';
import type { ListenerLimits } from '../../src/platform/http/limits.ts';
import { openHttpsListener, type HttpsListener } from '../../src/platform/https-listener.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import type {
  ApiRequest,
  ApiResponse,
  HttpHandler,
  ClientIdentity,
} from '../../src/ports/api/http-handler.ts';

export type Answer = (
  request: ApiRequest,
  clientIdentity: ClientIdentity,
) => ApiResponse | Promise<ApiResponse>;

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let shared: Promise<Pki> | undefined;

/** One authority for all tests of a file. */
export function testPki(): Promise<Pki> {
  return (shared ??= createPki({ clock: systemClock, random: seededRandom(1) }));
}

/** The serving certificate of this node's kubelet: signed by the authority of the tests, or by another. */
export async function kubeletPair(
  nodeName: string,
  { isSigned = true, addresses = ['127.0.0.1'] } = {},
): Promise<KeyPair> {
  const options = { clock: systemClock, random: seededRandom(2), names: ['localhost'], addresses };
  const { caCert: cert, caKey: key } = await testPki();
  const authority = isSigned ? { cert, key } : await createAuthority(options);
  return issueNodeCertificate(authority, nodeName, options);
}

export function text(body: string, status = 200): ApiResponse {
  return { status, headers: [['content-type', 'text/plain']], body };
}

export class ListenerHarness {
  readonly listener: HttpsListener;
  readonly pki: Pki;
  readonly agent: Agent;

  private constructor(listener: HttpsListener, pki: Pki) {
    this.listener = listener;
    this.pki = pki;
    this.agent = new Agent({ ca: pki.caCert, keepAlive: true });
  }

  static async open(
    answer: Answer,
    limits: Partial<ListenerLimits> = {},
    connect: HttpHandler['connect'] = async (_request, { socket }) => void socket.destroy(),
    pair?: KeyPair,
  ): Promise<ListenerHarness> {
    const pki = await testPki();
    const handler: HttpHandler = {
      answer: async (request, clientIdentity) => answer(request, clientIdentity),
      connect,
    };
    const { cert, key } = pair ?? { cert: pki.serverCert, key: pki.serverKey };
    const { caCert: ca } = pki;
    const listener = await openHttpsListener({ handler, cert, key, ca, port: 0, limits });
    const harness = new ListenerHarness(listener, pki);
    onTestFinished(async () => {
      harness.agent.destroy();
      await listener.close();
    });
    return harness;
  }

  /** A whole exchange over HTTP/1.1. */
  async http1(options: RequestOptions = {}, body?: string | Buffer): Promise<Answered> {
    const outgoing = requestHttps({
      host: this.listener.host,
      port: this.listener.port,
      agent: this.agent,
      ...options,
    });
    outgoing.end(body);
    const [message] = await once(outgoing, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk);
    const { statusCode: status, headers } = message;
    return { status, headers, body: Buffer.concat(chunks).toString() };
  }

  async session(options: { cert?: string; key?: string } = {}): Promise<ClientHttp2Session> {
    const session = connectHttp2(this.listener.url, { ca: this.pki.caCert, ...options });
    session.on('error', () => {});
    onTestFinished(() => session.destroy());
    await once(session, 'connect');
    return session;
  }

  /** A whole exchange over HTTP/2. */
  async http2(
    headers: Record<string, string> = {},
    body?: string | Buffer,
    session?: ClientHttp2Session,
  ): Promise<Answered> {
    const stream = (session ?? (await this.session())).request(headers, {
      endStream: body === undefined,
    });
    if (body !== undefined) stream.end(body);
    const answered = await Promise.race([
      once(stream, 'response').then(([first]) => first),
      once(stream, 'close').then(() => Promise.reject(new Error('broken off'))),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return {
      status: answered[':status'],
      headers: answered,
      body: Buffer.concat(chunks).toString(),
    };
  }

  /** A bare TLS connection, for clients that misbehave. */
  async socket(): Promise<TLSSocket> {
    const { host, port } = this.listener;
    const socket = connectTls({ host, port, ca: this.pki.caCert, ALPNProtocols: ['http/1.1'] });
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    return socket;
  }
}

/** Everything received until the other side closes. */
export async function readAll(socket: TLSSocket): Promise<string> {
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
  await new Promise((resolve) => socket.once('close', resolve)); // even after an error
  return received;
}

/** Resolves when `count` has not changed for a while: the sender has stopped. */
export async function whenSteady(count: () => number): Promise<number> {
  let [last, turns] = [count(), 0];
  while (turns < 200) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    turns = count() === last ? turns + 1 : 0;
    last = count();
  }
  return last;
}

export const hello: Answer = () => text('hello');

/** Echoes the request. */
export const echo: Answer = async ({ method, url, headers, body }) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  const path = url.slice(url.indexOf('/', 8));
  const given = { method, path, a: headers.get('X-A'), hasBody: body !== null };
  return text(JSON.stringify({ ...given, body: Buffer.concat(chunks).toString() }));
};

/** A stream that records whether it was cancelled, and how often more was requested. */
export class Source {
  pulls = 0;
  readonly cancelled: Promise<void>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly response: ApiResponse;

  constructor(first: Uint8Array, pull?: (controller: ReadableStreamDefaultController) => void) {
    let cancel = (): void => {};
    this.cancelled = new Promise((resolve) => (cancel = resolve));
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
        controller.enqueue(first);
      },
      pull: (controller) => {
        this.pulls += 1;
        pull?.(controller);
      },
      cancel,
    });
    this.response = { status: 200, headers: [], body };
  }

  send(line: string): void {
    this.#controller?.enqueue(Buffer.from(line));
  }

  fail(): void {
    this.#controller?.error(new Error('the disk is gone'));
  }
}

/** The body of an unfinished answer, as it arrives. */
export async function openStream(
  harness: ListenerHarness,
  kind: string,
): Promise<NodeJS.ReadableStream & { destroy(): unknown; setEncoding(encoding: string): unknown }> {
  if (kind === 'h2') {
    const stream = (await harness.session()).request({ ':path': '/' });
    await once(stream, 'response');
    return stream;
  }
  const outgoing = requestHttps({
    host: harness.listener.host,
    port: harness.listener.port,
    agent: harness.agent,
  });
  outgoing.end();
  const [response] = await once(outgoing, 'response');
  return response;
}
