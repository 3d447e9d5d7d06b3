/**
 * `podkeep up` as a process: the embedded server, as people start it.
 *
 * With PODKEEP_E2E_SOURCE=1 the current source runs, for development; otherwise the last build.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Api } from './api.ts';
import type { RunningApiServer } from './api-server.ts';
import { Daemon } from './daemon.ts';
import { readAccess } from './kubeconfig.ts';
import { makeWorkFolder, removeWorkFolder } from './work-folder.ts';

const READY_MS = 30_000;
const ROOT = path.join(import.meta.dirname, '../../..');

export class PodkeepUp implements RunningApiServer {
  readonly name = 'podkeep';
  readonly folder: string;
  readonly kubeconfig: string;
  readonly #daemon: Daemon;
  #address = '';

  private constructor(options: readonly string[]) {
    this.folder = makeWorkFolder('podkeep');
    const data = path.join(this.folder, 'data');
    this.kubeconfig = path.join(data, 'kubeconfig');
    this.#daemon = new Daemon({
      name: 'podkeep',
      command: process.execPath,
      folder: this.folder,
      args: [
        ...podkeepProgram(),
        'up',
        '--data-dir',
        data,
        '--port',
        '0',
        '--output',
        'json',
        '--no-node',
        ...options,
      ],
    });
  }

  /** `options` are added to those that every test needs. */
  static async start(options: readonly string[] = []): Promise<PodkeepUp> {
    const server = new PodkeepUp(options);
    try {
      await server.#daemon.waitUntilReady(READY_MS, () => server.#answers());
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  get address(): string {
    return this.#address;
  }

  async stop(): Promise<void> {
    await this.#daemon.stop();
    removeWorkFolder(this.folder);
  }

  /** It writes its kubeconfig once it knows its port. */
  async #answers(): Promise<boolean> {
    if (!existsSync(this.kubeconfig)) return false;
    this.#address = readAccess(this.kubeconfig).server;
    const api = new Api(this.kubeconfig);
    try {
      return (await api.get('/readyz')).code === 200;
    } finally {
      api.close();
    }
  }
}

/** The arguments of node for podkeep. */
export function podkeepProgram(): readonly string[] {
  if (!process.env['PODKEEP_E2E_SOURCE']) return [path.join(ROOT, 'bin/podkeep')];
  // By its full path: the process runs in another folder, from which tsx cannot be resolved.
  return ['--import', import.meta.resolve('tsx'), path.join(ROOT, 'src/main.ts')];
}
