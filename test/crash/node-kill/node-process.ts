/** podkeep as a process to be killed, and a client that expects failures. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { parse as parseYaml } from 'yaml';
import type { JsonObject } from '../../../src/lib/json.ts';

export interface ProcessOptions {
  /** The bundled program. */
  readonly program: string;
  readonly args: readonly string[];
  /** The command that runs it, such as setpriv with its options. */
  readonly wrapper?: readonly string[];
}

export interface Answer {
  readonly code: number;
  readonly text: string;
}

const LOOK_MS = 20;
const ANSWER_MS_MAX = 20_000;

export class NodeProcess {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #ended: Promise<number | string>;
  #given = '';
  #result: number | string | undefined;

  constructor({ program, args, wrapper = [] }: ProcessOptions) {
    const [command, ...rest] = [...wrapper, process.execPath, program, ...args];
    this.#child = spawn(command ?? '', rest, { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.#given += text));
    }
    this.#ended = new Promise((resolve, reject) => {
      this.#child.on('error', reject);
      this.#child.on('close', (code, signal) => {
        this.#result = signal ?? code ?? -1;
        resolve(this.#result);
      });
    });
  }

  get given(): string {
    return this.#given;
  }

  /** How it ended; undefined: it has not. */
  get result(): number | string | undefined {
    return this.#result;
  }

  /** Returns when it has printed this event. Throws if it ends before. */
  async event(name: string): Promise<void> {
    while (!this.#given.includes(`"event":"${name}"`)) {
      if (this.#result !== undefined) throw new Error(`it ended (${this.#result}): ${this.#given}`);
      await delay(LOOK_MS);
    }
  }

  kill(signal: NodeJS.Signals): Promise<number | string> {
    this.#child.kill(signal);
    return this.#ended;
  }

  ended(): Promise<number | string> {
    return this.#ended;
  }
}

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
  }[];
  readonly users: readonly {
    readonly user: {
      readonly 'client-certificate-data': string;
      readonly 'client-key-data': string;
    };
  }[];
}

/** A client of the API, with the kubeconfig that podkeep wrote. */
export class Client {
  readonly #url: string;
  readonly #agent: Agent;

  constructor(dataFolder: string) {
    const text = readFileSync(path.join(dataFolder, 'kubeconfig'), 'utf8');
    const config = parseYaml(text) as Kubeconfig;
    const [{ cluster } = missing('cluster')] = config.clusters;
    const [{ user } = missing('user')] = config.users;
    this.#url = cluster.server;
    this.#agent = new Agent({
      keepAlive: true,
      ca: decode(cluster['certificate-authority-data']),
      cert: decode(user['client-certificate-data']),
      key: decode(user['client-key-data']),
    });
  }

  /** Rejects if the connection breaks: then the outcome of the request is unknown. */
  send(method: string, where: string, body?: JsonObject, type = 'json'): Promise<Answer> {
    const headers = { 'content-type': `application/${type}` };
    const options = { method, headers, agent: this.#agent, timeout: ANSWER_MS_MAX };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#url}${where}`, options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.on('error', reject);
        response.on('end', () => resolve({ code: response.statusCode ?? 0, text }));
      });
      sent.on('timeout', () => sent.destroy(new Error(`no answer to ${method} ${where}`)));
      sent.on('error', reject);
      sent.end(body && JSON.stringify(body));
    });
  }

  /** For requests that must succeed. */
  async get<Value>(where: string): Promise<Value> {
    const { code, text } = await this.send('GET', where);
    if (code !== 200) throw new Error(`${code} for ${where}: ${text}`);
    return JSON.parse(text) as Value;
  }

  close(): void {
    this.#agent.destroy();
  }
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}

function missing(what: string): never {
  throw new Error(`the kubeconfig has no ${what}`);
}
