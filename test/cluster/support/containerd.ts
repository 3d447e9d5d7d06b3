/**
 * A separate containerd: it shares no folder, socket, network or image with another, and nothing of it is
 * left when it is gone.
 *
 *     folder/  config.toml  containerd.sock  containerd.log
 *              root/ state/  its data, and its mounts
 *              cni/          the network of its pods, on its own bridge
 *              images/       what is imported before any pull
 *
 * Containers outlive it: `restart` shows whether its client can live with that.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  containerdFolder,
  containersFolder,
  type ContainerdVersion,
} from '../../../scripts/cluster/cache-folder.ts';
import { Daemon } from '../../e2e/support/daemon.ts';
import { waitFor } from '../../e2e/support/patience.ts';
import { removeWorkFolder } from '../../e2e/support/work-folder.ts';
import { containerdConfig, findFreeSubnet, networkConfig } from './containerd-config.ts';
import { criCall, criStatus } from './cri-call.ts';
import type { ImageLayout } from './images/oci-image.ts';
import { makeTestImages } from './images/test-images.ts';
import { clearTraces, keyOfFolder, makeClusterFolder, tracesOf } from './traces.ts';

export interface ContainerdOptions {
  readonly version: ContainerdVersion;
  /** A part of its folder's name. */
  readonly name: string;
}

const READY_MS = 60_000;
const STOP_MS = 20_000;
const NAMESPACE = 'k8s.io';

/** Ready for pods, with its images and its network. */
export async function startContainerd(options: ContainerdOptions): Promise<Containerd> {
  const containerd = new Containerd(options);
  try {
    await containerd.start();
    await containerd.importImages();
    return containerd;
  } catch (error) {
    await containerd.remove();
    throw error;
  }
}

export class Containerd {
  readonly version: ContainerdVersion;
  readonly folder: string;
  /** The path of its socket; `--runtime` wants `unix://` before it. */
  readonly socket: string;
  /** The control group below which all its containers should be: `cgroupRoot` of a kubelet. */
  readonly cgroupRoot: string;
  /** The network of its pods, such as 10.213.0.0/24. */
  readonly subnet: string;
  /** The imported images, for a registry to serve. */
  readonly images: ImageLayout;
  #daemon: Daemon | undefined;

  constructor({ version, name }: ContainerdOptions) {
    this.version = version;
    this.folder = makeClusterFolder(name);
    this.socket = path.join(this.folder, 'containerd.sock');
    const key = keyOfFolder(this.folder);
    this.cgroupRoot = `/${key}`;
    this.subnet = findFreeSubnet();
    for (const each of ['cni', 'registries', 'images']) mkdirSync(path.join(this.folder, each));
    const network = networkConfig(this.folder, key, this.subnet);
    this.#write('config.toml', containerdConfig(this.folder));
    this.#write('cni/10-pods.conflist', JSON.stringify(network));
    this.images = makeTestImages(path.join(this.folder, 'images'));
  }

  get endpoint(): string {
    return `unix://${this.socket}`;
  }

  get log(): string {
    return this.#daemon?.log ?? '';
  }

  /** After `stop`: on the same folders, and so with the same containers. */
  async start(): Promise<void> {
    const own = containerdFolder(this.version, process.env);
    const others = path.join(containersFolder(process.env), 'bin');
    const daemon = new Daemon({
      name: 'containerd',
      command: path.join(own, 'containerd'),
      args: ['--config', path.join(this.folder, 'config.toml')],
      folder: this.folder,
      env: { PATH: `${own}:${others}:${process.env['PATH'] ?? '/usr/bin:/bin'}` },
    });
    this.#daemon = daemon;
    await daemon.waitUntilReady(READY_MS, async () => {
      const { RuntimeReady, NetworkReady } = await criStatus(this.socket);
      return RuntimeReady === true && NetworkReady === true;
    });
  }

  /** Containers and their shims keep running. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#daemon?.stop(signal, STOP_MS);
  }

  async restart(signal?: NodeJS.Signals): Promise<void> {
    await this.stop(signal);
    await this.start();
  }

  /** It neither answers nor ends, until it is resumed. */
  async pause(): Promise<void> {
    this.#daemon?.signal('SIGSTOP');
    const tasks = `/proc/${this.#daemon?.pid}/task`;
    // On a busy machine its threads stop one after the other, and one of them may still answer.
    const isStopped = (task: string): boolean =>
      /^State:\tT/m.test(readFileSync(`${tasks}/${task}/status`, 'utf8'));
    const patience = { what: 'containerd to stop', deadlineMs: 10_000 };
    await waitFor(patience, () => readdirSync(tasks).every(isStopped) || undefined);
  }

  resume(): void {
    this.#daemon?.signal('SIGCONT');
  }

  /** Ends its containers too; nothing is left of it. */
  async remove(): Promise<void> {
    await this.stop();
    clearTraces(this.folder);
    const patience = {
      what: 'containerd to leave nothing',
      deadlineMs: STOP_MS,
      explain: () => tracesOf(this.folder).join('\n'),
    };
    await waitFor(patience, () => {
      if (tracesOf(this.folder).length === 0) return true;
      clearTraces(this.folder);
      return undefined;
    });
    removeWorkFolder(this.folder);
  }

  /** To inspect it independently: `ctr` in the namespace of Kubernetes. */
  ctr(...words: readonly string[]): string {
    const program = path.join(containerdFolder(this.version, process.env), 'ctr');
    const where = ['--address', this.socket, '--namespace', NAMESPACE];
    return execFileSync(program, [...where, ...words], { encoding: 'utf8' });
  }

  /** The CRI plugin of containerd sees imported images a moment later. */
  async importImages(layout: ImageLayout = this.images): Promise<void> {
    const archive = path.join(this.folder, 'images/all.tar');
    layout.writeArchive(archive);
    this.ctr('images', 'import', archive);
    rmSync(archive);
    const wanted = layout.images.flatMap(({ names }) => names);
    await waitFor({ what: 'the images to be known', deadlineMs: READY_MS }, async () => {
      const answer = await criCall(this.socket, 'ImageService', 'ListImages');
      const known = new Set(answer.messages(1).flatMap((image) => image.texts(2)));
      return wanted.every((name) => known.has(name)) ? true : undefined;
    });
  }

  #write(name: string, content: string): void {
    writeFileSync(path.join(this.folder, name), content);
  }
}
