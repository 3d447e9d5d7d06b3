/**
 * Creates or updates one volume of a pod.
 *
 *     emptyDir                          a folder that lives as long as the pod
 *     configMap                         files on the disk, replaced as a whole when they change
 *     secret, downwardAPI, projected    the same in memory
 *     hostPath                          a path of the node, which is only checked
 *     persistentVolumeClaim             a path of the node, found through the claim
 *     image                             nothing here: the runtime mounts it when a container is created
 *
 * Every other kind is refused with an error that names it.
 */
import { mkdirSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '../../api/pod.ts';
import { writeAtomically } from './payload/atomic-writer.ts';
import { downwardPayload } from './payload/downward-payload.ts';
import { checkHostPath } from './mounts/host-path.ts';
import { memoryVolumeBytes } from './mounts/memory-size.ts';
import { nestedMountPoints } from './mounts/nested-mount-points.ts';
import { objectPayload } from './payload/object-payload.ts';
import { giveToGroup, type OwnershipRequest } from './mounts/ownership.ts';
import type { ClaimedVolume } from './persistent-claim.ts';
import {
  findObject,
  projectedPayload,
  type ProjectedPayload,
} from './payload/projected-payload.ts';
import { imageVolumesUnsupported, volumeUnsupported, volumeUnusable } from './volume-errors.ts';
import { makeVolumeFolder } from './volume-folder.ts';
import type { VolumeKind } from './volume-layout.ts';
import type { VolumeDeps } from './volume-deps.ts';
import { volumeSpecOf, type Volume } from './volume-spec.ts';

export interface MadeVolume {
  readonly name: string;
  readonly hostPath: string;
  /** Containers may not write to the volume, whatever their volumeMounts say. */
  readonly isReadOnly: boolean;
  /** Containers that mount it get this supplemental group. */
  readonly group?: number | undefined;
  /** It should be in memory, and is on the disk. */
  readonly isExposed?: boolean;
  /** Wall time at which the volume needs an update without a sync; null: never. */
  readonly renewAtMs: number | null;
}

export interface VolumeRequest {
  readonly pod: Pod;
  readonly volume: Volume;
  /** The PersistentVolume, if the volume is a claim. */
  readonly claimed: ClaimedVolume | null;
}

const DEFAULT_MODE = 0o644;

export async function makeVolume(
  deps: VolumeDeps,
  request: VolumeRequest,
  signal: AbortSignal,
): Promise<MadeVolume> {
  const { volume, claimed } = request;
  const { name, hostPath } = volume;
  if (deps.isSimulated) return simulateVolume(deps, request, signal);
  if (claimed) return makeClaimed(deps, request, claimed);
  if (volume.emptyDir) return makeEmptyDir(deps, request);
  if (volume.image) return makeImage(deps, volume);
  if (hostPath) {
    await checkHostPath(hostPath);
    return { name, hostPath: hostPath.path, isReadOnly: false, renewAtMs: null };
  }
  const kind = fileKindOf(volume);
  if (!kind) throw volumeUnsupported({ kind: sourceNameOf(volume) });
  return makeFiles(deps, request, kind, await payloadOf(deps, request, signal));
}

/** For simulated containers: the volume counts as mounted if its ConfigMaps and Secrets exist. */
async function simulateVolume(
  deps: VolumeDeps,
  request: VolumeRequest,
  signal: AbortSignal,
): Promise<MadeVolume> {
  const { volume } = request;
  if (fileKindOf(volume)) await payloadOf(deps, request, signal);
  return { name: volume.name, hostPath: '', isReadOnly: false, renewAtMs: null };
}

/** Whether each sync updates the volume. */
export function isLive(volume: Volume): boolean {
  return fileKindOf(volume) !== null;
}

function fileKindOf(volume: Volume): VolumeKind | null {
  if (volume.configMap) return 'configmap';
  if (volume.secret) return 'secret';
  if (volume.downwardAPI) return 'downward-api';
  return volume.projected ? 'projected' : null;
}

function sourceNameOf(volume: Volume): string {
  return Object.keys(volume).find((key) => key !== 'name') ?? 'unknown';
}

function makeImage({ mountsImages }: VolumeDeps, { name }: Volume): MadeVolume {
  if (!mountsImages?.()) throw imageVolumesUnsupported({ name });
  return { name, hostPath: '', isReadOnly: true, renewAtMs: null };
}

async function makeEmptyDir(deps: VolumeDeps, request: VolumeRequest): Promise<MadeVolume> {
  const { pod, volume } = request;
  const { medium = '', sizeLimit } = volume.emptyDir ?? {};
  if (medium.startsWith('HugePages')) throw volumeUnsupported({ kind: `emptyDir ${medium}` });
  if (medium !== '' && medium !== 'Memory') {
    throw volumeUnusable({ reason: `unknown storage medium ${JSON.stringify(medium)}` });
  }
  const folder = deps.layout.volumeFolder(pod.metadata.uid ?? '', 'empty-dir', volume.name);
  const sizeBytes = memoryVolumeBytes(pod, deps.node.allocatable(), sizeLimit);
  const inMemory = medium === 'Memory';
  await makeVolumeFolder({ folder, inMemory, sizeBytes, isSecret: false }, deps);
  await giveToPod(deps, pod, { folder, isReadOnly: false });
  return { name: volume.name, hostPath: folder, isReadOnly: false, renewAtMs: null };
}

async function makeClaimed(
  deps: VolumeDeps,
  { pod, volume }: VolumeRequest,
  { source, isLocal, isReadOnly, group }: ClaimedVolume,
): Promise<MadeVolume> {
  await checkHostPath(source);
  if (isLocal && !isReadOnly) {
    const policy = volumeSpecOf(pod).securityContext?.fsGroupChangePolicy;
    const onlyOnMismatch = policy === 'OnRootMismatch';
    const folder = await realpath(source.path);
    await giveToPod(deps, pod, { folder, isReadOnly: false, onlyOnMismatch });
  }
  return { name: volume.name, hostPath: source.path, isReadOnly, group, renewAtMs: null };
}

async function payloadOf(
  deps: VolumeDeps,
  { pod, volume }: VolumeRequest,
  signal: AbortSignal,
): Promise<ProjectedPayload> {
  const { configMap, secret, downwardAPI, projected } = volume;
  if (projected) return projectedPayload(deps, pod, projected, signal);
  if (downwardAPI) {
    const { items = [], defaultMode = DEFAULT_MODE } = downwardAPI;
    const files = downwardPayload(pod, items, deps.node.allocatable(), defaultMode);
    return { files, renewAtMs: null };
  }
  const source = configMap ?? secret ?? {};
  const kind = configMap ? 'ConfigMap' : 'Secret';
  const name = (configMap ? configMap.name : secret?.secretName) ?? '';
  const reference = { kind, namespace: pod.metadata.namespace ?? '', name } as const;
  const object = await findObject(deps, reference, source.optional, signal);
  const files = objectPayload(kind, object, source, source.defaultMode ?? DEFAULT_MODE);
  return { files, renewAtMs: null };
}

async function makeFiles(
  deps: VolumeDeps,
  { pod, volume }: VolumeRequest,
  kind: VolumeKind,
  { files, renewAtMs }: ProjectedPayload,
): Promise<MadeVolume> {
  const { name } = volume;
  const onDisk = deps.layout.volumeFolder(pod.metadata.uid ?? '', kind, name);
  const sizeBytes = memoryVolumeBytes(pod, deps.node.allocatable());
  const inMemory = kind !== 'configmap';
  const wish = { folder: onDisk, inMemory, sizeBytes, isSecret: true };
  const { folder, isExposed } = await makeVolumeFolder(wish, deps);
  for (const inner of nestedMountPoints(pod, name)) {
    mkdirSync(path.join(folder, inner), { recursive: true, mode: 0o755 });
  }
  await writeAtomically(folder, files, {
    nowMs: deps.clock.now(),
    // Applies to the whole volume, not only to the new files: the first time, the owner of its folder must
    // change, too.
    finish: () => giveToPod(deps, pod, { folder, isReadOnly: true }),
  });
  return { name, hostPath: folder, isReadOnly: true, isExposed, renewAtMs };
}

async function giveToPod(
  { log }: VolumeDeps,
  pod: Pod,
  request: Omit<OwnershipRequest, 'group'>,
): Promise<void> {
  const group = volumeSpecOf(pod).securityContext?.fsGroup;
  if (group === undefined) return;
  const failures = await giveToGroup({ ...request, group });
  if (failures === 0) return;
  log.warn('Failed to apply fsGroup to files of a volume', {
    folder: request.folder,
    group,
    failures,
  });
}
