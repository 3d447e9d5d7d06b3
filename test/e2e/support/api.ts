/** A small client of a Kubernetes API, for the harness itself. */
import { Agent, request } from 'node:https';
import { parseExactJson, printExactJson } from '../../../src/lib/json-text/exact-json.ts';
import type { Json, JsonObject } from '../../../src/lib/json.ts';
import { readAccess, type Access } from './kubeconfig.ts';

export interface Answer {
  readonly code: number;
  readonly body: JsonObject;
  readonly text: string;
}

const TIMEOUT_MS = 15_000;

export class Api {
  readonly #access: Access;
  readonly #agent: Agent;

  constructor(kubeconfig: string) {
    this.#access = readAccess(kubeconfig);
    const { ca, cert, key } = this.#access;
    this.#agent = new Agent({
      keepAlive: true,
      ca,
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    });
  }

  get(path: string): Promise<Answer> {
    return this.#send('GET', path);
  }

  create(path: string, body: JsonObject): Promise<Answer> {
    return this.#send('POST', path, body, 'application/json');
  }

  patch(path: string, body: Json): Promise<Answer> {
    return this.#send('PATCH', path, body, 'application/merge-patch+json');
  }

  delete(path: string, body: JsonObject): Promise<Answer> {
    return this.#send('DELETE', path, body, 'application/json');
  }

  /** Any request, with a body of any type. */
  send(method: string, path: string, body: Json, type: string): Promise<Answer> {
    return this.#send(method, path, body, type);
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string, body?: Json, type?: string): Promise<Answer> {
    const { server, token } = this.#access;
    const content = body === undefined ? '' : printExactJson(body);
    const headers = {
      accept: 'application/json',
      // Node omits it for a DELETE, whose body would then not be read.
      'content-length': Buffer.byteLength(content),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const options = { method, headers, agent: this.#agent, timeout: TIMEOUT_MS };
    return new Promise((resolve, reject) => {
      const call = request(new URL(path, server), options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('error', reject);
        response.on('end', () => {
          resolve({ code: response.statusCode ?? 0, text, body: readObject(text) });
        });
      });
      call.on('error', reject);
      call.on('timeout', () => call.destroy(new Error(`${method} ${path} took too long`)));
      call.end(content);
    });
  }
}

/** Health is answered with plain text, everything else with an object. */
function readObject(text: string): JsonObject {
  return text.startsWith('{') ? (parseExactJson(text) as JsonObject) : {};
}
