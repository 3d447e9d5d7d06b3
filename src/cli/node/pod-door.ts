/**
 * The API server's door for pods: a pod with a network of its own does not reach the loopback address
 * of its machine, so the server listens once more where pods see the machine.
 *
 * That address belongs to this data folder alone and stays the same over restarts, so the port can be a
 * fixed one, and what running containers were told at their start stays true.
 */
import { issueServerCertificate } from '../../apiserver/pki/pki.ts';
import { openHttpsDoor, type HttpsDoor } from '../../platform/https-door.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HttpHandler } from '../../ports/http-handler.ts';
import type { IdentityRandom } from '../../ports/random.ts';

export interface PodDoorOptions {
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

export class PodDoor {
  readonly #options: PodDoorOptions;
  #door: HttpsDoor | null = null;
  #address: ApiAddress | null = null;

  constructor(options: PodDoorOptions) {
    this.#options = options;
  }

  /** Where pods find the API server; null: there was no pod yet that would look for it. */
  get address(): ApiAddress | null {
    return this.#address;
  }

  /** `host` is this machine, as pods see it. */
  async open(host: string): Promise<void> {
    const { handler, caCert, caKey, clock, random } = this.#options;
    const ca = { cert: caCert, key: caKey };
    const { cert, key } = await issueServerCertificate(ca, { clock, random, addresses: [host] });
    this.#door = await openHttpsDoor({ handler, cert, key, ca: caCert, host, port: PORT });
    this.#address = { host, port: this.#door.port };
  }

  async close(): Promise<void> {
    await this.#door?.close();
  }
}
