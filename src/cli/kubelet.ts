/**
 * `podkeep kubelet`: this machine as a node of any cluster, until somebody stops it. Its pods go on
 * running: the next podkeep adopts them.
 */
import { hostname } from 'node:os';
import path from 'node:path';
import { PodkeepError } from '../lib/errors.ts';
import { readKubeletConfig, type KubeletConfig } from './config/kubelet-config.ts';
import type { ConfiguredTaint } from './config/kubelet-fields.ts';
import { locateDataFolder, makeDataFolder } from './data-folder.ts';
import type { Io, StopSignal } from './io.ts';
import { narrateJson, narrateText } from './narrator.ts';
import { startJoinedNode } from './node/joined-node.ts';
import { runtimeChoice } from './node/runtime-choice.ts';
import { version } from './version.ts';

export interface KubeletCommandOptions {
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
  /** Absent: as the configuration says. */
  readonly runtime?: string;
  readonly manifests?: string;
  readonly config?: string;
  readonly output: 'text' | 'json';
}

export async function runKubelet(options: KubeletCommandOptions, io: Io): Promise<number> {
  const narrator = options.output === 'json' ? narrateJson(io) : narrateText(io, false);
  let leave: () => void = () => {};
  const stopped = new Promise<StopSignal>((resolve) => {
    let isStopping = false;
    leave = io.onStop((signal) => {
      // Containers go on in any case, so there is nothing to wait for twice.
      if (isStopping) io.exit(1);
      isStopping = true;
      resolve(signal);
    });
  });
  try {
    return await serve(options, io, narrator, stopped);
  } catch (error) {
    if (!(error instanceof PodkeepError)) throw error;
    narrator.fail(error);
    return 1;
  } finally {
    leave();
  }
}

async function serve(
  options: KubeletCommandOptions,
  io: Io,
  { tell, log }: ReturnType<typeof narrateJson>,
  stopped: Promise<StopSignal>,
): Promise<number> {
  const folder = locateDataFolder(options.dataDir, io.env);
  tell({ event: 'starting', version: version(), dataDir: folder.root });
  makeDataFolder(folder);
  const name = options.name ?? options.hostnameOverride ?? hostname().toLowerCase();
  const config = await readConfig(options);
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
    log,
    signal: abort.signal,
    asked: (request, signer) => tell({ event: 'certificate', request, signer }),
  });
  // An API server that does not answer is asked again and again; whoever stops us need not wait.
  const node = await Promise.race([starting, stopped.then(() => null)]);
  if (node === null) {
    abort.abort(new Error('podkeep was stopped'));
    return 0;
  }
  tell({ event: 'node', name, runtime, ms: Math.round(process.uptime() * 1000) });
  tell({ event: 'stopping', signal: await stopped });
  await node.stop();
  await node.close();
  tell({ event: 'stopped' });
  return 0;
}

/** The file, and on top of it what the command line says. */
function readConfig(options: KubeletCommandOptions): Promise<KubeletConfig> {
  const { config, manifests, registerWithTaints } = options;
  return readKubeletConfig(config === undefined ? null : path.resolve(config), {
    ...(manifests !== undefined && { staticPodPath: path.resolve(manifests) }),
    ...(options.rotateCertificates && { rotateCertificates: true }),
    ...(options.rotateServerCertificates && { serverTLSBootstrap: true }),
    ...(registerWithTaints && { registerWithTaints }),
  });
}
