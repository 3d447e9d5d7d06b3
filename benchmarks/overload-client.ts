/**
 * The HTTP client of one user of an overloaded server: with its own token and connections, returning answers
 * with their status codes.
 */
import { Agent, request as requestHttps } from 'node:https';

export interface Target {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

export interface Reply {
  readonly code: number;
  readonly text: string;
}

export class TokenClient {
  readonly target: Target;
  readonly #agent: Agent;

  constructor(target: Target, connections: number) {
    this.target = target;
    this.#agent = new Agent({ ca: target.ca, keepAlive: true, maxSockets: connections });
  }

  send(
    method: string,
    path: string,
    body?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    const { hostname: host, port } = new URL(this.target.url);
    const authorization = `Bearer ${this.target.token}`;
    const sent = { 'content-type': 'application/json', authorization, ...headers };
    return new Promise((resolve, reject) => {
      const outgoing = requestHttps(
        { host, port, method, path, agent: this.#agent, headers: sent },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            resolve({ code: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
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
