/** A data folder, a ledger and a folder of manifests, and one podkeep after another on them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../../../src/lib/json.ts';
import { makeLedger } from './container-script.ts';
import { Ledger } from './ledger.ts';
import { containerProcesses, initsOf, leftOutside, mountsBelow } from './leftovers.ts';
import { Client, NodeProcess } from './node-process.ts';
import type { PodView } from './pod-view.ts';

export const PODS = '/api/v1/namespaces/default/pods';
/** A timeout that suffices on a very busy machine. */
const PATIENCE_MS = 120_000;
const LOOK_MS = 100;

/** Back-offs as short as possible, and a resync of every pod every other second. */
const CONFIG = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  syncFrequency: '2s',
  fileCheckFrequency: '1s',
  crashLoopBackOff: { maxContainerRestartPeriod: '1s' },
  evictionHard: { 'memory.available': '10Mi' },
};

export interface ClusterOptions {
  readonly program: string;
  /** The user that podkeep runs as; absent: that of the tests. */
  readonly uid?: number;
  /** Further configuration. */
  readonly config?: JsonObject;
  /** The path of the data folder; absent: beside the rest. */
  readonly data?: string;
}

export class TestCluster {
  readonly folder: string;
  readonly data: string;
  readonly ledger: string;
  readonly manifests: string;
  readonly #options: ClusterOptions;
  readonly #processes: NodeProcess[] = [];
  #client: Client | undefined;
  #serverFolder: string | undefined;

  private constructor(options: ClusterOptions) {
    this.#options = options;
    this.folder = mkdtempSync(path.join(tmpdir(), 'podkeep-node-kill-'));
    chmodSync(this.folder, 0o755);
    this.data = options.data ?? path.join(this.folder, 'data');
    this.ledger = path.join(this.folder, 'ledger');
    this.manifests = path.join(this.folder, 'manifests');
    for (const each of [this.ledger, this.manifests]) {
      mkdirSync(each);
      chmodSync(each, 0o777);
    }
    makeLedger(this.ledger);
    chmodSync(path.join(this.ledger, 'lines'), 0o666);
    if (options.uid !== undefined) {
      mkdirSync(this.data, { recursive: true });
      chownSync(this.data, options.uid, options.uid);
    }
  }

  static async make(options: ClusterOptions): Promise<TestCluster> {
    const cluster = new TestCluster(options);
    // Zero would be the default port, which another process may have.
    const config = { ...CONFIG, port: await findPort(), ...options.config };
    const file = path.join(cluster.folder, 'config.json');
    writeFileSync(file, JSON.stringify(config), { mode: 0o644 });
    return cluster;
  }

  /** Returns immediately; the client is available when it serves. */
  launch(args: readonly string[] = this.#upArgs()): NodeProcess {
    const { program } = this.#options;
    const launched = new NodeProcess({ program, args, wrapper: this.#asUser() });
    this.#processes.push(launched);
    this.#client?.close();
    this.#client = undefined;
    return launched;
  }

  /** The prefix of a command that runs as podkeep's user. */
  #asUser(): readonly string[] {
    const { uid } = this.#options;
    if (uid === undefined) return [];
    return ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--'];
  }

  /** Deletes everything in the data folder, as its user would. Throws if that is not possible. */
  emptyData(): void {
    const [command, ...words] = [...this.#asUser(), 'find', this.data];
    execFileSync(command, [...words, '-mindepth', '1', '-delete'], { stdio: 'pipe' });
  }

  /** `podkeep up`; returns when its node accepts pods. */
  async up(...more: readonly string[]): Promise<NodeProcess> {
    const up = this.launch([...this.#upArgs(), ...more]);
    await up.event('node');
    return up;
  }

  #upArgs(): readonly string[] {
    const config = path.join(this.folder, 'config.json');
    const places = ['--data-dir', this.data, '--manifests', this.manifests, '--config', config];
    return ['up', ...places, '--name', 'node', '--port', '0', '--output', 'json'];
  }

  /** Where the server keeps its kubeconfig, if that is not the folder of the node. */
  useClient(folder: string): void {
    this.#serverFolder = folder;
  }

  /** Of the newest podkeep, as soon as it serves. */
  get client(): Client {
    this.#client ??= new Client(this.#serverFolder ?? this.data);
    return this.#client;
  }

  readLedger(): Ledger {
    return new Ledger(this.ledger);
  }

  async pods(): Promise<readonly PodView[]> {
    const { items } = await this.client.get<{ items: readonly PodView[] }>(PODS);
    return items;
  }

  async pod(name: string): Promise<PodView> {
    return this.client.get<PodView>(`${PODS}/${name}`);
  }

  async create(pod: JsonObject): Promise<void> {
    const { code, text } = await this.client.send('POST', PODS, pod);
    assert.equal(code, 201, text);
  }

  async delete(name: string): Promise<void> {
    const { code, text } = await this.client.send('DELETE', `${PODS}/${name}`);
    assert.ok(code === 200 || code === 404, text);
  }

  /** Returns when there are no more problems; fails with those that are left. */
  async settle(report: () => Promise<readonly string[]> | readonly string[]): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const problems = await report();
      if (problems.length === 0) return;
      if (performance.now() > deadline)
        assert.fail(`${problems.join('\n')}\n${this.terminationMessage()}`);
      await delay(LOOK_MS);
    }
  }

  terminationMessage(): string {
    return this.#processes.at(-1)?.given.slice(-5000) ?? '';
  }

  processes(): readonly number[] {
    return containerProcesses(this.ledger, this.data);
  }

  /** One process for each running container. */
  inits(podUid?: string): readonly number[] {
    return initsOf(this.data, podUid);
  }

  /** Nothing runs, and nothing is left outside of the folder. */
  async expectNothingLeft(): Promise<void> {
    await this.settle(() => this.processes().map((pid) => `process ${pid} runs`));
    await this.settle(() => leftOutside(this.data));
  }

  /** Volumes in memory are mounted where a folder cannot be deleted. */
  unmount(): void {
    for (const folder of mountsBelow(this.folder)) execFileSync('umount', ['--lazy', folder]);
  }

  /** Whatever happened before. Without the folder, the guard ends all containers that were in it. */
  async remove(): Promise<void> {
    for (const each of this.#processes) if (each.result === undefined) await each.kill('SIGKILL');
    this.#client?.close();
    this.unmount();
    // Starting containers still write into it.
    rmSync(this.data, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    await this.settle(() => this.processes().map((pid) => `process ${pid} runs`));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Below the ephemeral ports, so that no other process gets it in between. */
export async function findPort(): Promise<number> {
  for (;;) {
    const port = 11_000 + Math.floor(Math.random() * 20_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}
