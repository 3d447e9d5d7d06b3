/**
 * Provides the certificate authorities that podkeep trusts for the API server. Their file is read again every
 * minute: while an authority is being replaced, the file has the old and the new one for some time, and a
 * node must use the new one without a restart. If the file cannot be read, the last contents stay in use.
 */
import { readTrustedFile } from '../../lib/trusted-file.ts';
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

  /** PEM. Undefined: the authorities of the system. */
  async current(): Promise<string | undefined> {
    const { clock, log } = this.#ports;
    const nowMs = clock.monotonic();
    if (this.#file === undefined || nowMs - this.#readAtMs < REREAD_MS) return this.#pem;
    this.#readAtMs = nowMs;
    try {
      const pem = readTrustedFile(this.#file);
      if (pem.includes('-----BEGIN ')) this.#pem = pem;
    } catch (error) {
      log.warn('Failed to reload the certificate authority; using the old one', {
        error,
      });
    }
    return this.#pem;
  }
}
