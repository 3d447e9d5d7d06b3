/**
 * Measures the disk usage of pods: their volumes, their logs and their hosts files.
 *
 *     volumes   walked, within a time limit (folder-sizes.ts); volumes in memory are measured with statfs
 *     logs      files directly in LOGS/POD/CONTAINER, and those directly in LOGS/POD
 *
 * Log rotation limits the number of log files, so they are measured every time. As in Kubernetes' kubelet,
 * log folders themselves do not count; folders in volumes do.
 */
import { lstat, readdir, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { PodDiskBytes, PodDiskRequest, PodDiskUsage } from '../../ports/pod/pod-disk-usage.ts';
import type { PodFiles } from '../../ports/pod/pod-files.ts';
import { isMountedMemory } from '../volumes/mounts/own-file-system.ts';
import type { VolumeLayout } from '../volumes/volume-layout.ts';
import { FolderSizes, type FolderSize } from './folder-sizes.ts';

export interface DiskUsageDeps {
  readonly clock: Clock;
  /** Such as /var/lib/podkeep. */
  readonly rootFolder: string;
  readonly layout: VolumeLayout;
  readonly files: Pick<PodFiles, 'logFolder'>;
  /**
   * True: a volume that is too large for one call counts with what was counted so far. This is good enough to
   * compare pods with each other; for a comparison with a limit only a complete count is used.
   */
  readonly countsUnfinished?: boolean;
}

interface VolumeFolder {
  readonly name: string;
  readonly folder: string;
  /** Of a volume in memory. Null: it has to be walked. */
  readonly inMemory: FolderSize | null;
}

const BYTES_PER_BLOCK = 512;

export class DiskUsage implements PodDiskUsage {
  readonly #deps: DiskUsageDeps;
  readonly #sizes: FolderSizes;
  readonly #abort = new AbortController();
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(deps: DiskUsageDeps) {
    this.#deps = deps;
    this.#sizes = new FolderSizes(deps.clock);
  }

  async measure(requests: readonly PodDiskRequest[]): Promise<readonly PodDiskBytes[]> {
    const pods = await Promise.all(
      requests.map(async (request) => ({ request, volumes: await this.#foldersOf(request) })),
    );
    const walked = pods.flatMap(({ volumes }) =>
      volumes.flatMap(({ folder, inMemory }) => (inMemory === null ? [folder] : [])),
    );
    const refresh = this.#sizes.refresh(walked, this.#abort.signal);
    this.#underWay = refresh;
    await refresh;
    return Promise.all(
      pods.map(async ({ request, volumes }) => {
        const sizes = volumes.flatMap(({ name, folder, inMemory }) => {
          const size = inMemory ?? this.#sizeOf(folder);
          return size ? [{ name, ...size }] : [];
        });
        return {
          ...(await this.#logsOf(request)),
          volumes: new Map(sizes.map(({ name, bytes }) => [name, bytes])),
          volumeInodes: new Map(sizes.map(({ name, inodes }) => [name, inodes])),
        };
      }),
    );
  }

  async isElsewhere(other: string, than: string = this.#deps.rootFolder): Promise<boolean> {
    const [own, its] = await Promise.all([stat(than), stat(other)]);
    return own.dev !== its.dev;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#underWay;
    await this.#sizes.stop();
  }

  #sizeOf(folder: string): FolderSize | undefined {
    const { countsUnfinished = false } = this.#deps;
    return countsUnfinished ? this.#sizes.sizeSoFar(folder) : this.#sizes.sizeOf(folder);
  }

  #foldersOf({ pod, volumes }: PodDiskRequest): Promise<readonly VolumeFolder[]> {
    return Promise.all(
      volumes.map(async ({ name, kind }) => {
        const folder = this.#deps.layout.volumeFolder(pod.uid, kind, name);
        return { name, folder, inMemory: await memorySizeOf(folder) };
      }),
    );
  }

  async #logsOf({ pod, containers }: PodDiskRequest): Promise<Omit<PodDiskBytes, 'volumes'>> {
    if (containers.length === 0) return { logs: new Map(), logInodes: new Map(), otherBytes: 0 };
    const folder = this.#deps.files.logFolder(pod);
    const names = [...new Set(containers)];
    const [hosts, beside, ...logs] = await Promise.all([
      blocksOf(this.#deps.layout.hostsFile(pod.uid)),
      sizeOfFiles(folder),
      ...names.map((name) => sizeOfFiles(path.join(folder, name))),
    ]);
    return {
      logs: new Map(names.map((name, index) => [name, logs[index]?.bytes ?? 0])),
      logInodes: new Map(names.map((name, index) => [name, logs[index]?.inodes ?? 0])),
      otherBytes: hosts + beside.bytes,
    };
  }
}

/**
 * A mounted tmpfs reports its usage, to the page. A walk would keep a folder in it open, and an unmount
 * would fail meanwhile.
 */
async function memorySizeOf(folder: string): Promise<FolderSize | null> {
  try {
    if (!isMountedMemory(folder)) return null;
    const { blocks, bfree, bsize, files, ffree } = await statfs(folder);
    return { bytes: (blocks - bfree) * bsize, inodes: files - ffree };
  } catch {
    return null;
  }
}

async function sizeOfFiles(folder: string): Promise<FolderSize> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => !entry.isDirectory());
  const sizes = await Promise.all(files.map(({ name }) => blocksOf(path.join(folder, name))));
  return { bytes: sizes.reduce((sum, bytes) => sum + bytes, 0), inodes: files.length };
}

/** Zero: it does not exist, or not any more. */
async function blocksOf(file: string): Promise<number> {
  const stats = await lstat(file).catch(() => null);
  return stats ? stats.blocks * BYTES_PER_BLOCK : 0;
}
