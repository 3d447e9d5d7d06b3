/** `podkeep up` as a child process, and a client with its kubeconfig. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as requestHttps, type RequestOptions } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { bundlePodkeep } from './podkeep-bundle.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const PROGRAM = await bundlePodkeep('up');

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
}

export class PodkeepUp {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly ended: Promise<Ended>;
  out = '';
  err = '';

  /** `launcher`: a program that starts podkeep, such as one that enters a network namespace first. */
  constructor(
    args: readonly string[],
    env: NodeJS.ProcessEnv = process.env,
    launcher: readonly string[] = [],
  ) {
    const [first = '', ...rest] = [...launcher, process.execPath, PROGRAM, 'up', ...args];
    this.child = spawn(first, rest, {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => (this.out += text));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => (this.err += text));
    this.ended = once(this.child, 'close').then(([code, signal]) => ({ code, signal }));
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  /** The first event of this name, as soon as it is printed. Rejects if the process ends before. */
  async event(name: string): Promise<JsonObject> {
    return this.until(() => this.events().find(({ event }) => event === name));
  }

  /** The match in its output, as soon as it is there. Rejects if the process ends before. */
  async until<Found>(find: () => Found | undefined): Promise<Found> {
    let isOver = false;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (isOver) throw new Error(`it ended and only said: ${this.out}${this.err}`);
      isOver = await Promise.race([
        once(this.child.stdout, 'data').then(() => false),
        once(this.child.stderr, 'data').then(() => false),
        this.ended.then(() => true),
      ]);
    }
  }

  events(): readonly JsonObject[] {
    const lines = `${this.out}${this.err}`.split('\n').filter((line) => line.startsWith('{'));
    return lines.flatMap((line) => {
      try {
        const value: unknown = JSON.parse(line);
        return isJsonObject(value) ? [value] : [];
      } catch {
        return []; // the rest of the line has not arrived yet
      }
    });
  }
}

export function startUp(folder: string, ...args: readonly string[]): PodkeepUp {
  const options = ['--data-dir', folder, '--port', '0', '--output', 'json', '--no-node'];
  return new PodkeepUp([...options, ...args]);
}

export class KubeconfigClient {
  readonly server: URL;
  readonly #tls: RequestOptions;

  constructor(file: string) {
    const config = parse(readFileSync(file, 'utf8'));
    const { cluster } = config.clusters[0];
    const { user } = config.users[0];
    this.server = new URL(cluster.server);
    this.#tls = {
      ca: decode(cluster['certificate-authority-data']),
      cert: decode(user['client-certificate-data']),
      key: decode(user['client-key-data']),
    };
  }

  #request(method: string, pathAndQuery: string, options: RequestOptions): ClientRequest {
    const { hostname: host, port } = this.server;
    return requestHttps({
      ...this.#tls,
      host,
      port,
      method,
      path: pathAndQuery,
      agent: false,
      headers: { 'content-type': 'application/json', connection: 'close' },
      ...options,
    });
  }

  /** A request that is never completed. Returns when the server waits for the rest of it. */
  async begin(method: string, pathAndQuery: string): Promise<void> {
    const headers = {
      'content-type': 'application/json',
      'content-length': '10',
      expect: '100-continue',
    };
    const outgoing = this.#request(method, pathAndQuery, { headers });
    outgoing.flushHeaders();
    await once(outgoing, 'continue');
    outgoing.on('error', () => {}); // the server closes it in the end
  }

  async open(method: string, pathAndQuery: string, body?: unknown, options: RequestOptions = {}) {
    const outgoing = this.#request(method, pathAndQuery, options);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(outgoing, 'response');
    const message: IncomingMessage = response;
    return message;
  }

  async send(
    method: string,
    pathAndQuery: string,
    body?: unknown,
    options?: RequestOptions,
  ): Promise<{ readonly code: number; readonly text: string; readonly body: JsonObject }> {
    const message = await this.open(method, pathAndQuery, body, options);
    let text = '';
    for await (const chunk of message.setEncoding('utf8')) text += chunk;
    const isJson = message.headers['content-type']?.includes('json') ?? false;
    const parsed: unknown = isJson ? JSON.parse(text) : {};
    return { code: message.statusCode ?? 0, text, body: isJsonObject(parsed) ? parsed : {} };
  }
}

function decode(text: string): string {
  return Buffer.from(text, 'base64').toString();
}
