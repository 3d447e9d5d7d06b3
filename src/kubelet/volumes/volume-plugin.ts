/**
 * Returns the plugin name that Kubernetes' kubelet gives to a volume, such as `kubernetes.io/empty-dir`, by
 * its source or its folder.
 */
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
  // A claim can only be a hostPath or local volume here.
  ['persistentVolumeClaim', 'local-volume'],
  ['ephemeral', 'local-volume'],
];

export function pluginOf(volume: Volume): string {
  const found = PLUGINS.find(([source]) => volume[source] !== undefined);
  return `${PREFIX}${found?.[1] ?? 'unknown'}`;
}

/** `folder` is the parent of the volume's folder, such as `kubernetes.io~empty-dir`. */
export function pluginOfFolder(folder: string): string {
  const isPlugin = folder.startsWith(FOLDER_PREFIX);
  return `${PREFIX}${isPlugin ? folder.slice(FOLDER_PREFIX.length) : 'unknown'}`;
}
