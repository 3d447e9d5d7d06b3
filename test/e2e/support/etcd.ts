/** An etcd of one member, on the loopback interface, with its data in a folder of its own. */
import path from 'node:path';
import { Daemon } from './daemon.ts';
import { findFreePort } from './free-port.ts';
import { findProgram } from './programs.ts';

const READY_MS = 30_000;

export interface Etcd {
  readonly address: string;
  readonly daemon: Daemon;
}

export async function startEtcd(folder: string): Promise<Etcd> {
  const address = `http://127.0.0.1:${await findFreePort()}`;
  const peers = `http://127.0.0.1:${await findFreePort()}`;
  const daemon = new Daemon({
    name: 'etcd',
    command: findProgram('etcd'),
    folder,
    args: [
      '--name=e2e',
      `--data-dir=${path.join(folder, 'etcd')}`,
      `--listen-client-urls=${address}`,
      `--advertise-client-urls=${address}`,
      `--listen-peer-urls=${peers}`,
      `--initial-advertise-peer-urls=${peers}`,
      `--initial-cluster=e2e=${peers}`,
      // Nothing here must survive a power cut, and a sync for each write is what costs the time.
      '--unsafe-no-fsync',
    ],
  });
  try {
    await daemon.waitUntilReady(READY_MS, async () => (await fetch(`${address}/health`)).ok);
    return { address, daemon };
  } catch (error) {
    await daemon.stop();
    throw error;
  }
}
