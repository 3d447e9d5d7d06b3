/** Starts the node of `podkeep kubelet`, which joins the cluster that a kubeconfig names. */
import { loadKubeconfig } from '../../client/kubeconfig/kubeconfig.ts';
import type { Asked } from '../../kubelet/certificates/certificate-request.ts';
import { KubeletMetrics } from '../../kubelet/metrics/kubelet-metrics.ts';
import { systemMachine } from '../../platform/machine/system-machine.ts';
import type { Log } from '../../ports/log.ts';
import type { OwnLog } from '../../ports/observe/own-log.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { ClosingList } from '../closing-list.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import type { DataFolder } from '../data-folder.ts';
import { openClusterLink } from './cluster-link.ts';
import { openKubeletListener } from './server/kubelet-listener.ts';
import { handleLater } from './server/later-handler.ts';
import { startNode, type Node } from './node.ts';
import { openPlainListeners } from './server/plain-listeners.ts';
import { keepServingCertificate } from './server/serving-certificate.ts';

export interface JoinedNodeOptions {
  readonly name: string;
  readonly kubeconfig: string;
  /** With which the node joins if the kubeconfig does not exist, or its certificate has expired. */
  readonly bootstrapKubeconfig?: string | undefined;
  /** Where the node keeps its certificates; absent: in the data folder. */
  readonly certificateFolder?: string | undefined;
  /** Addresses of the node, one of each family, and labels to register with; absent: none are set. */
  readonly nodeIPs?: readonly string[];
  readonly nodeLabels?: Readonly<Record<string, string>>;
  readonly runtime: string | PodRuntime;
  readonly folder: DataFolder;
  readonly config: KubeletConfig;
  readonly version: string;
  readonly searchPath: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** Absent: podkeep's own log is not served, and its verbosity cannot be changed. */
  readonly ownLog?: OwnLog;
  /** Of the command line, for /flagz; absent: it is not served. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Called when a certificate request was sent, which may need approval; absent: it is logged. */
  readonly asked?: Asked;
  /** Aborted when the caller no longer waits for the node to join. */
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
  const { registry, restClient: requests } = metrics;
  const logProgress: Asked = (request, signer) =>
    log.warn('Certificate signing request created; it may need approval', { request, signer });
  const { asked = logProgress } = options;
  const link = { ...options, nodeName: name, certificateFolder, registry, requests, asked };
  const rotates = config.rotateCertificates;
  const api = await openClusterLink({ ...link, rotates }, closing, signal);
  let opened: (node: Node) => void = () => {};
  const started = new Promise<Node>((resolve) => (opened = resolve));
  const kubelet = handleLater(async () => (await started).server);
  const { addresses } = await systemMachine().info();
  const listener = await openKubeletListener({
    nodeName: name,
    host: config.address,
    addresses,
    config,
    handler: kubelet,
    log,
  });
  closing.add(() => listener.close());
  const plain = openPlainListeners({ config, handler: kubelet, log });
  closing.add(() => plain.close());
  const node = await startNode({
    ...options,
    api,
    metrics,
    folder: folder.node,
    hostNames: await apiServerNames(options.kubeconfig),
    systemBusAddress: options.environment['DBUS_SYSTEM_BUS_ADDRESS'],
    hiddenFolders: [folder.root],
    kubeletPort: listener.port,
    // The cluster routes its pods to services itself.
    reachable: () => Promise.resolve(),
    apiForPods: () => null,
  });
  closing.add(() => node.close());
  opened(node);
  if (config.serverTLSBootstrap) {
    const manager = await keepServingCertificate({
      ...link,
      api,
      listener,
      addresses: node.addresses,
    });
    closing.add(() => manager.stop());
  }
  return { ...node, close: () => closing.run() };
}

/** The cluster link has read the file before, and writes it when the node has joined. */
async function apiServerNames(kubeconfig: string): Promise<readonly string[]> {
  const { server } = await loadKubeconfig(kubeconfig);
  return [new URL(server).hostname];
}
