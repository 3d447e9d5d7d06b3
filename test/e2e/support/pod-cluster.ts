/**
 * One `podkeep up` that really runs pods, for the tests of one file, and kubectl beside it.
 *
 * When the file is through, podkeep is told to stop, and must not have left anything on the machine.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, copyFileSync, linkSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { chosenAccount } from './account.ts';
import { Api } from './api.ts';
import { Daemon } from './daemon.ts';
import { findFreePort } from './free-port.ts';
import type { KubectlOutput } from './kubectl.ts';
import { leftoversOf, mountPointsBelow, processesOf } from './leftovers.ts';
import { waitFor } from './patience.ts';
import { isOver, isReady, type PodView } from './pod-view.ts';
import { podkeepProgram } from './podkeep-up.ts';
import { findProgram } from './programs.ts';
import { makeWorkFolder, removeWorkFolder } from './work-folder.ts';

export interface PodClusterOptions {
  /** Documents for --config beside a KubeletConfiguration, given the folder of the cluster. */
  readonly config?: (folder: string) => readonly JsonObject[];
  /** Manifests are read from a folder of static pods. */
  readonly hasManifests?: boolean;
}

export interface RunningCommand {
  /** As Ctrl-C does. */
  readonly end: () => void;
  readonly say: (text: string) => void;
}

export interface RunOptions {
  readonly stdin?: string;
  /** Is told everything that was said so far, whenever there is more. */
  readonly onOutput?: (stdout: string, child: RunningCommand) => void;
  /** Stdin stays open until whoever listens ends the run. */
  readonly keepsStdin?: boolean;
}

interface EventView {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count?: number;
  readonly involvedObject: { readonly name: string; readonly fieldPath?: string };
}

const START_MS = 60_000;
const WAIT_MS = 60_000;
const STOP_MS = 60_000;
const COMMAND_MS = 90_000;

/** The cluster of a file: there when its tests run. */
export function podCluster(name: string, options: PodClusterOptions = {}): PodCluster {
  const cluster = new PodCluster(name, options);
  beforeAll(() => cluster.start());
  afterAll(() => cluster.remove());
  return cluster;
}

export class PodCluster {
  readonly account = chosenAccount();
  readonly folder: string;
  /** The data folder of podkeep. */
  readonly data: string;
  readonly kubeconfig: string;
  readonly manifests: string;
  /** As podkeep and kubectl find it. */
  readonly env: Readonly<Record<string, string>>;
  readonly #name: string;
  readonly #options: PodClusterOptions;
  #daemon: Daemon | undefined;
  #api: Api | undefined;

  constructor(name: string, options: PodClusterOptions = {}) {
    this.#name = name;
    this.#options = options;
    this.folder = makeWorkFolder(name);
    this.data = path.join(this.folder, 'data');
    this.kubeconfig = path.join(this.data, 'kubeconfig');
    this.manifests = path.join(this.folder, 'manifests');
    const [bin, home] = [path.join(this.folder, 'bin'), path.join(this.folder, 'home')];
    for (const folder of [bin, home, this.manifests]) mkdirSync(folder);
    for (const folder of [this.folder, home, this.manifests]) this.#give(folder);
    lend(findProgram('kubectl'), path.join(bin, 'kubectl'));
    this.env = {
      PATH: `${bin}:${process.env['PATH'] ?? '/usr/bin:/bin'}`,
      HOME: home,
      KUBECONFIG: this.kubeconfig,
    };
  }

  get isRoot(): boolean {
    return this.account.uid === 0;
  }

  get log(): string {
    return this.#daemon?.log ?? '';
  }

  /** What to start podkeep with, and a command of it. */
  podkeep(command: string, ...rest: readonly string[]): readonly string[] {
    const own = ['--data-dir', this.data];
    return [process.execPath, ...podkeepProgram(), command, ...own, ...rest];
  }

  /** What `podkeep up` is told. */
  async upOptions(): Promise<readonly string[]> {
    const { config, hasManifests } = this.#options;
    const words = ['--port', '0', '--name', 'node-1', '--output', 'json'];
    if (hasManifests) words.push('--manifests', this.manifests);
    if (!config) return words;
    const kubelet = {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      port: await findFreePort(),
    };
    return [
      ...words,
      '--config',
      this.write('config.yaml', documents([kubelet, ...config(this.folder)])),
    ];
  }

  async start(...more: readonly string[]): Promise<void> {
    const words = this.podkeep('up', ...(await this.upOptions()), ...more);
    const [command = '', ...args] = [...this.account.prefix, ...words];
    const { folder, env } = this;
    const daemon = new Daemon({ name: 'podkeep', command, args, folder, env });
    this.#daemon = daemon;
    const from = daemon.log.length;
    await daemon.waitUntilReady(START_MS, async () =>
      daemon.log.slice(from).includes('"event":"node"'),
    );
    this.#api = new Api(this.kubeconfig);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#api?.close();
    await this.#daemon?.stop(signal, STOP_MS);
  }

  /** Fails if anything stayed behind, after it was taken away. */
  async remove(): Promise<void> {
    try {
      await this.stop();
      await this.nothingIsLeft();
    } finally {
      for (const { pid } of processesOf(this.data)) killQuietly(pid);
      for (const point of mountPointsBelow(this.folder)) spawnSync('umount', ['--lazy', point]);
      removeWorkFolder(this.folder);
    }
  }

