/** The kubelet's names of volume plugins, by the source of a volume or by its folder. */
import type { Volume } from './volume-spec.ts';

const PREFIX = 'kubernetes.io/';
const FOLDER_PREFIX = 'kubernetes.io~';

const PLUGINS: readonly (readonly [source: keyof Volume, name: string])[] = [
  ['emptyDir', 'empty-dir'],
  ['hostPath', 'host-path'],
  ['configMap', 'configmap'],
  ['secret', 'secret'],
  ['downwardAPI', 'downward-api'],
  ['projected', 'projected'],
  ['image', 'image'],
  // Claims are followed to volumes of this node only.
  ['persistentVolumeClaim', 'local-volume'],
  ['ephemeral', 'local-volume'],
];

export function pluginOf(volume: Volume): string {
  const found = PLUGINS.find(([source]) => volume[source] !== undefined);
  return `${PREFIX}${found?.[1] ?? 'unknown'}`;
}

/** `folder` is the one above that of the volume, such as `kubernetes.io~empty-dir`. */
export function pluginOfFolder(folder: string): string {
  const isPlugin = folder.startsWith(FOLDER_PREFIX);
  return `${PREFIX}${isPlugin ? folder.slice(FOLDER_PREFIX.length) : 'unknown'}`;
}
