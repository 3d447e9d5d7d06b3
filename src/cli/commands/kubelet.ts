/**
 * `podkeep kubelet`: runs this machine as a node of a cluster until podkeep is stopped. Pods keep running
 * after that, and the next podkeep adopts them. With --drain-on-stop podkeep terminates the pods first, as at
 * a node shutdown.
 */
import { hostname } from 'node:os';
import path from 'node:path';
import { PodkeepError } from '../../lib/errors.ts';
import { codeOfSignal } from '../child-command.ts';
import { readKubeletConfig, type KubeletConfig } from '../config/kubelet-config.ts';
import { withPodkeepFlags, type AlertFlags } from '../config/podkeep-flags.ts';
import type { ConfiguredTaint } from '../config/kubelet-fields.ts';
import { locateDataFolder, makeDataFolder } from '../data-folder.ts';
import type { Io, StopSignal } from '../io.ts';
import { jsonProgress, textProgress, type ConsoleProgress } from '../console-progress.ts';
import { applyLoggingSection, openCommandLog, type LogFlags } from '../logging/command-log.ts';
import type { LogWriter } from '../logging/log-writer.ts';
import { startJoinedNode } from '../node/joined-node.ts';
import type { Node } from '../node/node.ts';
import { checkNode } from '../node/node-check.ts';
import { runtimeChoice } from '../node/runtime-choice.ts';
import { Supervision } from '../supervision/supervision.ts';
import { version } from '../version.ts';

export interface KubeletCommandOptions extends LogFlags, AlertFlags {
  readonly kubeconfig: string;
  readonly bootstrapKubeconfig?: string;
  readonly certDir?: string;
  readonly rotateCertificates?: boolean;
  readonly rotateServerCertificates?: boolean;
  readonly hostnameOverride?: string;
  readonly nodeIp?: readonly string[];
  readonly nodeLabels?: Readonly<Record<string, string>>;
  readonly registerWithTaints?: readonly ConfiguredTaint[];
  readonly dataDir?: string;
  readonly name?: string;
  /** Absent: the configuration decides. */
  readonly runtime?: string;
  readonly manifests?: string;
  readonly podMasquerade?: boolean;
  /** Pods are terminated when podkeep stops, in the order and time of a graceful node shutdown. */
  readonly drainOnStop?: boolean;
  readonly config?: string;
  readonly supervise?: boolean;
  readonly output: 'text' | 'json';
}

export async function runKubelet(options: KubeletCommandOptions, io: Io): Promise<number> {
  const progress = options.output === 'json' ? jsonProgress(io) : textProgress(io, false);
  const writer = openCommandLog(options, io.err, progress, options.output === 'json');
  let leave: () => void = () => {};
  const stopped = new Promise<StopSignal>((resolve) => {
    let isStopping = false;
    leave = io.onStop((signal) => {
      // Pods keep running, so a second signal can end podkeep immediately.
      if (isStopping) io.exit(codeOfSignal(signal));
      isStopping = true;
      resolve(signal);
    });
  });
  let supervision: Supervision | undefined;
  try {
    const log = writer.log('kubelet');
    supervision = new Supervision({ io, log, supervise: options.supervise });
    void stopped.then(() => supervision?.stopping());
    return await serve(options, io, { ...progress, writer }, stopped, supervision);
  } catch (error) {
    if (!(error instanceof PodkeepError)) throw error;
    progress.fail(error);
    return 1;
  } finally {
    supervision?.end();
    leave();
  }
}

async function serve(
  options: KubeletCommandOptions,
  io: Io,
  { notify, writer }: ConsoleProgress & { readonly writer: LogWriter },
  stopped: Promise<StopSignal>,
  supervision: Supervision,
): Promise<number> {
  const folder = locateDataFolder(options.dataDir, io.env);
  notify({ event: 'starting', version: version(), dataDir: folder.root });
  const name = options.name ?? options.hostnameOverride ?? hostname().toLowerCase();
  const config = await readConfig(options);
  applyLoggingSection(writer, options, config.logging);
  await checkNode({ ...options, config });
  makeDataFolder(folder);
  supervision.begin(folder.root);
  const runtime = runtimeChoice(options.runtime, config);
  const { kubeconfig, bootstrapKubeconfig, certDir, nodeIp, nodeLabels } = options;
  const abort = new AbortController();
  const starting = startJoinedNode({
    name,
    runtime,
    folder,
    kubeconfig: path.resolve(kubeconfig),
    bootstrapKubeconfig: bootstrapKubeconfig && path.resolve(bootstrapKubeconfig),
    certificateFolder: certDir && path.resolve(certDir),
    ...(nodeIp && { nodeIPs: nodeIp }),
    ...(nodeLabels && { nodeLabels }),
    config,
    version: version(),
    searchPath: io.env['PATH'] ?? '',
    environment: io.env,
    log: writer.log('kubelet'),
    ownLog: writer,
    ...(options.flags && { flags: options.flags }),
    signal: abort.signal,
    asked: (request, signer) => notify({ event: 'certificate', request, signer }),
  });
  // As the kubelet, podkeep is started before it has joined: an outage of the API server must not look like a
  // failed start.
  supervision.started(`Node ${name} joins its cluster`);
  // podkeep retries an API server that does not answer without limit; only a signal ends the wait.
  const node = await Promise.race([starting, stopped.then(() => null)]);
  if (node === null) {
    abort.abort(new Error('podkeep was stopped'));
    return 0;
  }
  supervision.up(`Node ${name} runs pods`, node);
  notify({ event: 'node', name, runtime, ms: Math.round(process.uptime() * 1000) });
  notify({ event: 'stopping', signal: await stopped });
  if (options.drainOnStop) await drain(node, notify);
  await node.stop();
  await node.close();
  notify({ event: 'stopped' });
  return 0;
}

/** Resolves when the API server has the final statuses of the pods, or a timeout has passed. */
async function drain(node: Node, notify: ConsoleProgress['notify']): Promise<void> {
  const pods = node.runningPods().map(({ namespace, name }) => `${namespace}/${name}`);
  if (pods.length > 0) notify({ event: 'waiting', pods });
  await node.drain();
}

/** Reads the configuration file; the command line overrides it. */
async function readConfig(options: KubeletCommandOptions): Promise<KubeletConfig> {
  const { config, manifests, registerWithTaints } = options;
  const file = config === undefined ? null : path.resolve(config);
  const read = await readKubeletConfig(file, {
    ...(manifests !== undefined && { staticPodPath: path.resolve(manifests) }),
    ...(options.rotateCertificates && { rotateCertificates: true }),
    ...(options.rotateServerCertificates && { serverTLSBootstrap: true }),
    ...(registerWithTaints && { registerWithTaints }),
  });
  return withPodkeepFlags(read, options);
}
