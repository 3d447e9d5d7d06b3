/**
 * Reads how full the volumes of a pod are, for volumes with their own file system: claims, CSI volumes, and
 * emptyDirs in memory. Volumes on the node's disk are not read: they fill the node's disk, for which the node
 * has DiskPressure, and the eviction manager checks size limits of emptyDirs. Each volume takes one statfs
 * call; no files are counted.
 */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '../../api/pod.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { readFileSystem, type FileSystemUsage } from '../stats/machine-usage.ts';
import { VolumeLayout } from '../volumes/volume-layout.ts';

const VOLUMES_MAX = 100;
const OWN_FILE_SYSTEM: readonly string[] = [
  'persistentVolumeClaim',
  'csi',
  'ephemeral',
  'emptyDir',
];

/** Leaves out volumes that cannot be read. */
export async function readVolumeSpace(
  rootFolder: string,
  pod: Pod,
): Promise<readonly JsonObject[]> {
  const volumes = volumesIn(pod.spec);
  if (!volumes.some((volume) => OWN_FILE_SYSTEM.some((kind) => kind in volume))) return [];
  const root = new VolumeLayout(rootFolder).volumesFolder(pod.metadata.uid ?? '');
  const node = await stat(rootFolder).catch(() => null);
  const found: JsonObject[] = [];
  for (const kind of await namesIn(root)) {
    for (const name of await namesIn(path.join(root, kind))) {
      if (found.length >= VOLUMES_MAX) return found;
      const folder = path.join(root, kind, name);
      const mounted = await stat(folder).catch(() => null);
      if (!mounted || mounted.dev === node?.dev) continue;
      const usage = await readFileSystem(folder);
      if (usage) found.push(volumeJson(name, usage));
    }
  }
  return found;
}

function volumeJson(name: string, usage: FileSystemUsage): JsonObject {
  const { capacityBytes, availableBytes, inodes, inodesFree } = usage;
  const used = Math.max(fraction(availableBytes, capacityBytes), fraction(inodesFree, inodes));
  return { name, capacityBytes, availableBytes, inodes, inodesFree, used };
}

/** A file system without inodes has 0 of them. */
function fraction(free: number, all: number): number {
  return all === 0 ? 0 : Math.round((1 - free / all) * 1000) / 1000;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

function volumesIn(spec: object): readonly object[] {
  const volumes: unknown = 'volumes' in spec ? spec.volumes : [];
  return Array.isArray(volumes) ? volumes.filter(isJsonObject) : [];
}
