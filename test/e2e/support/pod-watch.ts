/**
 * Watches the pods of a namespace, as any client would, and records every event.
 *
 * It is opened before the first pod is created and never reopened: the comparison would miss what it
 * missed, so a watch that ends early is a failure.
 */
import { request, type RequestOptions } from 'node:https';
import type { ClientRequest } from 'node:http';
import type { Pod } from '../../../src/api/pod.ts';
import { readAccess } from './kubeconfig.ts';

export interface SeenPod {
  readonly type: string;
  readonly object: Pod;
}

const SECONDS_MAX = 1800;

export class PodWatch {
  readonly seen: SeenPod[] = [];
  readonly #call: ClientRequest;
  #failure: Error | undefined;
  #isClosed = false;

  private constructor(kubeconfig: string, namespace: string, opened: () => void) {
    const { server, ca, cert, key, token } = readAccess(kubeconfig);
    // From the server's cache: a server that has just started may have to wait for more.
    const query = `watch=1&resourceVersion=0&timeoutSeconds=${SECONDS_MAX}`;
    const path = `/api/v1/namespaces/${namespace}/pods?${query}`;
    const options: RequestOptions = {
      ca,
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    };
    this.#call = request(new URL(path, server), options, (response) => {
      if (response.statusCode !== 200) this.#fail(`it was answered ${response.statusCode}`);
      let rest = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) this.#see(line);
      });
      response.on('close', () => this.#fail('it ended'));
      opened();
    });
    this.#call.on('error', (error) => {
      this.#fail(error.message);
      opened();
    });
    this.#call.end();
  }

  static async open(kubeconfig: string, namespace: string): Promise<PodWatch> {
    let opened: () => void = () => {};
    const open = new Promise<void>((resolve) => (opened = resolve));
    const watch = new PodWatch(kubeconfig, namespace, opened);
    await open;
    return watch;
  }

  /** The recorded states of a pod, in order. Throws if the watch may have missed some. */
  of(name: string): readonly SeenPod[] {
    if (this.#failure) throw this.#failure;
    return this.seen.filter(({ object }) => object.metadata.name === name);
  }

  close(): void {
    this.#isClosed = true;
    this.#call.destroy();
  }

  #see(line: string): void {
    const { type, object } = JSON.parse(line) as SeenPod;
    if (type === 'ERROR') this.#fail(line);
    else this.seen.push({ type, object });
  }

  #fail(reason: string): void {
    if (!this.#isClosed) this.#failure ??= new Error(`the watch of pods broke: ${reason}`);
  }
}
