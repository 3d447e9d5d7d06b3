/** An etcd of one member, on the loopback interface, with its data in a folder of its own. */
import path from 'node:path';
import { Daemon } from './daemon.ts';
import { findFreePort } from './free-port.ts';
import { findProgram } from './programs.ts';

const READY_MS = 30_000;

export interface EtcdPlace {
  readonly address: string;
  readonly peers: string;
}

export interface Etcd extends EtcdPlace {
  readonly daemon: Daemon;
}

/** At a place where one stood before, it goes on with that one's data. */
export async function startEtcd(folder: string, place?: EtcdPlace): Promise<Etcd> {
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
      // Nothing here must survive a power cut, and a sync for each write is what costs the time.
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

async function findPlace(): Promise<EtcdPlace> {
  const [address, peers] = [await findFreePort(), await findFreePort()];
  return { address: `http://127.0.0.1:${address}`, peers: `http://127.0.0.1:${peers}` };
}
