/**
 * `podkeep up`: an API server that kubectl can use, until somebody stops it, or around one command.
 *
 * The first signal closes everything in order, and the second one ends the process where it stands:
 * what was acknowledged is on disk either way.
 */
import { hostname } from 'node:os';
import { PodkeepError } from '../lib/errors.ts';
import { codeOfSignal, startCommand, type ChildCommand } from './child-command.ts';
import type { AuthorizationMode } from '../apiserver/auth/access-control.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { locateDataFolder, type DataFolder } from './data-folder.ts';
import type { Io, StopSignal } from './io.ts';
import { narrateJson, narrateText, type Narrator } from './narrator.ts';
import type { Node } from './node/node.ts';
import { version } from './version.ts';

export interface UpOptions {
  readonly dataDir?: string;
  readonly port: number;
  readonly authorizationMode: AuthorizationMode;
  readonly controllers: string;
  readonly output: 'text' | 'json';
  /** False: the API is served, and no pods are run. */
  readonly node: boolean;
  /** Of the node; absent: that of this machine. */
  readonly name?: string;
  /** Absent: as the configuration says. */
  readonly runtime?: string;
  readonly manifests?: string;
  readonly config?: string;
  readonly keepPods: boolean;
  /** What to run while the server is up; empty: nothing, it stays up until it is stopped. */
  readonly command: readonly string[];
}

export async function bringUp(options: UpOptions, io: Io): Promise<number> {
  const { output, command } = options;
  // A command has stdout for itself.
  const isAlone = command.length === 0;
  const streams = isAlone ? io : { out: io.err, err: io.err };
  const narrator = output === 'json' ? narrateJson(streams) : narrateText(streams, isAlone);
  const run = new Run(options, io, narrator);
  try {
    return await run.perform();
  } catch (error) {
    if (!(error instanceof PodkeepError)) throw error;
    narrator.fail(error);
    return 1;
  } finally {
    run.leave();
  }
}

/** Since the process began: what a person waits for. */
function sinceStart(): number {
  return Math.round(process.uptime() * 1000);
}

const NEVER = new AbortController().signal;

class Run {
  readonly #options: UpOptions;
  readonly #io: Io;
  readonly #narrator: Narrator;
  readonly #stopped: Promise<StopSignal>;
  readonly leave: () => void;
  #child: ChildCommand | undefined;
  #isStopping = false;

  constructor(options: UpOptions, io: Io, narrator: Narrator) {
    this.#options = options;
    this.#io = io;
    this.#narrator = narrator;
    let stop: (signal: StopSignal) => void = () => {};
    this.#stopped = new Promise((resolve) => (stop = resolve));
    this.leave = io.onStop((signal) => {
      this.#onSignal(signal);
      stop(signal);
    });
  }

  async perform(): Promise<number> {
    const { tell, log } = this.#narrator;
    const folder = locateDataFolder(this.#options.dataDir, this.#io.env);
    tell({ event: 'starting', version: version(), dataDir: folder.root });
    const cluster = await startCluster({
      ...this.#options,
      folder,
      version: version(),
      log,
      onOpened: (revision) => tell({ event: 'opened', revision, ms: sinceStart() }),
    });
    const { url } = cluster;
    const { kubeconfig } = folder;
    tell({ event: 'serving', url, kubeconfig, ms: sinceStart() });
    try {
      const node = this.#options.node ? await this.#startNode(cluster, folder) : null;
      try {
        return await this.#wait(kubeconfig);
      } finally {
        if (node) await this.#endNode(node);
      }
    } finally {
      await cluster.close();
      tell({ event: 'stopped' });
    }
  }

  async #startNode(cluster: Cluster, folder: DataFolder): Promise<Node> {
    const { tell, log } = this.#narrator;
    // Not earlier: loading it would keep the API from being served for that long.
    const { startLocalNode, readUpConfig, runtimeChoice } = await import('./node/up-node.ts');
    const config = await readUpConfig(this.#options);
    const name = this.#options.name ?? hostname().toLowerCase();
    const runtime = runtimeChoice(this.#options.runtime, config);
    const searchPath = this.#io.env['PATH'] ?? '';
    const node = await startLocalNode({
      ...cluster,
      name,
      runtime,
      folder,
      config,
      version: version(),
      searchPath,
      log,
    });
    tell({ event: 'node', name, runtime, ms: sinceStart() });
    return node;
  }

  /** Containers are given the time that their pods ask for; a second signal does not wait for them. */
  async #endNode(node: Node): Promise<void> {
    await node.stop();
    if (!this.#options.keepPods) await node.stopContainers(NEVER);
    await node.close();
  }

  async #wait(kubeconfig: string): Promise<number> {
    const { command } = this.#options;
    const { tell } = this.#narrator;
    if (command.length === 0) {
      tell({ event: 'stopping', signal: await this.#stopped });
      return 0;
    }
    if (this.#isStopping) return 0;
    tell({ event: 'running', command });
    this.#child = startCommand(command, { ...this.#io.env, KUBECONFIG: kubeconfig });
    const code = await this.#child.exitCode;
    tell({ event: 'exited', code });
    return code;
  }

  #onSignal(signal: StopSignal): void {
    if (this.#isStopping) {
      this.#child?.kill();
      this.#io.exit(codeOfSignal(signal));
    }
    this.#isStopping = true;
    // A terminal sends its interrupts to everybody who runs in it.
    if (signal === 'SIGTERM' || !this.#io.isTerminal) this.#child?.stop(signal);
  }
}
