/**
 * The nine eviction signals of the kubelet, each with the node condition that it causes and the resource that
 * the eviction manager reclaims.
 *
 *     signal                         condition        resource
 *     memory.available               MemoryPressure   memory
 *     allocatableMemory.available    MemoryPressure   memory
 *     nodefs.*, imagefs.*,           DiskPressure     ephemeral-storage,
 *     containerfs.*                                   or inodes for *.inodesFree
 *     pid.available                  PIDPressure      pids
 */
import type { QuantityFormat } from '../../api/values/quantity.ts';

export type Pressure = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';

/** `inodes` and `pids` are names that only the eviction manager uses. */
export type StarvedResource = 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';

export type EvictionSignal =
  | 'memory.available'
  | 'allocatableMemory.available'
  | 'nodefs.available'
  | 'nodefs.inodesFree'
  | 'imagefs.available'
  | 'imagefs.inodesFree'
  | 'containerfs.available'
  | 'containerfs.inodesFree'
  | 'pid.available';

interface SignalFacts {
  readonly pressure: Pressure;
  readonly resource: StarvedResource;
}

const MEMORY: SignalFacts = { pressure: 'MemoryPressure', resource: 'memory' };
const DISK: SignalFacts = { pressure: 'DiskPressure', resource: 'ephemeral-storage' };
const INODES: SignalFacts = { pressure: 'DiskPressure', resource: 'inodes' };

const SIGNALS: Readonly<Record<EvictionSignal, SignalFacts>> = {
  'memory.available': MEMORY,
  'allocatableMemory.available': MEMORY,
  'nodefs.available': DISK,
  'nodefs.inodesFree': INODES,
  'imagefs.available': DISK,
  'imagefs.inodesFree': INODES,
  'containerfs.available': DISK,
  'containerfs.inodesFree': INODES,
  'pid.available': { pressure: 'PIDPressure', resource: 'pids' },
};

/** In the order of the node's conditions. */
export const PRESSURES: readonly Pressure[] = ['MemoryPressure', 'DiskPressure', 'PIDPressure'];

export const EVICTION_SIGNALS: readonly string[] = Object.keys(SIGNALS);

export function isEvictionSignal(name: string): name is EvictionSignal {
  return Object.hasOwn(SIGNALS, name);
}

export function pressureOf(signal: EvictionSignal): Pressure {
  return SIGNALS[signal].pressure;
}

export function resourceOf(signal: EvictionSignal): StarvedResource {
  return SIGNALS[signal].resource;
}

/** How messages print an amount of the resource. */
export function formatOf(resource: StarvedResource): QuantityFormat {
  return resource === 'inodes' || resource === 'pids' ? 'DecimalSI' : 'BinarySI';
}
