/**
 * The two doors of a kubelet at which nobody is asked who they are:
 *
 *     healthzPort    whether the node is well, for this machine; kubeadm and service managers look there
 *     readOnlyPort   beside that pods, metrics and statistics, for whoever can reach it; off by default
 *
 * Who may use them may read, and that only: no logs, no commands, no configuration.
 */
import { openHttpDoor, type HttpDoor } from '../../platform/http-door.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import type { HttpHandler } from '../../ports/http-handler.ts';
import type { Log } from '../../ports/log.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import { LOCAL_READER } from './kubelet-access.ts';

export interface PlainDoorsOptions {
  readonly config: Pick<
    KubeletConfig,
    'address' | 'readOnlyPort' | 'healthzPort' | 'healthzBindAddress'
  >;
  readonly handler: HttpHandler;
  readonly log: Log;
}

const HEALTH = /^\/healthz(?:\/|$)/;
const READABLE = /^\/(?:healthz|pods|stats|metrics)(?:\/|$)/;
const RETRY_MS = 5000;

/** Resolves at once: a port that is taken is a warning, and is tried again, as with the kubelet. */
export function openPlainDoors({ config, handler, log }: PlainDoorsOptions): {
  readonly close: () => Promise<void>;
} {
  const { address, readOnlyPort, healthzPort, healthzBindAddress } = config;
  const wanted = [
    { host: healthzBindAddress, port: healthzPort, pages: HEALTH },
    { host: address, port: readOnlyPort, pages: READABLE },
  ].filter(({ port }) => port > 0);
  const doors = wanted.map(
    ({ host, port, pages }) =>
      new PlainDoor({ handler: readerOf(handler, pages), host, port }, log),
  );
  for (const door of doors) door.open();
  return { close: async () => void (await Promise.all(doors.map((door) => door.close()))) };
}

class PlainDoor {
  readonly #options: Parameters<typeof openHttpDoor>[0];
  readonly #log: Log;
  #opening: Promise<HttpDoor | null> = Promise.resolve(null);
  #cancel: () => void = () => {};
  #isClosed = false;
  #hasComplained = false;

  constructor(options: Parameters<typeof openHttpDoor>[0], log: Log) {
    this.#options = options;
    this.#log = log;
  }

  open(): void {
    this.#opening = openHttpDoor(this.#options).catch((error: unknown) => {
      const { host, port } = this.#options;
      if (!this.#hasComplained) {
        this.#log.warn('a port of the kubelet cannot be used; trying again', { host, port, error });
      }
      this.#hasComplained = true;
      if (!this.#isClosed) this.#cancel = clock.after(RETRY_MS, () => this.open());
      return null;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const door = await this.#opening;
    this.#cancel();
    await door?.close();
  }
}

function readerOf(handler: HttpHandler, pages: RegExp): HttpHandler {
  const isReadable = (method: string, url: string): boolean =>
    (method === 'GET' || method === 'HEAD') && pages.test(new URL(url).pathname);
  return {
    answer: async (request) =>
      isReadable(request.method, request.url)
        ? handler.answer(request, { user: LOCAL_READER })
        : {
            status: 404,
            headers: [['content-type', 'text/plain; charset=utf-8']],
            body: '404 page not found\n',
          },
    connect: async (_request, { socket }) => void socket.destroy(),
  };
}
