/**
 * The node of `podkeep up`: in one process with its API server, which it asks by a call and not over a
 * network.
 */
import type { EmbeddedServer } from '../../apiserver/embedded-server.ts';
import type { Pki } from '../../apiserver/pki/pki.ts';
import { createKubeApi } from '../../client/kube-api.ts';
import { createInProcessTransport } from '../../client/transport/in-process-transport.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import { systemRandom as random } from '../../platform/system-random.ts';
import type { Log } from '../../ports/log.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import type { DataFolder } from '../data-folder.ts';
import { kubernetesVersion } from '../server-version.ts';
import type { LocalNodeDoor } from './local-node-door.ts';
import { startNode, type Node } from './node.ts';
import { PodDoor } from './pod-door.ts';

export interface LocalNodeOptions {
  readonly name: string;
  readonly runtime: string;
  readonly folder: DataFolder;
  readonly config: KubeletConfig;
  readonly server: EmbeddedServer;
  readonly pki: Pki;
  readonly nodeDoor: LocalNodeDoor;
  readonly version: string;
  readonly searchPath: string;
  readonly log: Log;
}

export async function startLocalNode(options: LocalNodeOptions): Promise<Node> {
  const { name, folder, config, server, pki, version, searchPath, log } = options;
  const user = { name: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] };
  const api = createKubeApi(createInProcessTransport(server, { user }), { clock, version });
  const door = new PodDoor({
    handler: server,
    caCert: pki.caCert,
    caKey: pki.caKey,
    clock,
    random,
  });
  const node = await startNode({
    name,
    folder: folder.node,
    hiddenFolders: [folder.root],
    runtime: options.runtime,
    config,
    api,
    version,
    kubeletVersion: kubernetesVersion(version),
    kubeletPort: config.port,
    searchPath,
    log,
    reachable: (address) => door.open(address),
    apiForPods: () => door.address,
  });
  return {
    ...node,
    close: async () => {
      await node.close();
      await door.close();
    },
  };
}
