/**
 * The node of `podkeep up`: in one process with its API server, which it asks by a call and not over a
 * network. Two doors belong to it: one of the API server for pods, and one of the kubelet's own server
 * for whoever scrapes metrics. Both are for this machine only.
 */
import type { EmbeddedServer } from '../../apiserver/embedded-server.ts';
import type { Pki } from '../../apiserver/pki/pki.ts';
import { createKubeApi } from '../../client/kube-api.ts';
import { createInProcessTransport } from '../../client/transport/in-process-transport.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import { systemRandom as random } from '../../platform/system-random.ts';
import type { Log } from '../../ports/log.ts';
import { ClosingList } from '../closing-list.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import type { DataFolder } from '../data-folder.ts';
import { openKubeletDoor } from './kubelet-door.ts';
import { handleLater } from './later-handler.ts';
import type { LocalKubeletDialer } from './local-kubelet-dialer.ts';
import { startNode, type Node } from './node.ts';
import { openPlainDoors } from './plain-doors.ts';
import { PodDoor } from './pod-door.ts';

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
  readonly log: Log;
}

const LOOPBACK = '127.0.0.1';
/** The kubelet's default, which here is no wish to be found from everywhere. */
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
  const api = createKubeApi(createInProcessTransport(server, { user }, clock), { clock, version });
  const pods = new PodDoor({
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
  const door = await openKubeletDoor({
    nodeName: name,
    host,
    addresses: [LOOPBACK, host],
    config: options.config,
    handler: kubelet,
    log,
    authority: { cert: pki.caCert, key: pki.caKey },
  });
  closing.add(() => door.close());
  const plain = openPlainDoors({
    config: { ...options.config, address: host },
    handler: kubelet,
    log,
  });
  closing.add(() => plain.close());
  const node = await startNode({
    ...options,
    api,
    folder: folder.node,
    hiddenFolders: [folder.root],
    kubeletPort: door.port,
    reachable: (address) => pods.open(address),
    apiForPods: () => pods.address,
  });
  closing.add(() => node.close());
  opened(node);
  kubeletDialer.open(name, node.server);
  return { ...node, close: () => closing.run() };
}
