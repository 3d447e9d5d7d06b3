/** Starts the nodes of `podkeep up`: those that the data folder and the command line ask for. */
import { createKubeApi } from '../../../client/kube-api.ts';
import { createInProcessTransport } from '../../../client/transport/in-process-transport.ts';
import { systemClock as clock } from '../../../platform/system-clock.ts';
import type { Log } from '../../../ports/log.ts';
import type { OwnLog } from '../../../ports/observe/own-log.ts';
import type { Cluster } from '../../cluster.ts';
import type { KubeletConfig } from '../../config/kubelet-config.ts';
import type { DataFolder } from '../../data-folder.ts';
import type { Io } from '../../io.ts';
import { startLocalNode } from '../local-node.ts';
import { furtherConfig } from './further-config.ts';
import { LocalNodes, type StartRequest } from './local-nodes.ts';
import { planLocalNodes, type NodesOptions } from './plan-local-nodes.ts';
import { nodesHandler } from './nodes-handler.ts';

export interface LocalNodesRequest extends NodesOptions {
  /** Of the command line, for /flagz; absent: it is not served. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly cluster: Cluster;
  readonly folder: DataFolder;
  readonly config: KubeletConfig;
  readonly version: string;
  readonly io: Pick<Io, 'env' | 'err'>;
  readonly log: Log;
  readonly ownLog: OwnLog;
  /** A node accepts pods. */
  readonly onStarted: (name: string, runtime: string) => void;
}

/** It deletes the objects of nodes that are removed. */
const ADMINISTRATOR = { name: 'podkeep:nodes', groups: ['system:masters', 'system:authenticated'] };

export async function startLocalNodes(request: LocalNodesRequest): Promise<LocalNodes> {
  const { cluster, folder, config, io, onStarted } = request;
  const planned = planLocalNodes(request, folder, config);
  const { runtime } = planned;
  const nodes: LocalNodes = new LocalNodes(
    {
      ...planned,
      folder,
      api: administratorOf(request),
      start: async (node) => {
        const started = await startOne(request, runtime, node);
        onStarted(node.name, runtime);
        return started;
      },
      stopPods: async (nodeFolder) => {
        const { stopPodsOfNode } = await import('../../commands/running-pods.ts');
        return stopPodsOfNode(nodeFolder, io);
      },
      removeFolder: async (nodeFolder) => {
        const { removeTree } = await import('../../../kubelet/volumes/teardown/tree-removal.ts');
        await removeTree(nodeFolder);
      },
      checksChanged: () => cluster.nodeHooks.setChecks(nodes.checks),
    },
    planned.nodes,
  );
  await nodes.start();
  cluster.nodeHooks.setHandler(nodesHandler(nodes));
  return nodes;
}

function startOne(
  request: LocalNodesRequest,
  runtime: string,
  { name, isFirst, nodeFolder, slot, podNetworks }: StartRequest,
) {
  const { cluster, folder, config, version, log, ownLog, io, flags } = request;
  return startLocalNode({
    ...cluster,
    name,
    runtime,
    folder,
    nodeFolder,
    slot,
    podNetworks,
    config: isFirst ? config : furtherConfig(config, name),
    version,
    searchPath: io.env['PATH'] ?? '',
    log,
    ownLog,
    ...(flags && { flags }),
    systemBusAddress: io.env['DBUS_SYSTEM_BUS_ADDRESS'],
  });
}

function administratorOf({ cluster, version }: LocalNodesRequest) {
  const transport = createInProcessTransport(cluster.server, { user: ADMINISTRATOR }, clock);
  return createKubeApi(transport, { clock, version });
}
