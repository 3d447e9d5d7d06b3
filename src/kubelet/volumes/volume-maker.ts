/**
 * Makes one volume of a pod, or brings it up to date.
 *
 *     emptyDir                          a folder that lives as long as the pod
 *     configMap                         files on the disk, exchanged as a whole when they change
 *     secret, downwardAPI, projected    the same in memory
 *     hostPath                          a path of the node, checked and nothing else
 *     persistentVolumeClaim             such a path, found by way of its claim
 *
 * Everything else is refused in so many words.
 */
import { mkdirSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '../../api/pod.ts';
import { writeAtomically } from './atomic-writer.ts';
import { downwardPayload } from './downward-payload.ts';
import { checkHostPath } from './host-path.ts';
import { memoryVolumeBytes } from './memory-size.ts';
import { nestedMountPoints } from './nested-mount-points.ts';
import { objectPayload } from './object-payload.ts';
import { giveToGroup, type OwnershipRequest } from './ownership.ts';
import type { ClaimedVolume } from './persistent-claim.ts';
import { findObject, projectedPayload, type ProjectedPayload } from './projected-payload.ts';
import { volumeUnsupported, volumeUnusable } from './volume-errors.ts';
import { makeVolumeFolder } from './volume-folder.ts';
import type { VolumeKind } from './volume-layout.ts';
import type { VolumeRoom } from './volume-room.ts';
import { volumeSpecOf, type Volume } from './volume-spec.ts';

export interface MadeVolume {
  readonly name: string;
  readonly hostPath: string;
  /** Containers may not write to it, whatever their mounts say. */
  readonly isReadOnly: boolean;
  /** Those who mount it get this group besides their own. */
  readonly group?: number | undefined;
  /** Wall time at which it should be made anew by itself; null: never. */
  readonly renewAtMs: number | null;
}

export interface VolumeRequest {
  readonly pod: Pod;
  readonly volume: Volume;
  /** Where the claim leads, if it is one. */
  readonly claimed: ClaimedVolume | null;
}

const DEFAULT_MODE = 0o644;

export async function makeVolume(
  room: VolumeRoom,
  request: VolumeRequest,
  signal: AbortSignal,
): Promise<MadeVolume> {
  const { volume, claimed } = request;
  const { name, hostPath } = volume;
  if (room.isImagined) return imagine(room, request, signal);
  if (claimed) return makeClaimed(room, request, claimed);
  if (volume.emptyDir) return makeEmptyDir(room, request);
  if (hostPath) {
    await checkHostPath(hostPath);
    return { name, hostPath: hostPath.path, isReadOnly: false, renewAtMs: null };
  }
  const kind = fileKindOf(volume);
  if (!kind) throw volumeUnsupported({ kind: sourceNameOf(volume) });
  return makeFiles(room, request, kind, await payloadOf(room, request, signal));
}

/** What a volume needs must be there, as for any other; then it counts as made. */
async function imagine(
  room: VolumeRoom,
  request: VolumeRequest,
  signal: AbortSignal,
): Promise<MadeVolume> {
  const { volume } = request;
  if (fileKindOf(volume)) await payloadOf(room, request, signal);
  return { name: volume.name, hostPath: '', isReadOnly: false, renewAtMs: null };
}

/** Whether a sync brings it up to date. */
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

async function makeEmptyDir(room: VolumeRoom, request: VolumeRequest): Promise<MadeVolume> {
  const { pod, volume } = request;
  const { medium = '', sizeLimit } = volume.emptyDir ?? {};
  if (medium.startsWith('HugePages')) throw volumeUnsupported({ kind: `emptyDir ${medium}` });
  if (medium !== '' && medium !== 'Memory') {
    throw volumeUnusable({ reason: `unknown storage medium ${JSON.stringify(medium)}` });
  }
  const folder = room.layout.volumeFolder(pod.metadata.uid ?? '', 'empty-dir', volume.name);
  const sizeBytes = memoryVolumeBytes(pod, room.node.allocatable(), sizeLimit);
  const inMemory = medium === 'Memory';
  await makeVolumeFolder({ folder, inMemory, sizeBytes, isSecret: false }, room);
  await giveToPod(room, pod, { folder, isReadOnly: false });
  return { name: volume.name, hostPath: folder, isReadOnly: false, renewAtMs: null };
}

async function makeClaimed(
  room: VolumeRoom,
  { pod, volume }: VolumeRequest,
  { source, isLocal, isReadOnly, group }: ClaimedVolume,
): Promise<MadeVolume> {
  await checkHostPath(source);
  if (isLocal && !isReadOnly) {
    const policy = volumeSpecOf(pod).securityContext?.fsGroupChangePolicy;
    const onlyOnMismatch = policy === 'OnRootMismatch';
    const folder = await realpath(source.path);
    await giveToPod(room, pod, { folder, isReadOnly: false, onlyOnMismatch });
  }
  return { name: volume.name, hostPath: source.path, isReadOnly, group, renewAtMs: null };
}

async function payloadOf(
  room: VolumeRoom,
  { pod, volume }: VolumeRequest,
  signal: AbortSignal,
): Promise<ProjectedPayload> {
  const { configMap, secret, downwardAPI, projected } = volume;
  if (projected) return projectedPayload(room, pod, projected, signal);
  if (downwardAPI) {
    const { items = [], defaultMode = DEFAULT_MODE } = downwardAPI;
    const files = downwardPayload(pod, items, room.node.allocatable(), defaultMode);
    return { files, renewAtMs: null };
  }
  const source = configMap ?? secret ?? {};
  const kind = configMap ? 'ConfigMap' : 'Secret';
  const name = (configMap ? configMap.name : secret?.secretName) ?? '';
  const reference = { kind, namespace: pod.metadata.namespace ?? '', name } as const;
  const object = await findObject(room, reference, source.optional, signal);
  const files = objectPayload(kind, object, source, source.defaultMode ?? DEFAULT_MODE);
  return { files, renewAtMs: null };
}

async function makeFiles(
  room: VolumeRoom,
  { pod, volume }: VolumeRequest,
  kind: VolumeKind,
  { files, renewAtMs }: ProjectedPayload,
): Promise<MadeVolume> {
  const { name } = volume;
  const folder = room.layout.volumeFolder(pod.metadata.uid ?? '', kind, name);
  const sizeBytes = memoryVolumeBytes(pod, room.node.allocatable());
  const inMemory = kind !== 'configmap';
  await makeVolumeFolder({ folder, inMemory, sizeBytes, isSecret: true }, room);
  for (const inner of nestedMountPoints(pod, name)) {
    mkdirSync(path.join(folder, inner), { recursive: true, mode: 0o755 });
  }
  await writeAtomically(folder, files, {
    nowMs: room.clock.now(),
    // All of the volume, not only what is new: the first time, its own folder has to change hands too.
    finish: () => giveToPod(room, pod, { folder, isReadOnly: true }),
  });
  return { name, hostPath: folder, isReadOnly: true, renewAtMs };
}

async function giveToPod(
  { log }: VolumeRoom,
  pod: Pod,
  request: Omit<OwnershipRequest, 'group'>,
): Promise<void> {
  const group = volumeSpecOf(pod).securityContext?.fsGroup;
  if (group === undefined) return;
  const failures = await giveToGroup({ ...request, group });
  if (failures === 0) return;
  log.warn('files of a volume could not be given to the group of their pod', {
    folder: request.folder,
    group,
    failures,
  });
}
