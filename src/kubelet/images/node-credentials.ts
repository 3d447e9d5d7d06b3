/**
 * Reads the registry credentials of the node itself from Docker's config files. The first file that exists
 * and can be read counts; it is read again after five minutes.
 *
 *     config.json   in the node's folder, ~/.docker, /.docker
 *     .dockercfg    in the node's folder, ~, /         older
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { readRegistryEntries, type RegistryEntry } from './registry-credentials.ts';

export interface NodeCredentialsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Searched in this order. */
  readonly files: readonly string[];
}

const KEPT_MS = 300_000;

/** `nodeFolder`: /var/lib/kubelet for a kubelet. `home`: empty if there is none. */
export function dockerConfigFiles(nodeFolder: string, home: string): readonly string[] {
  const homes = home === '' ? ['/'] : [home, '/'];
  return [
    path.join(nodeFolder, 'config.json'),
    ...homes.map((folder) => path.join(folder, '.docker/config.json')),
    path.join(nodeFolder, '.dockercfg'),
    ...homes.map((folder) => path.join(folder, '.dockercfg')),
  ];
}

export class NodeCredentials {
  readonly #options: NodeCredentialsOptions;
  #entries: Promise<readonly RegistryEntry[]> | null = null;
  #readAtMs = 0;

  constructor(options: NodeCredentialsOptions) {
    this.#options = options;
  }

  /** Concurrent calls share one read. */
  entries(): Promise<readonly RegistryEntry[]> {
    const nowMs = this.#options.clock.monotonic();
    if (this.#entries === null || nowMs - this.#readAtMs >= KEPT_MS) {
      this.#readAtMs = nowMs;
      this.#entries = this.#read();
    }
    return this.#entries;
  }

  async #read(): Promise<readonly RegistryEntry[]> {
    const { files, log } = this.#options;
    for (const file of files) {
      try {
        return readRegistryEntries(await readFile(file, 'utf8'));
      } catch (error) {
        if (!isForUs(error)) continue;
        log.warn('Failed to read registry credentials', { file, error });
      }
    }
    return [];
  }
}

/**
 * No warning for files that do not exist or that this user may not read, because most of these files do not
 * exist.
 */
function isForUs(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EACCES';
}
