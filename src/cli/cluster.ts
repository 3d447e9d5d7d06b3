/**
 * Starts the embedded API server of `podkeep up` with its store, keys and listener. Parts are opened in this
 * order, and closed in the opposite one:
 *
 *     data folder -> store (which locks it) -> keys -> server -> listener -> kubeconfig
 */
import { chooseControllers } from '../apiserver/controllers/chosen-controllers.ts';
import {
  readNodeCidrs,
  type NodeCidrOptions,
} from '../apiserver/controllers/nodes/node-cidr-settings.ts';
import { openEmbeddedServer, type EmbeddedServer } from '../apiserver/embedded-server.ts';
import type { Pki } from '../apiserver/pki/pki.ts';
import type { Encryption } from '../apiserver/at-rest/encryption.ts';
import { openLmdbStore, type LmdbStore } from '../apiserver/store/lmdb-store.ts';
import { createNetworkKubeletDialer, type NetworkKubeletDialer } from '../client/kubelet-dialer.ts';
import { createWebhookClient } from '../client/webhook-client.ts';
import { measureEventLoopLag } from '../platform/event-loop-lag.ts';
import { openHttpsListener } from '../platform/https-listener.ts';
import { systemClock as clock } from '../platform/system-clock.ts';
import { systemRandom as random } from '../platform/system-random.ts';
import type { AuthorizationMode } from '../apiserver/auth/access-control.ts';
import type { Log } from '../ports/log.ts';
import type { ApiServerOptions } from './api-server-options.ts';
import { openAuditor } from './audit/open-auditor.ts';
import { readEarlierKeys, readKeyFile } from './at-rest/signing-keys.ts';
import { ClosingList } from './closing-list.ts';
import { makeDataFolder, type DataFolder } from './data-folder.ts';
import { frontProxyOf } from './front-proxy/open-front-proxy.ts';
import { diskCheck, eventLoopCheck } from './health-checks.ts';
import { localVolumeFolders } from './node/local-volume-folders.ts';
import { LocalKubeletDialer } from './node/server/local-kubelet-dialer.ts';
import { NodeHooks } from './node/local-nodes/node-hooks.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { openPkiFolder } from './pki-folder.ts';
import { describeVersion } from './server-version.ts';

export interface ClusterOptions extends ApiServerOptions, NodeCidrOptions {
  readonly folder: DataFolder;
  readonly port: number;
  readonly authorizationMode: AuthorizationMode;
  /** Which controllers run (controllers/chosen-controllers.ts). */
  readonly controllers: string;
  /** Of the node that will run in this process; absent: there is none, and no local provisioner. */
  readonly nodeName?: string | undefined;
  readonly version: string;
  readonly log: Log;
  /** Of the command line, for /flagz; absent: it is not served. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Where audit events go if they are to go to stdout. */
  readonly out: (text: string) => void;
  /** The store is open, at this revision. */
  readonly onOpened: (revision: number) => void;
}

export interface Cluster {
  /** The health checks of its nodes, which count in its /healthz, /livez and /readyz too, and their path. */
  readonly nodeHooks: NodeHooks;
  readonly url: string;
  readonly server: EmbeddedServer;
  readonly pki: Pki;
  /** The way from the API server to the kubelets of this process. */
  readonly kubeletDialer: LocalKubeletDialer;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { folder, log, nodeName } = options;
  const controllers = chooseControllers(options.controllers);
  const nodeCidrs = readNodeCidrs(options);
  makeDataFolder(folder);
  const closing = new ClosingList();
  try {
    const store = await openStore(options, closing);
    options.onOpened(store.revision);
    const pki = await openPkiFolder(folder.pki, { clock, random });
    const version = describeVersion(options.version);
    const { caCert, caKey, adminCert: clientCert, adminKey: clientKey } = pki;
    const access = { ...keysOf(options, pki), mode: options.authorizationMode };
    const world = { store, clock, random, log };
    const kubeletDialer = openKubeletDialer(pki, log, closing);
    const webhookClient = createWebhookClient(clock);
    closing.add(() => Promise.resolve(webhookClient.close()));
    const frontProxy = frontProxyOf(folder.pki, { clock, random }, closing);
    const lag = measureEventLoopLag(clock);
    closing.add(() => Promise.resolve(lag.stop()));
    const disk = diskCheck(folder.store, clock, () => false);
    const nodeHooks = new NodeHooks([eventLoopCheck(lag), disk]);
    const auditor = await openAuditor(options, { ...world, out: options.out }, closing);
    const server = await openEmbeddedServer({
      ...world,
      ...(auditor && { auditor }),
      ...(options.flags && { flags: options.flags }),
      version,
      access,
      caCert,
      caKey,
      controllers,
      ...(nodeCidrs && { nodeCidrs }),
      ...(nodeName !== undefined && {
        localVolumes: localVolumeFolders(folder.node, nodeName),
      }),
      kubeletDialer,
      webhookClient,
      frontProxy,
      checks: nodeHooks.checks,
      handler: nodeHooks.handler,
    });
    closing.add(() => server.close());
    const listener = await openHttpsListener({
      handler: server,
      cert: pki.serverCert,
      key: pki.serverKey,
      ca: caCert,
      host: HOST,
      port: options.port,
      portSetting: '--port (0 chooses a free one)',
    });
    closing.add(() => listener.close());
    await server.announce({ ip: HOST, port: listener.port });
    writeKubeconfig(folder.kubeconfig, { url: listener.url, caCert, clientCert, clientKey });
    server.run();
    return { url: listener.url, server, pki, kubeletDialer, nodeHooks, close: () => closing.run() };
  } catch (error) {
    await closing.run();
    throw error;
  }
}

/** Its connections to other machines are opened by the first request that needs one. */
function openKubeletDialer(pki: Pki, log: Log, closing: ClosingList): LocalKubeletDialer {
  let network: NetworkKubeletDialer | undefined;
  closing.add(() => Promise.resolve(network?.close()));
  const { kubeletClientCert: cert, kubeletClientKey: key, caCert: ca } = pki;
  return new LocalKubeletDialer(
    () => (network ??= createNetworkKubeletDialer({ cert, key, ca, log })),
  );
}

async function openStore(options: ClusterOptions, closing: ClosingList): Promise<LmdbStore> {
  const { folder, log, encryptionProviderConfig: file } = options;
  const common = { folder: folder.store, clock, log };
  if (file === undefined) {
    const store = await openLmdbStore(common);
    closing.add(() => store.close());
    return store;
  }
  const { loadEncryptionFile, reloadEncryption } = await import('./at-rest/encryption-file.ts');
  const { encryption, hash } = await loadEncryptionFile(file, random);
  const store = await openLmdbStore({ ...common, encryption });
  closing.add(() => store.close());
  if (options.encryptionProviderConfigAutomaticReload) {
    const use = (changed: Encryption): Promise<void> => store.encryptWith(changed);
    closing.add(reloadEncryption({ file, hash, clock, random, log, use }));
  }
  return store;
}

/** The key that signs tokens, and those that verify them too. */
function keysOf(
  { folder, serviceAccountSigningKeyFile: file, serviceAccountKeyFile = [] }: ClusterOptions,
  pki: Pki,
): { signingKey: string; verifyingKeys: readonly string[] } {
  return {
    signingKey: file === undefined ? pki.serviceAccountKey : readKeyFile(file),
    verifyingKeys: [...readEarlierKeys(folder.pki), ...serviceAccountKeyFile.map(readKeyFile)],
  };
}
