/**
 * Builds the mounts of a container: its volumes, or sub paths of them, and the hosts file.
 *
 * An error of a sub path is reported without its cause, because the cause could reveal files of the node to
 * users who may only see the pod.
 */
import { constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Pod } from '../../api/pod.ts';
import type { Log } from '../../ports/log.ts';
import type { EnvironmentVariable, Mount } from '../../ports/runtime/container-config.ts';
import { writeExactFile } from '../volumes/files/exact-file.ts';
import { hostNetworkHosts, managedHosts, needsHostsFile } from '../volumes/payload/hosts-file.ts';
import type { Mounter } from '../volumes/mounts/mounter.ts';
import { openSubPath, type SubPath } from '../volumes/mounts/sub-path.ts';
import type { VolumeLayout } from '../volumes/volume-layout.ts';
import type { MadeVolume } from '../volumes/volume-maker.ts';
import { volumeSpecOf } from '../volumes/volume-spec.ts';
import { inputUnresolved } from '../../core/environment/environment-errors.ts';
import { expand } from '../../core/environment/expansion.ts';
import type { InputContainer, InputVolumeMount } from '../../core/environment/input-spec.ts';

export interface MountsDeps {
  readonly layout: VolumeLayout;
  readonly mounter: Mounter;
  readonly log: Log;
  readonly clusterDomain: string;
  /** Whether the runtime can make mounts below a mount read-only, too. */
  readonly supportsRecursiveReadOnly: () => boolean;
  /** Whether the runtime can mount a part of an image. */
  readonly mountsImageSubPaths: () => boolean;
  /** The node's own, such as /etc/hosts. */
  readonly nodeHostsFile: string;
}

export interface MountsRequest {
  readonly pod: Pod;
  readonly container: InputContainer;
  readonly podIPs: readonly string[];
  readonly env: readonly EnvironmentVariable[];
  readonly volumes: ReadonlyMap<string, MadeVolume>;
  /** References of images by the names of their volumes. */
  readonly imageVolumes: ReadonlyMap<string, string>;
}

const HOSTS_PATH = '/etc/hosts';
const HOSTS_MODE = 0o644;
/** The file is overwritten in place, because running containers have it mounted. */
const IN_PLACE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

export async function containerMounts(
  deps: MountsDeps,
  request: MountsRequest,
): Promise<readonly Mount[]> {
  const mounts: Mount[] = [];
  const { volumeMounts = [] } = request.container;
  for (const [index, mount] of volumeMounts.entries()) {
    mounts.push(await mountOf(deps, request, mount, index));
  }
  const hasOwnHosts = volumeMounts.some(({ mountPath }) => mountPath === HOSTS_PATH);
  const needsHosts = needsHostsFile(request.pod, request.podIPs) && !hasOwnHosts;
  return needsHosts ? [...mounts, await hostsMount(deps, request)] : mounts;
}

async function mountOf(
  deps: MountsDeps,
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
  const imageRef = request.imageVolumes.get(name);
  const part =
    imageRef !== undefined
      ? imagePart(deps, name, imageRef, subPath)
      : subPath === ''
        ? { hostPath: volume.hostPath }
        : await partOf(deps, request, mount, index, subPath);
  return {
    containerPath: mountPath.startsWith('/') ? mountPath : `/${mountPath}`,
    ...part,
    ...(isHostPath(request.pod, name) && { isHostPath: true }),
    isReadOnly: readOnly || volume.isReadOnly,
    isRecursiveReadOnly: isRecursiveReadOnly(mount, deps.supportsRecursiveReadOnly()),
    propagation: mount.mountPropagation ?? 'None',
  };
}

function imagePart(
  { mountsImageSubPaths }: MountsDeps,
  name: string,
  imageRef: string,
  imageSubPath: string,
): Pick<Mount, 'hostPath' | 'imageRef' | 'imageSubPath'> {
  if (imageSubPath === '') return { hostPath: '', imageRef };
  if (mountsImageSubPaths()) return { hostPath: '', imageRef, imageSubPath };
  const reason =
    'the container runtime of this node cannot mount a subPath of image volume ' +
    `${JSON.stringify(name)}: that needs containerd 2.2, CRI-O 1.33, or newer`;
  throw inputUnresolved({ reason });
}

/** The volume is a path of the node, directly or through its claim. */
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

/** A variable without a value would change the path, so it is an error. */
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
  { layout, mounter, log }: MountsDeps,
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
    log.warn('Failed to prepare subPath for volumeMount of the container', {
      uid,
      volume: name,
      subPath,
      error,
    });
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
async function hostsMount(deps: MountsDeps, { pod, podIPs }: MountsRequest): Promise<Mount> {
  const content = pod.spec.hostNetwork
    ? hostNetworkHosts(pod, await readFile(deps.nodeHostsFile, 'utf8'))
    : managedHosts(pod, podIPs, deps.clusterDomain);
  const hostPath = deps.layout.hostsFile(pod.metadata.uid ?? '');
  writeExactFile(hostPath, IN_PLACE, { content, mode: HOSTS_MODE });
  return {
    containerPath: HOSTS_PATH,
    hostPath,
    isReadOnly: false,
    isRecursiveReadOnly: false,
    propagation: 'None',
  };
}
