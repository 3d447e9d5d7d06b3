/**
 * Everything behind `podkeep up`, opened in order and closed in the opposite one.
 *
 *     data folder -> store (which locks it) -> keys -> server -> door -> kubeconfig
 */
import { chooseControllers } from '../apiserver/controllers/chosen-controllers.ts';
import { openEmbeddedServer, type EmbeddedServer } from '../apiserver/embedded-server.ts';
import type { Pki } from '../apiserver/pki/pki.ts';
import { openLmdbStore } from '../apiserver/store/lmdb-store.ts';
import { createNetworkKubeletDialer, type NetworkKubeletDialer } from '../client/kubelet-dialer.ts';
import { openHttpsDoor } from '../platform/https-door.ts';
import { systemClock as clock } from '../platform/system-clock.ts';
import { systemRandom as random } from '../platform/system-random.ts';
import type { AuthorizationMode } from '../apiserver/auth/access-control.ts';
import type { Log } from '../ports/log.ts';
import { ClosingList } from './closing-list.ts';
import { makeDataFolder, type DataFolder } from './data-folder.ts';
import { LocalKubeletDialer } from './node/local-kubelet-dialer.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { openPkiFolder } from './pki-folder.ts';
import { describeVersion } from './server-version.ts';

export interface ClusterOptions {
  readonly folder: DataFolder;
  readonly port: number;
  readonly authorizationMode: AuthorizationMode;
  /** Which controllers run (controllers/chosen-controllers.ts). */
  readonly controllers: string;
  readonly version: string;
  readonly log: Log;
  /** The store is open, at this revision. */
  readonly onOpened: (revision: number) => void;
}

export interface Cluster {
  readonly url: string;
  readonly server: EmbeddedServer;
  readonly pki: Pki;
  /** The way from the API server to the kubelet of this process. */
  readonly kubeletDialer: LocalKubeletDialer;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { folder, log } = options;
  const controllers = chooseControllers(options.controllers);
  makeDataFolder(folder);
  const closing = new ClosingList();
  try {
    const store = await openLmdbStore({ folder: folder.store, clock, log });
    closing.add(() => store.close());
    options.onOpened(store.revision);
    const pki = await openPkiFolder(folder.pki, { clock, random });
    const version = describeVersion(options.version);
    const { caCert, caKey, adminCert: clientCert, adminKey: clientKey } = pki;
    const access = { signingKey: pki.serviceAccountKey, mode: options.authorizationMode };
    const world = { store, clock, random, log };
    let dialer: NetworkKubeletDialer | undefined;
    const kubeletDialer = new LocalKubeletDialer(
      () =>
        (dialer ??= createNetworkKubeletDialer({
          cert: pki.kubeletClientCert,
          key: pki.kubeletClientKey,
          ca: caCert,
          log,
        })),
    );
    closing.add(() => Promise.resolve(dialer?.close()));
    const server = await openEmbeddedServer({
      ...world,
      version,
      access,
      caCert,
      caKey,
      controllers,
      kubeletDialer,
    });
    closing.add(() => server.close());
    const door = await openHttpsDoor({
      handler: server,
      cert: pki.serverCert,
      key: pki.serverKey,
      ca: caCert,
      host: HOST,
      port: options.port,
    });
    closing.add(() => door.close());
    await server.announce({ ip: HOST, port: door.port });
    writeKubeconfig(folder.kubeconfig, { url: door.url, caCert, clientCert, clientKey });
    server.run();
    return { url: door.url, server, pki, kubeletDialer, close: () => closing.run() };
  } catch (error) {
    await closing.run();
    throw error;
  }
}
