/**
 * The node of `podkeep kubelet`: one of a cluster whose API server is somewhere else, and which it
 * reaches with a kubeconfig.
 */
import { createKubeApi } from '../../client/kube-api.ts';
import { loadKubeconfig } from '../../client/kubeconfig/kubeconfig.ts';
import { createHttpsTransport } from '../../client/transport/https-transport.ts';
import { systemMachine } from '../../platform/machine/system-machine.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { ClosingList } from '../closing-list.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import type { DataFolder } from '../data-folder.ts';
import { openKubeletDoor } from './kubelet-door.ts';
import { handleLater } from './later-handler.ts';
import { startNode, type Node } from './node.ts';

export interface JoinedNodeOptions {
  readonly name: string;
  readonly kubeconfig: string;
  readonly runtime: string | PodRuntime;
  readonly folder: DataFolder;
  readonly config: KubeletConfig;
  readonly version: string;
  readonly searchPath: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

export async function startJoinedNode(options: JoinedNodeOptions): Promise<Node> {
  const closing = new ClosingList();
  try {
    return await start(options, closing);
  } catch (error) {
    await closing.run();
    throw error;
  }
}

async function start(options: JoinedNodeOptions, closing: ClosingList): Promise<Node> {
  const { name, kubeconfig, folder, config, version, environment, log } = options;
  const access = await loadKubeconfig(kubeconfig);
  const transport = createHttpsTransport(access, { clock, log, environment });
  closing.add(() => transport.close());
  let opened: (node: Node) => void = () => {};
  const started = new Promise<Node>((resolve) => (opened = resolve));
  const kubelet = handleLater(async () => (await started).server);
  const { addresses } = await systemMachine().info();
  const door = await openKubeletDoor({
    nodeName: name,
    host: config.address,
    addresses,
    config,
    handler: kubelet,
  });
  closing.add(() => door.close());
  const node = await startNode({
    ...options,
    api: createKubeApi(transport, { clock, version }),
    folder: folder.node,
    hiddenFolders: [folder.root],
    kubeletPort: door.port,
    // The cluster has its own ways from a pod to its services.
    reachable: () => Promise.resolve(),
    apiForPods: () => null,
  });
  closing.add(() => node.close());
  opened(node);
  return { ...node, close: () => closing.run() };
}
