/**
 * `podkeep up`: runs a local cluster (API server and one node) until a signal, or while one command runs.
 *
 *     podkeep up            the usual data folder and port, until a signal; ends with 128 + its number
 *     podkeep up -- CMD     a temporary folder and a free port, which are gone when CMD has ended;
 *                           with --data-dir the folder stays. Ends with the exit code of CMD
 *
 * At the first signal podkeep closes everything in order, and reports which pods it waits for. At the second
 * it exits immediately, and prints which pods are left running. Acknowledged writes are on disk either way.
 */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { PodkeepError } from '../../lib/errors.ts';
import type { ApiServerOptions } from '../api-server-options.ts';
import { codeOfSignal, startCommand, type ChildCommand } from '../child-command.ts';
import type { NodeCidrOptions } from '../../apiserver/controllers/nodes/node-cidr-settings.ts';
import type { AuthorizationMode } from '../../apiserver/auth/access-control.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import { startCluster, type Cluster } from '../cluster.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import type { AlertFlags } from '../config/podkeep-flags.ts';
import { locateDataFolder, type DataFolder } from '../data-folder.ts';
import type { Io, StopSignal } from '../io.ts';
import { jsonProgress, textProgress, type ConsoleProgress } from '../console-progress.ts';
import { applyLoggingSection, openCommandLog, type LogFlags } from '../logging/command-log.ts';
import type { LogWriter } from '../logging/log-writer.ts';
import type { LocalNodes } from '../node/local-nodes/local-nodes.ts';
import { StopProgress } from '../stop-progress.ts';
import { Supervision } from '../supervision/supervision.ts';
import { version } from '../version.ts';

export interface UpOptions extends ApiServerOptions, NodeCidrOptions, LogFlags, AlertFlags {
  /** Absent: the usual folder, or for a command a temporary one. */
  readonly dataDir?: string;
  /** Absent: Kubernetes' own, or for a command any that is free. */
  readonly port?: number;
  readonly authorizationMode: AuthorizationMode;
  readonly controllers: string;
  readonly output: 'text' | 'json';
  /** False: the API is served, and no pods are run. */
  readonly node: boolean;
  /** How many nodes; absent: those of the data folder, or one. */
  readonly nodes?: number;
  /** Of the first node; absent: that of this machine. */
  readonly name?: string;
  /** Absent: as the configuration says. */
  readonly runtime?: string;
  readonly manifests?: string;
  readonly podMasquerade?: boolean;
  readonly config?: string;
  readonly keepPods: boolean;
  readonly supervise?: boolean;
  /** What to run while the server is up; empty: nothing, it stays up until it is stopped. */
  readonly command: readonly string[];
}

export async function bringUp(options: UpOptions, io: Io): Promise<number> {
  const { output, command } = options;
  // A command has stdout for itself.
  const isAlone = command.length === 0;
  const streams = isAlone ? io : { out: io.err, err: io.err };
  const progress = output === 'json' ? jsonProgress(streams) : textProgress(streams, isAlone);
  const writer = openCommandLog(options, streams.err, progress, true);
  let run: Run | undefined;
  try {
    run = new Run(options, io, progress, writer);
    return await run.perform();
  } catch (error) {
    if (!(error instanceof PodkeepError)) throw error;
    progress.fail(error);
    return 1;
  } finally {
    run?.leave();
  }
}

/** Since the process began: the time that a person waits. */
function sinceStart(): number {
  return Math.round(process.uptime() * 1000);
}

const NEVER = new AbortController().signal;
const API_PORT = 6443;

class Run {
  readonly #options: UpOptions;
  readonly #io: Io;
  readonly #progress: ConsoleProgress;
  readonly #supervision: Supervision;
  readonly #writer: LogWriter;
  readonly #stopped: Promise<StopSignal>;
  readonly leave: () => void;
  #child: ChildCommand | undefined;
  #signal: StopSignal | null = null;
  #folder: DataFolder | undefined;
  #config: KubeletConfig | undefined;
  /** Null: no running pods would outlive podkeep. */
  #leftPods: (() => readonly string[]) | null = null;

  constructor(options: UpOptions, io: Io, progress: ConsoleProgress, writer: LogWriter) {
    this.#options = options;
    this.#writer = writer;
    this.#io = io;
    this.#progress = progress;
    const log = writer.log('kubelet');
    this.#supervision = new Supervision({ io, log, supervise: options.supervise });
    let stop: (signal: StopSignal) => void = () => {};
    this.#stopped = new Promise((resolve) => (stop = resolve));
    this.leave = io.onStop((signal) => {
      this.#onSignal(signal);
      stop(signal);
    });
  }

