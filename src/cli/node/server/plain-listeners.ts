/**
 * Opens the kubelet's two HTTP listeners without authentication:
 *
 *     healthzPort    the health of the node, for this machine; kubeadm and service managers read it
 *     readOnlyPort   also pods, metrics and stats, for every client that reaches it; off by default
 *
 * Clients may read only these endpoints: no logs, no exec, no configuration.
 */
import { openHttpListener, type HttpListener } from '../../../platform/http-listener.ts';
import { systemClock as clock } from '../../../platform/system-clock.ts';
import type { HttpHandler } from '../../../ports/api/http-handler.ts';
import type { Log } from '../../../ports/log.ts';
import type { KubeletConfig } from '../../config/kubelet-config.ts';
import { LOCAL_READER } from './kubelet-access.ts';

export interface PlainListenersOptions {
  readonly config: Pick<
    KubeletConfig,
    'address' | 'readOnlyPort' | 'healthzPort' | 'healthzBindAddress'
  >;
  readonly handler: HttpHandler;
  readonly log: Log;
}

const HEALTH = /^\/(?:healthz|livez|readyz)(?:\/|$)/;
const READABLE = /^\/(?:healthz|livez|readyz|pods|stats|metrics)(?:\/|$)/;
const RETRY_MS = 5000;

/** Returns immediately. As in the kubelet, a port that is taken is logged and retried. */
export function openPlainListeners({ config, handler, log }: PlainListenersOptions): {
  readonly close: () => Promise<void>;
} {
  const { address, readOnlyPort, healthzPort, healthzBindAddress } = config;
  const wanted = [
    { host: healthzBindAddress, port: healthzPort, pages: HEALTH, field: 'healthzPort' },
    { host: address, port: readOnlyPort, pages: READABLE, field: 'readOnlyPort' },
  ].filter(({ port }) => port > 0);
  const listeners = wanted.map(
    ({ host, port, pages, field }) =>
      new PlainListener(
        {
          handler: readerOf(handler, pages),
          host,
          port,
          portSetting: `the field ${field} of the KubeletConfiguration (--config)`,
        },
        log,
      ),
  );
  for (const listener of listeners) listener.open();
  return {
    close: async () => void (await Promise.all(listeners.map((listener) => listener.close()))),
  };
}

class PlainListener {
  readonly #options: Parameters<typeof openHttpListener>[0];
  readonly #log: Log;
  #opening: Promise<HttpListener | null> = Promise.resolve(null);
  #cancel: () => void = () => {};
  #isClosed = false;
  #hasReported = false;

  constructor(options: Parameters<typeof openHttpListener>[0], log: Log) {
    this.#options = options;
    this.#log = log;
  }

  open(): void {
    this.#opening = openHttpListener(this.#options).catch((error: unknown) => {
      const { host, port } = this.#options;
      if (!this.#hasReported) {
        this.#log.warn('Failed to listen and serve; retrying', { host, port, error });
      }
      this.#hasReported = true;
      if (!this.#isClosed) this.#cancel = clock.after(RETRY_MS, () => this.open());
      return null;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const listener = await this.#opening;
    this.#cancel();
    await listener?.close();
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
