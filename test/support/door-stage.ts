/** A door with an authority of its own, and clients of both protocols that trust it. */
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
import type { DoorLimits } from '../../src/platform/http/limits.ts';
import { openHttpsDoor, type HttpsDoor } from '../../src/platform/https-door.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import type {
  ApiRequest,
  ApiResponse,
  HttpHandler,
  ClientIdentity,
} from '../../src/ports/http-handler.ts';

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

/** What the kubelet of this node shows: signed by the authority of the tests, or by one of its own. */
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

export class DoorStage {
  readonly door: HttpsDoor;
  readonly pki: Pki;
  readonly agent: Agent;

  private constructor(door: HttpsDoor, pki: Pki) {
    this.door = door;
    this.pki = pki;
    this.agent = new Agent({ ca: pki.caCert, keepAlive: true });
  }

  static async open(
    answer: Answer,
    limits: Partial<DoorLimits> = {},
    connect: HttpHandler['connect'] = async (_request, { socket }) => void socket.destroy(),
    pair?: KeyPair,
  ): Promise<DoorStage> {
    const pki = await testPki();
    const handler: HttpHandler = {
      answer: async (request, clientIdentity) => answer(request, clientIdentity),
      connect,
    };
    const { cert, key } = pair ?? { cert: pki.serverCert, key: pki.serverKey };
    const { caCert: ca } = pki;
    const door = await openHttpsDoor({ handler, cert, key, ca, port: 0, limits });
    const stage = new DoorStage(door, pki);
    onTestFinished(async () => {
      stage.agent.destroy();
      await door.close();
    });
    return stage;
  }

  /** A whole exchange over HTTP/1.1. */
  async http1(options: RequestOptions = {}, body?: string | Buffer): Promise<Answered> {
    const outgoing = requestHttps({
      host: this.door.host,
      port: this.door.port,
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
    const session = connectHttp2(this.door.url, { ca: this.pki.caCert, ...options });
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
    const { host, port } = this.door;
    const socket = connectTls({ host, port, ca: this.pki.caCert, ALPNProtocols: ['http/1.1'] });
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    return socket;
  }
}

/** Everything that comes until the other side closes. */
export async function readAll(socket: TLSSocket): Promise<string> {
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
  await new Promise((resolve) => socket.once('close', resolve)); // even after an error
  return received;
}

/** Resolves when `count` has not changed for a while: whoever should stop has stopped. */
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

/** Says what it was asked. */
export const echo: Answer = async ({ method, url, headers, body }) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  const path = url.slice(url.indexOf('/', 8));
  const said = { method, path, a: headers.get('X-A'), hasBody: body !== null };
  return text(JSON.stringify({ ...said, body: Buffer.concat(chunks).toString() }));
};

/** A stream that says whether it was cancelled, and how often it was asked for more. */
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

/** The body of an answer that goes on, as it comes in. */
export async function openStream(
  stage: DoorStage,
  kind: string,
): Promise<NodeJS.ReadableStream & { destroy(): unknown; setEncoding(encoding: string): unknown }> {
  if (kind === 'h2') {
    const stream = (await stage.session()).request({ ':path': '/' });
    await once(stream, 'response');
    return stream;
  }
  const outgoing = requestHttps({
    host: stage.door.host,
    port: stage.door.port,
    agent: stage.agent,
  });
  outgoing.end();
  const [response] = await once(outgoing, 'response');
  return response;
}
