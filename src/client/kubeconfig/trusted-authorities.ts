/**
 * Whom podkeep trusts to sign the API server's certificate. A file is read again every minute: when an
 * authority is replaced, the new one stands beside the old for a while, and nobody should have to
 * restart nodes for it. A file that cannot be read just then leaves us what we had.
 */
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { ClusterAccess } from './cluster-access.ts';

const REREAD_MS = 60_000;

export class TrustedAuthorities {
  readonly #file: string | undefined;
  readonly #ports: { readonly clock: Clock; readonly log: Log };
  #pem: string | undefined;
  #readAtMs: number;

  constructor(
    { ca, caFile }: Pick<ClusterAccess, 'ca' | 'caFile'>,
    ports: { readonly clock: Clock; readonly log: Log },
  ) {
    this.#pem = ca;
    this.#file = caFile;
    this.#ports = ports;
    this.#readAtMs = ports.clock.monotonic();
  }

  /** PEM; undefined: those of the system. */
  async current(): Promise<string | undefined> {
    const { clock, log } = this.#ports;
    const nowMs = clock.monotonic();
    if (this.#file === undefined || nowMs - this.#readAtMs < REREAD_MS) return this.#pem;
    this.#readAtMs = nowMs;
    try {
      const pem = await readFile(this.#file, 'utf8');
      if (pem.includes('-----BEGIN ')) this.#pem = pem;
    } catch (error) {
      log.warn('The certificate authority could not be read again; going on with the old one', {
        error,
      });
    }
    return this.#pem;
  }
}
