/**
 * The node of `podkeep kubelet`: one of a cluster whose API server is somewhere else, and which it
 * reaches with a kubeconfig.
 */
import type { Asked } from '../../kubelet/certificates/certificate-request.ts';
import { KubeletMetrics } from '../../kubelet/metrics/kubelet-metrics.ts';
import { systemMachine } from '../../platform/machine/system-machine.ts';
import type { Log } from '../../ports/log.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { ClosingList } from '../closing-list.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import type { DataFolder } from '../data-folder.ts';
import { openClusterLink } from './cluster-link.ts';
import { openKubeletDoor } from './kubelet-door.ts';
import { handleLater } from './later-handler.ts';
import { startNode, type Node } from './node.ts';
import { openPlainDoors } from './plain-doors.ts';
import { keepServingCertificate } from './serving-certificate.ts';

export interface JoinedNodeOptions {
  readonly name: string;
  readonly kubeconfig: string;
  /** With which the node joins if the kubeconfig is not there, or its certificate is over. */
  readonly bootstrapKubeconfig?: string | undefined;
  /** Where the node keeps its certificates; absent: in the data folder. */
  readonly certificateFolder?: string | undefined;
  /** Addresses of the node, one of each family, and labels to register with; absent: none are chosen. */
  readonly nodeIPs?: readonly string[];
  readonly nodeLabels?: Readonly<Record<string, string>>;
  readonly runtime: string | PodRuntime;
  readonly folder: DataFolder;
  readonly config: KubeletConfig;
  readonly version: string;
  readonly searchPath: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** A certificate request was sent, and somebody may have to approve it; absent: the log is told. */
  readonly asked?: Asked;
  /** Aborted when nobody waits any more for the node to join. */
  readonly signal?: AbortSignal;
}

const NEVER = new AbortController().signal;

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
  const { name, folder, config, log, signal = NEVER } = options;
  const certificateFolder = options.certificateFolder ?? folder.certificates;
  const metrics = new KubeletMetrics();
  const { registry } = metrics;
  const tellLog: Asked = (request, signer) =>
    log.warn('a certificate was asked for; somebody may have to approve it', { request, signer });
  const { asked = tellLog } = options;
  const link = { ...options, nodeName: name, certificateFolder, registry, asked };
  const rotates = config.rotateCertificates;
  const api = await openClusterLink({ ...link, rotates }, closing, signal);
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
    log,
  });
  closing.add(() => door.close());
  const plain = openPlainDoors({ config, handler: kubelet, log });
  closing.add(() => plain.close());
  const node = await startNode({
    ...options,
    api,
    metrics,
    folder: folder.node,
    hiddenFolders: [folder.root],
    kubeletPort: door.port,
    // The cluster has its own ways from a pod to its services.
    reachable: () => Promise.resolve(),
    apiForPods: () => null,
  });
  closing.add(() => node.close());
  opened(node);
  if (config.serverTLSBootstrap) {
    const manager = await keepServingCertificate({ ...link, api, door, addresses: node.addresses });
    closing.add(() => manager.stop());
  }
  return { ...node, close: () => closing.run() };
}
