/**
 * Decides, by the file systems that hold pods (nodefs), images (imagefs) and writable layers (containerfs),
 * which disk usage counts for a signal and what the kubelet reclaims first.
 *
 *     layout      nodefs                         imagefs                  containerfs is
 *     single      everything                     is nodefs                nodefs
 *     dedicated   logs, volumes                  images, writable layers  imagefs
 *     split       logs, volumes, writable layers images                   nodefs
 *
 * Thresholds of containerfs cannot be configured. Like Kubernetes' kubelet, podkeep ignores them with a
 * warning, and uses the thresholds of the file system that containerfs is on.
 */
import type { EvictionSignal } from './eviction-signal.ts';
import { isHardThreshold, type EvictionThreshold } from './eviction-threshold.ts';

export type FileSystemLayout = 'single' | 'dedicated' | 'split';

/** A part of a pod's disk usage. */
export type DiskPart = 'writable-layers' | 'logs' | 'volumes';

/** What the kubelet removes before it evicts a pod. */
export type ReclaimStep = 'containers' | 'images';

type FileSystem = 'nodefs' | 'imagefs' | 'containerfs';

const ALL_PARTS: readonly DiskPart[] = ['writable-layers', 'logs', 'volumes'];

const PARTS: Readonly<Record<FileSystemLayout, Readonly<Record<FileSystem, readonly DiskPart[]>>>> =
  {
    single: { nodefs: ALL_PARTS, imagefs: ALL_PARTS, containerfs: ALL_PARTS },
    dedicated: {
      nodefs: ['logs', 'volumes'],
      imagefs: ['writable-layers'],
      containerfs: ['writable-layers'],
    },
    split: { nodefs: ALL_PARTS, imagefs: [], containerfs: ALL_PARTS },
  };

const BOTH: readonly ReclaimStep[] = ['containers', 'images'];

const STEPS: Readonly<
  Record<FileSystemLayout, Readonly<Record<FileSystem, readonly ReclaimStep[]>>>
> = {
  single: { nodefs: BOTH, imagefs: BOTH, containerfs: BOTH },
  dedicated: { nodefs: [], imagefs: BOTH, containerfs: BOTH },
  split: { nodefs: ['containers'], imagefs: ['images'], containerfs: ['containers'] },
};

/** The parts of a pod's disk usage that count for the signal. */
export function diskParts(signal: EvictionSignal, layout: FileSystemLayout): readonly DiskPart[] {
  const fileSystem = fileSystemOf(signal);
  return fileSystem ? PARTS[layout][fileSystem] : [];
}

/** The steps in their order. There are none for memory and process IDs: only evictions free these. */
export function reclaimSteps(
  signal: EvictionSignal,
  layout: FileSystemLayout,
): readonly ReclaimStep[] {
  const fileSystem = fileSystemOf(signal);
  return fileSystem ? STEPS[layout][fileSystem] : [];
}

/** The file system of which containerfs is another name. */
export function containerFsIs(layout: FileSystemLayout): 'nodefs' | 'imagefs' {
  return layout === 'dedicated' ? 'imagefs' : 'nodefs';
}

/** Adds the thresholds of containerfs, and returns a warning for each one that was configured. */
export function withContainerFsThresholds(
  thresholds: readonly EvictionThreshold[],
  layout: FileSystemLayout,
): { readonly thresholds: readonly EvictionThreshold[]; readonly warnings: readonly string[] } {
  const base = containerFsIs(layout);
  const configured = thresholds.filter(({ signal }) => fileSystemOf(signal) === 'containerfs');
  const others = thresholds.filter((threshold) => !configured.includes(threshold));
  const derived = others.flatMap((threshold): readonly EvictionThreshold[] => {
    if (threshold.signal === `${base}.available`) {
      return [{ ...threshold, signal: 'containerfs.available' }];
    }
    if (threshold.signal === `${base}.inodesFree`) {
      return [{ ...threshold, signal: 'containerfs.inodesFree' }];
    }
    return [];
  });
  const warnings = configured.map((threshold) => {
    const kind = isHardThreshold(threshold) ? 'hard' : 'soft';
    return `found ${threshold.signal} for ${kind} eviction. ignoring`;
  });
  return { thresholds: [...others, ...derived], warnings };
}

function fileSystemOf(signal: EvictionSignal): FileSystem | null {
  const [name] = signal.split('.');
  return name === 'nodefs' || name === 'imagefs' || name === 'containerfs' ? name : null;
}
