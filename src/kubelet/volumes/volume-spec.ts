/**
 * Types the fields of a pod's spec that define its volumes, and finds the volumes that its containers use.
 *
 * podkeep's Pod type leaves these fields untyped. A volume that no container mounts is not created.
 */
import type { Container, Pod, PodSpec } from '../../api/pod.ts';
import type { FieldRef, ResourceFieldRef } from '../../core/environment/input-spec.ts';

export interface Volume {
  readonly name: string;
  readonly emptyDir?: EmptyDirSource;
  readonly hostPath?: HostPathSource;
  readonly configMap?: ConfigMapSource;
  readonly secret?: SecretSource;
  readonly downwardAPI?: DownwardSource;
  readonly projected?: ProjectedSource;
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean };
  readonly ephemeral?: object;
  readonly image?: ImageSource;
}

/** The files of an image, read-only (KEP-4639). */
export interface ImageSource {
  readonly reference?: string;
  readonly pullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
}

export interface EmptyDirSource {
  readonly medium?: string;
  readonly sizeLimit?: string | number;
}

export interface HostPathSource {
  readonly path: string;
  readonly type?: string;
}

export interface KeyToPath {
  readonly key: string;
  readonly path: string;
  readonly mode?: number;
}

export interface ObjectItems {
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

export interface ConfigMapSource extends ObjectItems {
  readonly name?: string;
  readonly defaultMode?: number;
}

export interface SecretSource extends ObjectItems {
  readonly secretName?: string;
  readonly defaultMode?: number;
}

export interface DownwardFile {
  readonly path: string;
  readonly fieldRef?: FieldRef;
  readonly resourceFieldRef?: ResourceFieldRef;
  readonly mode?: number;
}

export interface DownwardSource {
  readonly items?: readonly DownwardFile[];
  readonly defaultMode?: number;
}

export interface ProjectedSource {
  readonly sources?: readonly Projection[];
  readonly defaultMode?: number;
}

export interface Projection {
  readonly secret?: ObjectItems & { readonly name?: string };
  readonly configMap?: ObjectItems & { readonly name?: string };
  readonly downwardAPI?: { readonly items?: readonly DownwardFile[] };
  readonly serviceAccountToken?: TokenProjection;
  readonly clusterTrustBundle?: object;
  readonly podCertificate?: object;
}

export interface TokenProjection {
  readonly audience?: string;
  readonly expirationSeconds?: number;
  readonly path: string;
}

export interface VolumePodSpec extends PodSpec {
  readonly containers: readonly VolumeContainer[];
  readonly initContainers?: readonly VolumeContainer[];
  readonly ephemeralContainers?: readonly VolumeContainer[];
  readonly volumes?: readonly Volume[];
  readonly serviceAccountName?: string;
  readonly securityContext?: {
    readonly fsGroup?: number;
    readonly fsGroupChangePolicy?: 'Always' | 'OnRootMismatch';
    readonly runAsUser?: number;
  };
}

export interface VolumeContainer extends Container {
  readonly volumeDevices?: readonly { readonly name: string; readonly devicePath: string }[];
  readonly securityContext?: { readonly runAsUser?: number };
}

export function volumeSpecOf(pod: Pod): VolumePodSpec {
  return pod.spec;
}

export function allContainersOf(pod: Pod): readonly VolumeContainer[] {
  const { initContainers = [], containers, ephemeralContainers = [] } = volumeSpecOf(pod);
  return [...initContainers, ...containers, ...ephemeralContainers];
}

/** Names of the volumes that containers mount or use as a device, sorted. */
export function usedVolumeNames(pod: Pod): readonly string[] {
  const names = allContainersOf(pod).flatMap(({ volumeMounts = [], volumeDevices = [] }) =>
    [...volumeMounts, ...volumeDevices].map(({ name }) => name),
  );
  return [...new Set(names)].sort();
}

/** The user that owns the pod's tokens. Undefined: the containers run as different users, or name none. */
export function commonUserOf(pod: Pod): number | undefined {
  const { securityContext } = volumeSpecOf(pod);
  const users = allContainersOf(pod).map(
    (container) => container.securityContext?.runAsUser ?? securityContext?.runAsUser,
  );
  return new Set(users).size === 1 ? users[0] : undefined;
}
