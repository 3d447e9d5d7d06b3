/** A client that creates pods on a node, and observes when they become ready or are gone. */
import { connect, type ClientHttp2Session } from 'node:http2';
import { once } from 'node:events';
import type { JsonObject } from '../src/lib/json.ts';
import { BenchClient, credentialsIn } from './apiserver-clients.ts';
import type { NodeProgram } from './node-program.ts';

interface WatchedPod {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

const PODS = '/api/v1/namespaces/default/pods';
const PATIENCE_MS = 120_000;
/** The retry interval while the service account of a new namespace does not exist yet. */
const RETRY_MS = 2;

export class PodHarness {
  readonly #client: BenchClient;
  readonly #session: ClientHttp2Session;
  readonly #readyAt = new Map<string, number>();
  readonly #goneAt = new Map<string, number>();
  readonly #waiters = new Set<() => void>();

  private constructor(client: BenchClient, session: ClientHttp2Session) {
    this.#client = client;
    this.#session = session;
  }

  /** Waits until the program serves the API. */
  static async open(program: NodeProgram, connections = 8): Promise<PodHarness> {
    const { url } = await program.heard('serving');
    const credentials = credentialsIn(program.folder);
    const session = connect(String(url), credentials);
    const harness = new PodHarness(new BenchClient(String(url), credentials, connections), session);
    const stream = session.request({ ':path': `${PODS}?watch=1` });
    let rest = '';
    stream.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) harness.#note(line);
    });
    await once(stream, 'response');
    return harness;
  }

  /** Resolves when the API has accepted the pod, with the time at which the request was sent. */
  async create(pod: JsonObject): Promise<number> {
    const body = JSON.stringify(pod);
    for (const firstMs = performance.now(); ;) {
      const sentMs = performance.now();
      try {
        await this.#client.send('POST', PODS, body);
        return sentMs;
      } catch (error) {
        if (performance.now() - firstMs > PATIENCE_MS) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async delete(name: string): Promise<number> {
    const sentMs = performance.now();
    await this.#client.send('DELETE', `${PODS}/${name}`);
    return sentMs;
  }

  /** Resolves with the time at which the watch showed the pod as ready. */
  ready(name: string): Promise<number> {
    return this.#when(name, 'ready', this.#readyAt);
  }

  gone(name: string): Promise<number> {
    return this.#when(name, 'gone', this.#goneAt);
  }

  close(): void {
    this.#client.close();
    this.#session.destroy();
  }

  #note(line: string): void {
    const now = performance.now();
    const { type, object } = JSON.parse(line) as { type: string; object: WatchedPod };
    const { name } = object.metadata;
    const isReady = object.status?.conditions?.some(
      (each) => each.type === 'Ready' && each.status === 'True',
    );
    if (isReady && !this.#readyAt.has(name)) this.#readyAt.set(name, now);
    if (type === 'DELETED') this.#goneAt.set(name, now);
    for (const waiter of this.#waiters) waiter();
  }

  #when(name: string, what: string, moments: ReadonlyMap<string, number>): Promise<number> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(check);
      };
      const check = (): void => {
        const moment = moments.get(name);
        if (moment === undefined) return;
        settle();
        resolve(moment);
      };
      const timer = setTimeout(() => {
        settle();
        reject(new Error(`pod ${name} was not ${what} after ${PATIENCE_MS / 1000} s`));
      }, PATIENCE_MS);
      this.#waiters.add(check);
      check();
    });
  }
}

/** A pod whose process exits immediately at SIGTERM. */
export function sleepingPod(name: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'main', image: 'sleep', command: ['sleep', '2147483647'] }] },
  };
}
