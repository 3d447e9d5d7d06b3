/**
 * What is mounted into a container: its volumes, or parts of them, and the hosts file.
 *
 * What goes wrong with a part of a volume is told without its reason: that could describe files of the
 * node to somebody who may only see the pod.
 */
import { constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Pod } from '../../api/pod.ts';
import type { Log } from '../../ports/log.ts';
import type { EnvironmentVariable, Mount } from '../../ports/runtime/container-config.ts';
import { writeExactFile } from '../exact-file.ts';
import { hostNetworkHosts, managedHosts, needsHostsFile } from '../volumes/hosts-file.ts';
import type { Mounter } from '../volumes/mounter.ts';
import { openSubPath, type SubPath } from '../volumes/sub-path.ts';
import type { VolumeLayout } from '../volumes/volume-layout.ts';
import type { MadeVolume } from '../volumes/volume-maker.ts';
import { volumeSpecOf } from '../volumes/volume-spec.ts';
import { inputUnresolved } from './environment-errors.ts';
import { expand } from './expansion.ts';
import type { InputContainer, InputVolumeMount } from './input-spec.ts';

export interface MountsRoom {
  readonly layout: VolumeLayout;
  readonly mounter: Mounter;
  readonly log: Log;
  readonly clusterDomain: string;
  /** Whether the runtime can make mounts below a mount read-only too. */
  readonly supportsRecursiveReadOnly: () => boolean;
  /** The node's own, such as /etc/hosts. */
  readonly nodeHostsFile: string;
}

export interface MountsRequest {
  readonly pod: Pod;
  readonly container: InputContainer;
  readonly podIPs: readonly string[];
  readonly env: readonly EnvironmentVariable[];
  readonly volumes: ReadonlyMap<string, MadeVolume>;
}

const HOSTS_PATH = '/etc/hosts';
const HOSTS_MODE = 0o644;
/** In place: containers that run have this very file mounted. */
const IN_PLACE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

export async function containerMounts(
  room: MountsRoom,
  request: MountsRequest,
): Promise<readonly Mount[]> {
  const mounts: Mount[] = [];
  const { volumeMounts = [] } = request.container;
  for (const [index, mount] of volumeMounts.entries()) {
    mounts.push(await mountOf(room, request, mount, index));
  }
  const hasOwnHosts = volumeMounts.some(({ mountPath }) => mountPath === HOSTS_PATH);
  const needsHosts = needsHostsFile(request.pod, request.podIPs) && !hasOwnHosts;
  return needsHosts ? [...mounts, await hostsMount(room, request)] : mounts;
}

async function mountOf(
  room: MountsRoom,
  request: MountsRequest,
  mount: InputVolumeMount,
  index: number,
): Promise<Mount> {
  const { name, mountPath, readOnly = false } = mount;
  const volume = request.volumes.get(name);
  if (!volume) {
    const container = JSON.stringify(request.container.name);
    const reason = `cannot find volume ${JSON.stringify(name)} to mount into container ${container}`;
    throw inputUnresolved({ reason });
  }
  const subPath = subPathOf(mount, request.env);
  const part =
    subPath === ''
      ? { hostPath: volume.hostPath }
      : await partOf(room, request, mount, index, subPath);
  return {
    containerPath: mountPath.startsWith('/') ? mountPath : `/${mountPath}`,
    ...part,
    ...(isHostPath(request.pod, name) && { isHostPath: true }),
    isReadOnly: readOnly || volume.isReadOnly,
    isRecursiveReadOnly: isRecursiveReadOnly(mount, room.supportsRecursiveReadOnly()),
    propagation: mount.mountPropagation ?? 'None',
  };
}

/** It names a path of the machine, itself or by its claim. */
function isHostPath(pod: Pod, name: string): boolean {
  const volume = volumeSpecOf(pod).volumes?.find((each) => each.name === name);
  return volume?.hostPath !== undefined || volume?.persistentVolumeClaim !== undefined;
}

function subPathOf(mount: InputVolumeMount, env: readonly EnvironmentVariable[]): string {
  const { subPath: plain = '', subPathExpr = '' } = mount;
  const subPath = subPathExpr === '' ? plain : expandSubPath(subPathExpr, env);
  if (subPath.startsWith('/')) {
    const reason = `error SubPath \`${subPath}\` must not be an absolute path`;
    throw inputUnresolved({ reason });
  }
  if (subPath.split('/').includes('..')) {
    const reason = `unable to provision SubPath \`${subPath}\`: must not contain '..'`;
    throw inputUnresolved({ reason });
  }
  return subPath;
}

/** A variable without a value would make another folder of the same path, so it is a mistake. */
function expandSubPath(expression: string, env: readonly EnvironmentVariable[]): string {
  const values = new Map(env.map(({ name, value }) => [name, value]));
  const missing = new Set<string>();
  const expanded = expand(expression, (name) => {
    const value = values.get(name) ?? '';
    if (value === '') missing.add(name);
    return value;
  });
  if (missing.size === 0) return expanded;
  throw inputUnresolved({ reason: `missing value for ${[...missing].sort().join(', ')}` });
}

async function partOf(
  { layout, mounter, log }: MountsRoom,
  { pod, container, volumes }: MountsRequest,
  { name }: InputVolumeMount,
  index: number,
  subPath: string,
): Promise<SubPath> {
  const { uid = '' } = pod.metadata;
  const target = layout.subPathTarget(uid, { volume: name, container: container.name, index });
  const volumePath = volumes.get(name)?.hostPath ?? '';
  try {
    return await openSubPath(mounter, { volumePath, subPath, target });
  } catch (error) {
    log.warn('a part of a volume cannot be mounted', { uid, volume: name, subPath, error });
    const reason =
      `failed to prepare subPath for volumeMount ${JSON.stringify(name)} of container ` +
      JSON.stringify(container.name);
    throw inputUnresolved({ reason }, error);
  }
}

function isRecursiveReadOnly(mount: InputVolumeMount, isSupported: boolean): boolean {
  const { recursiveReadOnly = 'Disabled', readOnly = false, mountPropagation = 'None' } = mount;
  if (recursiveReadOnly === 'Disabled') return false;
  const wish = `volume ${JSON.stringify(mount.name)} requested recursive read-only mode`;
  const fault = !readOnly
    ? 'it is not read-only'
    : mountPropagation !== 'None'
      ? `it is not compatible with propagation ${JSON.stringify(mountPropagation)}`
      : recursiveReadOnly === 'Enabled' && !isSupported
        ? 'it is not supported by the runtime'
        : null;
  if (fault === null) return isSupported;
  const reason = `failed to resolve recursive read-only mode: ${wish}, but ${fault}`;
  throw inputUnresolved({ reason });
}

/** Written at every start. */
async function hostsMount(room: MountsRoom, { pod, podIPs }: MountsRequest): Promise<Mount> {
  const content = pod.spec.hostNetwork
    ? hostNetworkHosts(pod, await readFile(room.nodeHostsFile, 'utf8'))
    : managedHosts(pod, podIPs, room.clusterDomain);
  const hostPath = room.layout.hostsFile(pod.metadata.uid ?? '');
  writeExactFile(hostPath, IN_PLACE, { content, mode: HOSTS_MODE });
  return {
    containerPath: HOSTS_PATH,
    hostPath,
    isReadOnly: false,
    isRecursiveReadOnly: false,
    propagation: 'None',
  };
}
