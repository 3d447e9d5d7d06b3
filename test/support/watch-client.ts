/** A client of the query API without a network: it asks, and reads server-sent events. */
import type { NodeQuery } from '../../src/kubelet/query/node-query.ts';
import type { ApiResponse } from '../../src/ports/api/http-handler.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { queryArea } from '../../src/server/query/query-area.ts';
import { readPath } from '../../src/server/request-path.ts';

export interface SentEvent {
  readonly id: string;
  readonly type: string;
  /** JSON. */
  readonly data: string;
}

export type Ask = (
  path: string,
  headers?: Readonly<Record<string, string>>,
) => ApiResponse | Promise<ApiResponse>;

/** Without authentication, which comes before. */
export function askQuery(clock: Clock, query: NodeQuery): Ask {
  const area = queryArea({ clock, query, version: 'v1' });
  return (path, headers = {}) => {
    const url = `https://node1/podkeep/v1/${path}`;
    const read = readPath(url);
    if (read.type !== 'path') throw new Error(`${path} is no path`);
    const request = { method: 'GET', url, headers: new Headers(headers), body: null };
    return area.answer({ request, path: read.path, query: read.query });
  };
}

/** A client of a watch that reads as fast as it can, until it is stopped or cut. */
export class WatchClient {
  readonly events: SentEvent[] = [];
  lastEventId = '';
  failure: unknown = null;
  isPaused = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #resume: () => void = () => {};
  #text = '';

  static async open(
    ask: Ask,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<WatchClient> {
    const { status, body } = await ask(path, headers);
    if (status !== 200 || !(body instanceof ReadableStream)) {
      throw new Error(`${path}: ${status}`);
    }
    return new WatchClient(body);
  }

  private constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
    void this.#read();
  }

  get ids(): readonly string[] {
    return this.events.map(({ id }) => id);
  }

  resume(): void {
    this.isPaused = false;
    this.#resume();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for (;;) {
        if (this.isPaused) await new Promise<void>((resolve) => (this.#resume = resolve));
        const { done, value } = await this.#reader.read();
        if (done) return;
        this.#take(decoder.decode(value, { stream: true }));
      }
    } catch (error) {
      this.failure = error;
    }
  }

  #take(text: string): void {
    const frames = (this.#text + text).split('\n\n');
    this.#text = frames.pop() ?? '';
    for (const frame of frames) {
      const [, id] = /^id: (.*)$/m.exec(frame) ?? [];
      const [, type] = /^event: (.*)$/m.exec(frame) ?? [];
      if (id !== undefined) this.lastEventId = id;
      if (id === undefined || type === undefined) continue;
      this.events.push({ id, type, data: frame.slice(frame.indexOf('data: ') + 'data: '.length) });
    }
  }
}
