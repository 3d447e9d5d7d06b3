/** `podkeep up` as a process to be killed, and a client that reports its answers. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parse as parseYaml } from 'yaml';
import type { JsonObject } from '../../src/lib/json.ts';

export interface Answer {
  readonly code: number;
  readonly body: JsonObject;
}

interface Kubeconfig {
  readonly clusters: readonly {
    cluster: { server: string; 'certificate-authority-data': string };
  }[];
  readonly users: readonly {
    user: { 'client-certificate-data'?: string; 'client-key-data'?: string; token?: string };
  }[];
}

function argsFor(folder: string): readonly string[] {
  return ['up', '--data-dir', folder, '--port', '0', '--output', 'json', '--no-node'];
}

export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #agent: Agent;
  readonly #url: string;
  readonly #token: string | undefined;
  readonly #ended: Promise<void>;

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#ended = new Promise((resolve) => child.on('close', () => resolve()));
    const file = readFileSync(path.join(folder, 'kubeconfig'), 'utf8');
    const { clusters, users } = parseYaml(file) as Kubeconfig;
    const { cluster } = clusters[0] ?? unexpected('cluster');
    const { user } = users[0] ?? unexpected('user');
    this.#url = cluster.server;
    this.#token = user.token;
    this.#agent = new Agent({
      keepAlive: true,
      ca: decode(cluster['certificate-authority-data']),
      cert: decode(user['client-certificate-data'] ?? ''),
      key: decode(user['client-key-data'] ?? ''),
    });
  }

  /** Kills it so long after its start, whatever it does then. */
  static async killAfter(
    program: string,
    folder: string,
    more: readonly string[],
    lifeMs: number,
  ): Promise<void> {
    const args = [program, ...argsFor(folder), ...more];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    const ended = once(child, 'close');
    const timer = setTimeout(() => child.kill('SIGKILL'), lifeMs);
    await ended;
    clearTimeout(timer);
  }

  /** Resolves when it serves. */
  static async start(
    program: string,
    folder: string,
    more: readonly string[] = [],
  ): Promise<ServerProcess> {
    const child = spawn(process.execPath, [program, ...argsFor(folder), ...more], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let given = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (given += text));
    for await (const line of createInterface({ input: child.stdout })) {
      given += `${line}\n`;
      if (!line.includes('"serving"')) continue;
      child.stdout.resume();
      return new ServerProcess(child, folder);
    }
    throw new Error(`podkeep up ended before it served: ${given}`);
  }

  get pid(): number {
    return this.#child.pid ?? unexpected('pid');
  }

  /** Rejects if the connection breaks: then the outcome of the request is unknown. */
  send(method: string, where: string, body?: JsonObject): Promise<Answer> {
    const headers = {
      'content-type': 'application/json',
      ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.#url}${where}`,
        { method, headers, agent: this.#agent },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
          response.on('error', reject);
          response.on('end', () => {
            const parsed = JSON.parse(text) as JsonObject;
            resolve({ code: response.statusCode ?? 0, body: parsed });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body && JSON.stringify(body));
    });
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    this.#child.kill(signal);
    this.#agent.destroy();
    await this.#ended;
  }
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}

function unexpected(what: string): never {
  throw new Error(`there is no ${what}`);
}