  async perform(): Promise<number> {
    await this.#checkNode();
    const { dataDir, command } = this.#options;
    if (dataDir !== undefined || command.length === 0) {
      return this.#serve(locateDataFolder(dataDir, this.#io.env));
    }
    const temporary = await import('../temporary-cluster.ts');
    await temporary.removeForsakenFolders(this.#io);
    const folder = temporary.makeTemporaryFolder();
    try {
      return await this.#serve(folder);
    } finally {
      await temporary.removeTemporaryFolder(folder, this.#io);
    }
  }

  /** Mistyped options are found before anything is created. Without such options nothing is loaded for it. */
  async #checkNode(): Promise<void> {
    const { config, manifests, runtime, alertRules } = this.#options;
    if ((config ?? manifests ?? runtime ?? alertRules) === undefined) return;
    const { readUpConfig } = await import('../node/up-config.ts');
    this.#config = await readUpConfig(this.#options);
    applyLoggingSection(this.#writer, this.#options, this.#config.logging);
  }

  async #serve(folder: DataFolder): Promise<number> {
    const { notify } = this.#progress;
    const { command, port = command.length === 0 ? API_PORT : 0 } = this.#options;
    this.#folder = folder;
    await this.#checkNodes(folder);
    notify({ event: 'starting', version: version(), dataDir: folder.root });
    const cluster = await startCluster({
      ...this.#options,
      port,
      folder,
      nodeName: this.#options.node ? this.#nodeName : undefined,
      version: version(),
      log: this.#writer.log('kube-apiserver'),
      out: this.#io.out,
      onOpened: (revision) => notify({ event: 'opened', revision, ms: sinceStart() }),
    });
    this.#supervision.begin(folder.root);
    const { url } = cluster;
    const { kubeconfig } = folder;
    notify({ event: 'serving', url, kubeconfig, ms: sinceStart() });
    try {
      const nodes = this.#options.node ? await this.#startNodes(cluster, folder) : null;
      this.#supervision.started(`Serving ${url}`);
      this.#supervision.up(`Serving ${url}`, nodes);
      try {
        return await this.#wait(kubeconfig);
      } finally {
        if (nodes) await this.#endNodes(nodes);
      }
    } finally {
      await cluster.close();
      this.#supervision.end();
      notify({ event: 'stopped' });
    }
  }

  /** The first node, on which the local provisioner makes volumes. */
  get #nodeName(): string {
    return this.#options.name ?? hostname().toLowerCase();
  }

  /** As `#checkNode`: what --nodes asks for must be possible. With one node nothing is loaded for it. */
  async #checkNodes(folder: DataFolder): Promise<void> {
    const { node, nodes } = this.#options;
    if (!node || (nodes === undefined && !existsSync(folder.nodeRecord))) return;
    const { planLocalNodes } = await import('../node/local-nodes/plan-local-nodes.ts');
    planLocalNodes(this.#options, folder, this.#config ?? { containerRuntimeEndpoint: '' });
  }

  async #startNodes(cluster: Cluster, folder: DataFolder): Promise<LocalNodes> {
    const { notify } = this.#progress;
    // Not earlier: loading it would delay the API server by that much.
    const { startLocalNodes, readUpConfig } = await import('../node/up-node.ts');
    const config = this.#config ?? (await readUpConfig(this.#options));
    const nodes = await startLocalNodes({
      ...this.#options,
      cluster,
      folder,
      config,
      version: version(),
      io: this.#io,
      log: this.#writer.log('kubelet'),
      ownLog: this.#writer,
      onStarted: (name, runtime) => notify({ event: 'node', name, runtime, ms: sinceStart() }),
    });
    // Simulated pods end with this process.
    if (nodes.runtime !== 'simulated') this.#leftPods = () => nodes.runningPods().map(nameOf);
    return nodes;
  }

  /** Containers get their grace periods; a second signal does not wait for them. */
  async #endNodes(nodes: LocalNodes): Promise<void> {
    await nodes.stop();
    if (!this.#options.keepPods) await this.#stopContainers(nodes);
    this.#leftPods = null;
    await nodes.close();
  }

  async #stopContainers(nodes: LocalNodes): Promise<void> {
    const { notify } = this.#progress;
    const progress = new StopProgress(clock, (pods) => notify({ event: 'waiting', pods }));
    if (this.#leftPods) this.#leftPods = () => progress.pods;
    try {
      await nodes.stopContainers(NEVER, (pods) => progress.update(pods.map(nameOf)));
    } finally {
      progress.end();
    }
  }

  async #wait(kubeconfig: string): Promise<number> {
    const { command } = this.#options;
    const { notify } = this.#progress;
    if (command.length === 0) {
      const signal = await this.#stopped;
      notify({ event: 'stopping', signal });
      // An orderly stop is a success, as it is of the kubelet: supervisors report other codes as failures.
      return 0;
    }
    if (this.#signal !== null) return codeOfSignal(this.#signal);
    notify({ event: 'running', command });
    this.#child = startCommand(command, { ...this.#io.env, KUBECONFIG: kubeconfig });
    const code = await this.#child.exitCode;
    notify({ event: 'exited', code });
    return code;
  }

  #onSignal(signal: StopSignal): void {
    if (this.#signal !== null) this.#endAtOnce(signal);
    this.#signal = signal;
    this.#supervision.stopping();
    // A terminal sends its interrupts to every process that runs in it.
    if (signal !== 'SIGINT' || !this.#io.isTerminal) this.#child?.stop(signal);
  }

  #endAtOnce(signal: StopSignal): void {
    this.#child?.kill();
    const pods = this.#leftPods?.() ?? [];
    const hint = `podkeep down --data-dir ${this.#folder?.root ?? ''} stops them.`;
    this.#progress.notify({ event: 'left', signal, pods, hint });
    this.#io.exit(codeOfSignal(signal));
  }
}

function nameOf({ namespace, name }: PodReference): string {
  return `${namespace}/${name}`;
}
