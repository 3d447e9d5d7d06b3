/**
 * Collects a pod's limits on local disk usage, and the volumes to measure in order to check them.
 *
 *     emptyDir.sizeLimit                            of that volume, whatever its medium
 *     limits["ephemeral-storage"] of containers     of each regular container, and their sum (podLimits)
 *                                                   of the pod as a whole
 *
 * A pod as a whole uses its emptyDirs on disk, its ConfigMap volumes, its logs, its hosts file and the
 * writable layers of its containers. A volume in memory counts as memory, not as disk; only its own sizeLimit
 * applies to it.
 *
 * The fields are those of the API objects; this file declares the types of those that only these rules read.
 */
import { signOfQuantity, type Quantity } from '../../api/values/quantity.ts';
import { readQuantity } from '../../api/values/quantity-text.ts';
import type { Pod, PodSpec } from '../../api/pod.ts';
import type { ResourceList } from '../../api/resources.ts';
import { podLimits } from '../resources/pod-resources.ts';

export interface LocalStorageLimits {
  /** By volume name, in the order of the spec; a limit of zero or less is none. */
  readonly emptyDirs: ReadonlyMap<string, Quantity>;
  /** Null: no container has a limit. Zero is a limit, as in the kubelet. */
  readonly pod: Quantity | null;
  /** By name, regular containers only; a limit of zero is none. */
  readonly containers: ReadonlyMap<string, Quantity>;
  /** Everything whose size these limits depend on. */
  readonly measured: readonly MeasuredVolume[];
}

export interface MeasuredVolume {
  readonly name: string;
  readonly kind: 'empty-dir' | 'configmap';
  /** True: it counts as memory, not as disk. */
  readonly isInMemory: boolean;
}

const EPHEMERAL_STORAGE = 'ephemeral-storage';

/** Null: the pod has no limit, and nothing of it needs to be measured. */
export function localStorageLimits(pod: Pod): LocalStorageLimits | null {
  const volumes = volumesOf(pod);
  const emptyDirs = new Map(volumes.flatMap((volume) => sizeLimitOf(volume)));
  const whole = amountOf(podLimits(pod));
  if (emptyDirs.size === 0 && whole === null) return null;
  return {
    emptyDirs,
    pod: whole,
    containers: new Map(
      pod.spec.containers.flatMap(({ name, resources }) => {
        const limit = amountOf(resources?.limits);
        return limit && signOfQuantity(limit) !== 0 ? [[name, limit]] : [];
      }),
    ),
    measured: volumes.flatMap(measurable).filter(({ name, isInMemory }) => {
      return emptyDirs.has(name) || (whole !== null && !isInMemory);
    }),
  };
}

/** Everything of the pod's volumes that is on the node's disk and can be measured. */
export function diskVolumesOf(pod: Pod): readonly MeasuredVolume[] {
  return volumesOf(pod)
    .flatMap(measurable)
    .filter(({ isInMemory }) => !isInMemory);
}

interface Volume {
  readonly name: string;
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string | number };
  readonly configMap?: object;
}

interface PodSpecWithVolumes extends PodSpec {
  readonly volumes?: readonly Volume[];
}

function volumesOf(pod: Pod): readonly Volume[] {
  const { volumes = [] }: PodSpecWithVolumes = pod.spec;
  return volumes;
}

function sizeLimitOf({ name, emptyDir }: Volume): readonly (readonly [string, Quantity])[] {
  const sizeLimit = emptyDir?.sizeLimit ?? null;
  if (sizeLimit === null) return [];
  const limit = readQuantity(sizeLimit);
  return signOfQuantity(limit) > 0 ? [[name, limit]] : [];
}

function measurable({ name, emptyDir, configMap }: Volume): readonly MeasuredVolume[] {
  if (emptyDir) return [{ name, kind: 'empty-dir', isInMemory: (emptyDir.medium ?? '') !== '' }];
  return configMap ? [{ name, kind: 'configmap', isInMemory: false }] : [];
}

function amountOf(list: ResourceList | undefined): Quantity | null {
  const amount =
    list && Object.hasOwn(list, EPHEMERAL_STORAGE) ? list[EPHEMERAL_STORAGE] : undefined;
  return amount === undefined ? null : readQuantity(amount);
}