  async nothingIsLeft(): Promise<void> {
    let left: readonly string[] = [];
    const explain = (): string => left.join('\n');
    // Its guard looks every two seconds whether it is still needed.
    await waitFor({ what: 'podkeep to leave nothing', deadlineMs: WAIT_MS, explain }, () => {
      left = leftoversOf(this.data);
      return left.length === 0 ? true : undefined;
    });
  }

  /** A file that the user of podkeep may read. */
  write(name: string, content: string): string {
    const file = path.join(this.folder, name);
    writeFileSync(file, content);
    this.#give(file);
    return file;
  }

  /** Runs anything as the user, with kubectl and the kubeconfig at hand. */
  run(words: readonly string[], options: RunOptions = {}): Promise<KubectlOutput> {
    const [command = '', ...args] = [...this.account.prefix, ...words];
    const { stdin = '', onOutput, keepsStdin = false } = options;
    return new Promise((resolve, reject) => {
      let [stdout, stderr] = ['', ''];
      const cwd = this.env['HOME'];
      const child = spawn(command, args, { cwd, env: { ...this.env }, timeout: COMMAND_MS });
      const hand = {
        end: () => void child.kill('SIGINT'),
        say: (text: string) => void child.stdin.write(text),
      };
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
        onOutput?.(stdout, hand);
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout, stderr }));
      child.stdin.on('error', () => undefined);
      if (keepsStdin) child.stdin.write(stdin);
      else child.stdin.end(stdin);
    });
  }

  /** However it ends. The words are those of the line, between spaces. */
  attempt(line: string | readonly string[], options?: RunOptions): Promise<KubectlOutput> {
    const words = typeof line === 'string' ? line.split(' ') : line;
    return this.run(['kubectl', ...words], options);
  }

  /** It must succeed; what it printed. */
  async kubectl(line: string | readonly string[], options?: RunOptions): Promise<string> {
    const { code, stdout, stderr } = await this.attempt(line, options);
    if (code !== 0)
      throw new Error(`kubectl ${String(line)} ended with ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  async apply(...objects: readonly JsonObject[]): Promise<void> {
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    await this.kubectl('apply -f -', { stdin: JSON.stringify(list) });
  }

  /** What the API answers, without kubectl in between: for what is asked again and again. */
  async get(where: string): Promise<JsonObject | undefined> {
    const { code, body } = await this.#require().get(where);
    return code === 200 ? body : undefined;
  }

  async pod(name: string, namespace = 'default'): Promise<PodView | undefined> {
    const found = await this.get(`/api/v1/namespaces/${namespace}/pods/${name}`);
    return found as unknown as PodView | undefined;
  }

  podWhen(name: string, what: string, holds: (pod: PodView) => boolean): Promise<PodView> {
    let last: PodView | undefined;
    const explain = (): string =>
      `${JSON.stringify(last?.status, null, 1)}\n${this.#daemon?.tail ?? ''}`;
    const patience = { what: `pod ${name} ${what}`, deadlineMs: WAIT_MS, explain };
    return waitFor(patience, async () => {
      last = await this.pod(name);
      return last && holds(last) ? last : undefined;
    });
  }

  ready(name: string): Promise<PodView> {
    return this.podWhen(name, 'to be ready', isReady);
  }

  over(name: string): Promise<PodView> {
    return this.podWhen(name, 'to be over', isOver);
  }

  async gone(name: string, namespace = 'default'): Promise<void> {
    await waitFor({ what: `pod ${name} to be gone`, deadlineMs: WAIT_MS }, async () =>
      (await this.pod(name, namespace)) === undefined ? true : undefined,
    );
  }

  /** Until one of the events about an object has this reason and these words. */
  event(name: string, reason: string, words = ''): Promise<EventView> {
    let last: readonly EventView[] = [];
    const explain = (): string =>
      last.map((each) => `${each.type} ${each.reason}: ${each.message}`).join('\n');
    const patience = { what: `event ${reason} of ${name}`, deadlineMs: WAIT_MS, explain };
    return waitFor(patience, async () => {
      last = await this.events(name);
      return last.find((each) => each.reason === reason && each.message.includes(words));
    });
  }

  async events(name: string): Promise<readonly EventView[]> {
    const list = await this.get('/api/v1/namespaces/default/events');
    const items = (list?.['items'] ?? []) as unknown as readonly EventView[];
    return items.filter((each) => each.involvedObject.name === name);
  }

  /** Until the log of a container has these words; all of it. */
  logWith(pod: string, words: string, options = ''): Promise<string> {
    const line = `logs ${pod} ${options}`.trim();
    const patience = { what: `"${words}" in the log of ${pod}`, deadlineMs: WAIT_MS };
    return waitFor(patience, async () => {
      const text = await this.kubectl(line);
      if (!text.includes(words)) throw new Error(text);
      return text;
    });
  }

  #require(): Api {
    if (!this.#api) throw new Error(`the cluster ${this.#name} is not up`);
    return this.#api;
  }

  #give(file: string): void {
    if (this.account.prefix.length > 0) chownSync(file, this.account.uid, this.account.gid);
  }
}

/** The programs lie where an ordinary user need not come to. */
function lend(program: string, file: string): void {
  try {
    linkSync(program, file);
  } catch {
    copyFileSync(program, file);
  }
}

function documents(parts: readonly JsonObject[]): string {
  return parts.map((part) => JSON.stringify(part)).join('\n---\n');
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
