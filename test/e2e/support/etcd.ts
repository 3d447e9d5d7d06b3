/** An etcd of one member, on the loopback interface, with its data in a folder of its own. */
import path from 'node:path';
import { Daemon } from './daemon.ts';
import { findFreePort } from './free-port.ts';
import { findProgram } from './programs.ts';

const READY_MS = 30_000;

export interface EtcdFiles {
  readonly address: string;
  readonly peers: string;
}

export interface Etcd extends EtcdFiles {
  readonly daemon: Daemon;
}

/** In the folder of an earlier one, it continues with its data. */
export async function startEtcd(folder: string, place?: EtcdFiles): Promise<Etcd> {
  const { address, peers } = place ?? (await findPlace());
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
      // Nothing here must survive a power loss, and syncing each write costs most of the time.
      '--unsafe-no-fsync',
    ],
  });
  try {
    await daemon.waitUntilReady(READY_MS, async () => (await fetch(`${address}/health`)).ok);
    return { address, peers, daemon };
  } catch (error) {
    await daemon.stop();
    throw error;
  }
}

async function findPlace(): Promise<EtcdFiles> {
  const [address, peers] = [await findFreePort(), await findFreePort()];
  return { address: `http://127.0.0.1:${address}`, peers: `http://127.0.0.1:${peers}` };
}
