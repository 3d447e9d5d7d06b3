/**
 * One `podkeep up` that really runs pods, for the tests of one file, and kubectl beside it.
 *
 * When the file has ended, podkeep is stopped, and must not have left anything on the machine.
 */
import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { chosenAccount } from './account.ts';
import { Api } from './api.ts';
import { Daemon } from './daemon.ts';
import { leftoversOf, mountPointsBelow, processesOf } from './leftovers.ts';
import { waitFor } from './patience.ts';
import { PodHome, type PodHomeOptions, type WayToApi } from './pod-home.ts';
import { podkeepProgram } from './podkeep-up.ts';
import { lendProgram } from './programs.ts';
import { makeWorkFolder, removeWorkFolder } from './work-folder.ts';

type MakeHome = (name: string, options: PodHomeOptions) => PodHome;

const START_MS = 60_000;
const WAIT_MS = 60_000;
const STOP_MS = 60_000;

let makeHome: MakeHome = (name, options) => new PodCluster(name, options);

/** Test files that are loaded from now on run their pods elsewhere. */
export function runPodsIn(make: MakeHome): void {
  makeHome = make;
}

/** The cluster of a file: available while its tests run. */
export function podCluster(name: string, options: PodHomeOptions = {}): PodHome {
  const cluster = makeHome(name, options);
  beforeAll(() => cluster.start());
  afterAll(() => cluster.remove());
  return cluster;
}

export class PodCluster extends PodHome {
  readonly account = chosenAccount();
  readonly folder: string;
  readonly data: string;
  readonly kubeconfig: string;
  readonly manifests: string;
  readonly env: Readonly<Record<string, string>>;
  /** The server reports its own address. */
  readonly wayToApi: WayToApi = { spec: {}, env: [] };
  readonly #name: string;
  readonly #options: PodHomeOptions;
  #daemon: Daemon | undefined;
  #api: Api | undefined;

  constructor(name: string, options: PodHomeOptions = {}) {
    super();
    this.#name = name;
    this.#options = options;
    this.folder = makeWorkFolder(name);
    this.data = path.join(this.folder, 'data');
    this.kubeconfig = path.join(this.data, 'kubeconfig');
    this.manifests = path.join(this.folder, 'manifests');
    const [bin, home] = [path.join(this.folder, 'bin'), path.join(this.folder, 'home')];
    for (const folder of [bin, home, this.manifests]) mkdirSync(folder);
    for (const folder of [this.folder, home, this.manifests]) this.#give(folder);
    lendProgram('kubectl', path.join(bin, 'kubectl'));
    this.env = {
      PATH: `${bin}:${process.env['PATH'] ?? '/usr/bin:/bin'}`,
      HOME: home,
      KUBECONFIG: this.kubeconfig,
    };
  }

  get log(): string {
    return this.#daemon?.log ?? '';
  }

  /** The program of podkeep, and the arguments for one of its commands. */
  podkeep(command: string, ...rest: readonly string[]): readonly string[] {
    const own = ['--data-dir', this.data];
    return [process.execPath, ...podkeepProgram(), command, ...own, ...rest];
  }

  /** The options of `podkeep up`. */
  async upOptions(): Promise<readonly string[]> {
    const { config, hasManifests } = this.#options;
    const words = ['--port', '0', '--name', 'node-1', '--output', 'json'];
    if (hasManifests) words.push('--manifests', this.manifests);
    if (!config) return words;
    const kubelet = {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
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
    // Its guard checks every two seconds whether it is still needed.
    await waitFor({ what: 'podkeep to leave nothing', deadlineMs: WAIT_MS, explain }, () => {
      left = leftoversOf(this.data);
      return left.length === 0 ? true : undefined;
    });
  }

  processesWith(words: string): readonly number[] {
    const found = processesOf(this.data).filter((each) => each.words.includes(words));
    return found.map(({ pid }) => pid).toSorted((a, b) => a - b);
  }

  /** A file that the user of podkeep may read. */
  write(name: string, content: string): string {
    const file = path.join(this.folder, name);
    writeFileSync(file, content);
    this.#give(file);
    return file;
  }

  protected get prefix(): readonly string[] {
    return this.account.prefix;
  }

  protected get terminationMessage(): string {
    return this.#daemon?.tail ?? '';
  }

  protected get api(): Api {
    if (!this.#api) throw new Error(`the cluster ${this.#name} is not up`);
    return this.#api;
  }

  #give(file: string): void {
    if (this.account.prefix.length > 0) chownSync(file, this.account.uid, this.account.gid);
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
