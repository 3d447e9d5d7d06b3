/**
 * What pods take on a real disk: their volumes, their logs and their hosts files.
 *
 *     volumes   walked, within a time limit (folder-sizes.ts); one in memory is asked as a whole
 *     logs      files right inside LOGS/POD/CONTAINER, and those right inside LOGS/POD
 *
 * Log rotation keeps logs few, so they are measured every time. As in the kubelet, folders of logs do not
 * count themselves; folders in volumes do.
 */
import { lstat, readdir, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { PodDiskBytes, PodDiskRequest, PodDiskUsage } from '../../ports/pod-disk-usage.ts';
import type { PodFiles } from '../../ports/pod-files.ts';
import { isMountedMemory } from '../volumes/own-file-system.ts';
import type { VolumeLayout } from '../volumes/volume-layout.ts';
import { FolderSizes } from './folder-sizes.ts';

export interface DiskUsageDeps {
  readonly clock: Clock;
  /** Such as /var/lib/podkeep. */
  readonly rootFolder: string;
  readonly layout: VolumeLayout;
  readonly files: Pick<PodFiles, 'logFolder'>;
}

interface VolumeFolder {
  readonly name: string;
  readonly folder: string;
  /** Of a volume in memory. Null: it has to be walked. */
  readonly memoryBytes: number | null;
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
      volumes.flatMap(({ folder, memoryBytes }) => (memoryBytes === null ? [folder] : [])),
    );
    const refresh = this.#sizes.refresh(walked, this.#abort.signal);
    this.#underWay = refresh;
    await refresh;
    return Promise.all(
      pods.map(async ({ request, volumes }) => ({
        ...(await this.#logsOf(request)),
        volumes: new Map(
          volumes.flatMap(({ name, folder, memoryBytes }) => {
            const bytes = memoryBytes ?? this.#sizes.bytesOf(folder);
            return bytes === undefined ? [] : [[name, bytes] as const];
          }),
        ),
      })),
    );
  }

  async isElsewhere(other: string): Promise<boolean> {
    const [own, its] = await Promise.all([stat(this.#deps.rootFolder), stat(other)]);
    return own.dev !== its.dev;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#underWay;
    await this.#sizes.stop();
  }

  #foldersOf({ pod, volumes }: PodDiskRequest): Promise<readonly VolumeFolder[]> {
    return Promise.all(
      volumes.map(async ({ name, kind }) => {
        const folder = this.#deps.layout.volumeFolder(pod.uid, kind, name);
        return { name, folder, memoryBytes: await memoryBytesOf(folder) };
      }),
    );
  }

  async #logsOf({ pod, containers }: PodDiskRequest): Promise<Omit<PodDiskBytes, 'volumes'>> {
    if (containers.length === 0) return { logs: new Map(), otherBytes: 0 };
    const folder = this.#deps.files.logFolder(pod);
    const names = [...new Set(containers)];
    const [hosts, beside, ...logs] = await Promise.all([
      blocksOf(this.#deps.layout.hostsFile(pod.uid)),
      bytesOfFiles(folder),
      ...names.map((name) => bytesOfFiles(path.join(folder, name))),
    ]);
    return {
      logs: new Map(names.map((name, index) => [name, logs[index] ?? 0])),
      otherBytes: hosts + beside,
    };
  }
}

/**
 * Memory that is mounted knows by itself how much of it is used, to the page. To walk it would keep a
 * folder in it open, and its unmount would fail meanwhile.
 */
async function memoryBytesOf(folder: string): Promise<number | null> {
  try {
    if (!isMountedMemory(folder)) return null;
    const { blocks, bfree, bsize } = await statfs(folder);
    return (blocks - bfree) * bsize;
  } catch {
    return null;
  }
}

async function bytesOfFiles(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => !entry.isDirectory());
  const sizes = await Promise.all(files.map(({ name }) => blocksOf(path.join(folder, name))));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

/** Zero: it is not there, or no more. */
async function blocksOf(file: string): Promise<number> {
  const stats = await lstat(file).catch(() => null);
  return stats ? stats.blocks * BYTES_PER_BLOCK : 0;
}
