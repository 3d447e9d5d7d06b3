/**
 * Opens a second listener of the API server, for pods: a pod with its own network cannot reach the machine's
 * loopback address, so the server also listens on the address under which pods reach the machine.
 *
 * No other data folder uses that address, and it stays the same across restarts. So the port can be fixed,
 * and the environment variables of running containers stay correct.
 */
import { issueServerCertificate } from '../../../apiserver/pki/pki.ts';
import { openHttpsListener, type HttpsListener } from '../../../platform/https-listener.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { HttpHandler } from '../../../ports/api/http-handler.ts';
import type { IdentityRandom } from '../../../ports/random.ts';

export interface PodListenerOptions {
  readonly handler: HttpHandler;
  readonly caCert: string;
  readonly caKey: string;
  readonly clock: Clock;
  readonly random: IdentityRandom;
}

export interface ApiAddress {
  readonly host: string;
  readonly port: number;
}

const PORT = 6443;

export class PodListener {
  readonly #options: PodListenerOptions;
  #listener: HttpsListener | null = null;
  #address: ApiAddress | null = null;

  constructor(options: PodListenerOptions) {
    this.#options = options;
  }

  /** The address of the API server for pods. Null: the listener is not open yet. */
  get address(): ApiAddress | null {
    return this.#address;
  }

  /** `host`: the address under which pods reach this machine. */
  async open(host: string): Promise<void> {
    const { handler, caCert, caKey, clock, random } = this.#options;
    const ca = { cert: caCert, key: caKey };
    const { cert, key } = await issueServerCertificate(ca, { clock, random, addresses: [host] });
    this.#listener = await openHttpsListener({ handler, cert, key, ca: caCert, host, port: PORT });
    this.#address = { host, port: this.#listener.port };
  }

  async close(): Promise<void> {
    await this.#listener?.close();
  }
}
