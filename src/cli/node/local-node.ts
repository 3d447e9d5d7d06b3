/**
 * A node of `podkeep up`: in one process with its API server, which it calls without a network. It has
 * two listeners: one of the API server for pods, and one of the kubelet's server for clients that scrape
 * metrics. Both serve this machine only.
 */
import type { EmbeddedServer } from '../../apiserver/embedded-server.ts';
import type { Pki } from '../../apiserver/pki/pki.ts';
import { createKubeApi } from '../../client/kube-api.ts';
import { createInProcessTransport } from '../../client/transport/in-process-transport.ts';
import { measuredTransport } from '../../client/transport/measured-transport.ts';
import { KubeletMetrics } from '../../kubelet/metrics/kubelet-metrics.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import { systemRandom as random } from '../../platform/system-random.ts';
import type { Log } from '../../ports/log.ts';
import type { OwnLog } from '../../ports/observe/own-log.ts';
import type { PodNetworks } from '../../runtimes/process/sandbox/pod-networks.ts';
import { ClosingList } from '../closing-list.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import type { DataFolder } from '../data-folder.ts';
import { openKubeletListener } from './server/kubelet-listener.ts';
import { handleLater } from './server/later-handler.ts';
import type { LocalKubeletDialer } from './server/local-kubelet-dialer.ts';
import { startNode, type Node } from './node.ts';
import { openPlainListeners } from './server/plain-listeners.ts';
import { PodListener } from './server/pod-listener.ts';

export interface LocalNodeOptions {
  readonly name: string;
  readonly runtime: string;
  readonly folder: DataFolder;
  readonly config: KubeletConfig;
  readonly server: EmbeddedServer;
  readonly pki: Pki;
  readonly kubeletDialer: LocalKubeletDialer;
  readonly version: string;
  readonly searchPath: string;
  readonly systemBusAddress?: string | undefined;
  readonly log: Log;
  /** Absent: podkeep's own log is not served, and its verbosity cannot be changed. */
  readonly ownLog?: OwnLog;
  /** Of the command line, for /flagz; absent: it is not served. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Where the node keeps its files; absolute. */
  readonly nodeFolder: string;
  /** Which node of this process it is. */
  readonly slot: number;
  readonly podNetworks: PodNetworks;
}

const LOOPBACK = '127.0.0.1';
/** The host in metrics of the client: there is no connection. */
const IN_PROCESS = 'in-process';
/** The kubelet's default, which here does not ask to be reachable from everywhere. */
const ANYWHERE = '0.0.0.0';

export async function startLocalNode(options: LocalNodeOptions): Promise<Node> {
  const closing = new ClosingList();
  try {
    return await start(options, closing);
  } catch (error) {
    await closing.run();
    throw error;
  }
}

async function start(options: LocalNodeOptions, closing: ClosingList): Promise<Node> {
  const { name, folder, server, pki, version, kubeletDialer, log } = options;
  const user = { name: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] };
  const metrics = new KubeletMetrics();
  const calls = createInProcessTransport(server, { user }, clock);
  const transport = measuredTransport(calls, IN_PROCESS, clock, metrics.restClient);
  const api = createKubeApi(transport, { clock, version });
  const pods = new PodListener({
    handler: server,
    caCert: pki.caCert,
    caKey: pki.caKey,
    clock,
    random,
  });
  closing.add(() => pods.close());
  let opened: (node: Node) => void = () => {};
  const started = new Promise<Node>((resolve) => (opened = resolve));
  const kubelet = handleLater(async () => (await started).server);
  const { address } = options.config;
  const host = address === ANYWHERE ? LOOPBACK : address;
  const listener = await openKubeletListener({
    nodeName: name,
    host,
    addresses: [LOOPBACK, host],
    config: options.config,
    handler: kubelet,
    log,
    authority: { cert: pki.caCert, key: pki.caKey },
  });
  closing.add(() => listener.close());
  const plain = openPlainListeners({
    config: { ...options.config, address: host },
    handler: kubelet,
    log,
  });
  closing.add(() => plain.close());
  const node = await startNode({
    ...options,
    api,
    metrics,
    folder: options.nodeFolder,
    hiddenFolders: [folder.root],
    isWithoutDns: true,
    kubeletPort: listener.port,
    reachable: (address) => pods.open(address),
    apiForPods: () => pods.address,
  });
  closing.add(() => node.close());
  opened(node);
  kubeletDialer.open(name, node.server, node.ownsPort);
  closing.add(async () => kubeletDialer.close(name));
  return { ...node, close: () => closing.run() };
}
