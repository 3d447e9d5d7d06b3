/**
 * Decides the system calls with which the first process of a container assembles its root.
 *
 *     r      the root that the container sees, by a descriptor called `root`
 *     l/N    copies of the machine's mounts, below the layers, ID-mapped to the pod's range
 *     u/N    the layers above them, in memory, into which the container writes
 *
 * The root is an overlay layer above an image, or above podkeep's skeleton (machine-tree.ts) in which folders
 * of the machine are mounted. Volumes are attached as detached mounts. At the end the first process calls
 * pivot_root and unmounts the machine's root, so that nothing of it can be reached.
 *
 * 1. Every mount target is opened by descriptor inside the root: no link of an image or a volume leads out of
 *    it.
 * 2. Nothing is mounted below /proc; below /sys only hostPath volumes.
 * 3. A mount below another mount is made after it.
 * 4. Masked paths of /proc and /sys are covered after all other mounts, so that no mount can uncover them.
 */
import type { Stats } from 'node:fs';
import path from 'node:path';
import { ATTRIBUTE, MOUNT, NAMESPACE, type SystemCall } from '../../../lib/syscall-helper/calls.ts';
import type { Mount } from '../../../ports/runtime/container-config.ts';
import { mountUnusable } from '../errors.ts';
import { SHARED_MEMORY_OPTIONS } from '../sandbox/pod-namespaces.ts';
import type { TreeFolder } from './machine-tree.ts';

export interface RootRequest {
  /** A folder of podkeep; the container mounts a tmpfs on it. */
  readonly place: string;
  readonly base: { readonly folder: string; readonly tree: readonly TreeFolder[] };
  readonly users: RootUsers;
  /** Containers can write into overlay layers. False: images and folders of the machine are read-only. */
  readonly hasLayers: boolean;
  readonly isReadOnly: boolean;
  readonly isPrivileged: boolean;
  readonly mounts: readonly Mount[];
  readonly devices: readonly string[];
  readonly maskedPaths: readonly string[];
  readonly readonlyPaths: readonly string[];
  readonly workingDir: string;
  readonly hostname: string;
  /** The container has a process namespace, its own or its pod's. */
  readonly hasProcesses: boolean;
  /** The container has a network namespace, which its /sys shows. */
  readonly hasNetwork: boolean;
  /** The /dev/shm that all containers of the pod share; absent: the container has its own. */
  readonly sharedMemory?: string | undefined;
  /** The descriptor `shm` is open, if the pod's holder has a /dev/shm for all containers of the pod. */
  readonly borrowsMemory?: boolean;
  /** pid_max of the container's process namespace. Absent: the machine's. */
  readonly pidMax?: number | undefined;
  /** Stats the file that a path of the machine leads to. */
  readonly inspect: (file: string) => Stats | undefined;
}

/**
 * `machine`: the container's users are the machine's. `own`: those of a user namespace of an ordinary user.
 * `pod`: those of the pod's range of IDs, through the user namespace that is mounted on a file.
 */
export type RootUsers =
  | { readonly kind: 'machine' | 'own' }
  | {
      readonly kind: 'pod';
      readonly file: string;
      readonly firstId: number;
      /** Whether mounts of the machine's tree can be idmapped. */
      readonly mapsTree: boolean;
    };

const SAFE = MOUNT.noSuid | MOUNT.noDevices | MOUNT.noExec;
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
const DEVICE_FOLDERS = ['pts', 'mqueue', 'shm'];
const DEVICE_LINKS: readonly (readonly [target: string, name: string])[] = [
  ['/proc/self/fd', 'fd'],
  ['/proc/self/fd/0', 'stdin'],
  ['/proc/self/fd/1', 'stdout'],
  ['/proc/self/fd/2', 'stderr'],
  ['pts/ptmx', 'ptmx'],
];

/** The list does not create namespaces: the first process is already in them. */
export function rootCalls(request: RootRequest): readonly SystemCall[] {
  const { users, place, isReadOnly, workingDir, hostname } = request;
  const layers = [
    { lower: request.base.folder, path: '/' },
    ...request.base.tree.map((folder) => ({ lower: folder.path, ...folder })),
  ];
  return [
    // Later mounts of the machine appear only in volumes with mount propagation.
    ['mount', 'none', '/', 'none', MOUNT.recursive | MOUNT.slave, ''],
    ...(users.kind === 'pod' ? [['keep', 'users', users.file] as const] : []),
    ['mount', 'tmpfs', place, 'tmpfs', MOUNT.noSuid | MOUNT.noDevices, 'mode=755'],
    ['cd', place],
    ...['r', 'l', 'u', 'w'].map((name): SystemCall => ['folder', name]),
    ...layers.flatMap((layer, index) => layerCalls(request, layer, index)),
    ['keep', 'root', 'r', 'path'],
    ...(users.kind === 'pod' ? [['owner_in_root', users.firstId] as const] : []),
    ...systemCalls(request),
    ...pidMaxCalls(request),
    ...deviceCalls(request),
    ['make', 'root', '/etc/hostname', 'file', '', `${hostname}\n`],
    ...byDepth(request.mounts).flatMap((mount, index) => volumeCalls(request, mount, index)),
    ['make', 'root', workingDir, 'folder'],
    ...request.maskedPaths.map((file): SystemCall => ['mask', 'root', file]),
    ...request.readonlyPaths.map((file): SystemCall => ['freeze', 'root', file]),
    ...(isReadOnly ? layers.map(({ path: at }): SystemCall => restrict(at)) : []),
    ['pivot', 'root'],
    ...usersCalls(users),
  ];
}

function restrict(at: string): SystemCall {
  return ['restrict', 'root', at, ATTRIBUTE.readOnly];
}

/** In its new user namespace the process gets a copy of its mounts, in which none can be unmounted. */
function usersCalls(users: RootUsers): readonly SystemCall[] {
  if (users.kind !== 'pod') return [];
  return [
    ['join', 'users', NAMESPACE.user],
    ['groups'],
    ['user', 0, 0],
    ['unshare', NAMESPACE.mount],
  ];
}

interface Layer {
  readonly lower: string;
  readonly path: string;
  /** The container sees the folder as it is, read-only, without a layer above it. */
  readonly isFixed?: boolean;
}

function layerCalls(request: RootRequest, layer: Layer, index: number): readonly SystemCall[] {
  const { users, hasLayers } = request;
  const { lower, path: at, isFixed = false } = layer;
  const target = at === '/' ? 'r' : `r${at}`;
  const isBase = at === '/';
  const mapped = users.kind === 'pod' && (isBase || users.mapsTree) ? 'users' : '';
  const isLayered = hasLayers && !isFixed && (users.kind !== 'pod' || mapped !== '');
  const recursive = isLayered ? 0 : 1;
  const flags = isLayered ? 0 : ATTRIBUTE.readOnly;
  const name = `layer ${index}`;
  const copy: readonly SystemCall[] = [
    ['tree', name, lower, recursive],
    ['attributes', name, recursive, flags | ATTRIBUTE.noDevices, 0, MOUNT.private, mapped],
  ];
  if (!isLayered) return [...copy, ['show', name, target]];
  const [low, up, work] = [`l/${index}`, `u/${index}`, `w/${index}`];
  const options = [`lowerdir=${low}`, `upperdir=${up}`, `workdir=${work}`];
  if (users.kind === 'own') options.push('userxattr');
  return [
    ...copy,
    ...[low, up, work].map((folder): SystemCall => ['folder', folder]),
    ...(users.kind === 'pod' ? [['owner', up, users.firstId, users.firstId] as const] : []),
    ['show', name, low],
    ['mount', 'overlay', target, 'overlay', MOUNT.noDevices, options.join(',')],
  ];
}

function systemCalls({ hasProcesses, hasNetwork }: RootRequest): readonly SystemCall[] {
  const [proc, sys]: readonly (readonly SystemCall[])[] = [
    hasProcesses
      ? [['mount_in', 'root', 'proc', 'proc', 'proc', SAFE, '']]
      : boundCalls('/proc', 0),
    hasNetwork
      ? [['mount_in', 'root', 'sys', 'sysfs', 'sysfs', SAFE | MOUNT.readOnly, '']]
      : [...boundCalls('/sys', ATTRIBUTE.readOnly), ['mask', 'root', '/sys/fs/cgroup']],
  ];
  return [...(proc ?? []), ...(sys ?? [])];
}

function pidMaxCalls({ pidMax, hasProcesses }: RootRequest): readonly SystemCall[] {
  if (pidMax === undefined || !hasProcesses) return [];
  return [['make', 'root', '/proc/sys/kernel/pid_max', '', '', String(pidMax)]];
}

/** Binds a folder of a kernel file system, such as /sys, as the machine has it. */
function boundCalls(folder: string, flags: number): readonly SystemCall[] {
  return [
    ['tree', folder, folder, 1],
    ['attributes', folder, 1, flags, 0, MOUNT.private, ''],
    ['place', folder, 'root', folder, 'folder', 0],
  ];
}

function deviceCalls(request: RootRequest): readonly SystemCall[] {
  const { users, sharedMemory, borrowsMemory = false, inspect, devices } = request;
  const owner = users.kind === 'pod' ? `,uid=${users.firstId},gid=${users.firstId}` : '';
  const memory = `mode=755,size=65536k${owner}`;
  const pts = 'newinstance,ptmxmode=0666,mode=0620';
  const shared: readonly SystemCall[] =
    sharedMemory === undefined
      ? [
          ['mount_in', 'root', 'dev/shm', 'tmpfs', 'tmpfs', SAFE, SHARED_MEMORY_OPTIONS],
          ...(borrowsMemory ? [['?place', 'shm', 'root', '/dev/shm', 'folder', 0] as const] : []),
        ]
      : [
          ['tree', 'shm', sharedMemory, 0],
          ['attributes', 'shm', 0, SAFE, 0, MOUNT.private, ''],
          ['place', 'shm', 'root', '/dev/shm', 'folder', 0],
        ];
  const own = DEVICES.filter((name) => inspect(`/dev/${name}`));
  return [
    ['mount_in', 'root', 'dev', 'tmpfs', 'tmpfs', SAFE, memory],
    ['devices', 'root', DEVICE_FOLDERS.join(' '), ...own],
    ...devices.flatMap((file): readonly SystemCall[] => [
      ['tree', file, file, 0],
      ['attributes', file, 0, ATTRIBUTE.noSuid | ATTRIBUTE.noExec, 0, MOUNT.private, ''],
      ['place', file, 'root', file, 'file', 0],
    ]),
    ...DEVICE_LINKS.map(([target, name]): SystemCall => ['link', target, `r/dev/${name}`]),
    ['mount_in', 'root', 'dev/pts', 'devpts', 'devpts', MOUNT.noSuid | MOUNT.noExec, pts],
    ['?mount_in', 'root', 'dev/mqueue', 'mqueue', 'mqueue', SAFE, ''],
    ...shared,
  ];
}

function byDepth(mounts: readonly Mount[]): readonly Mount[] {
  const depth = ({ containerPath }: Mount): number =>
    path.posix.normalize(containerPath).split('/').length;
  return mounts.toSorted((a, b) => depth(a) - depth(b));
}

function volumeCalls(request: RootRequest, mount: Mount, index: number): readonly SystemCall[] {
  const { users, isPrivileged, inspect } = request;
  const { hostPath, isReadOnly, isRecursiveReadOnly, propagation, isHostPath = false } = mount;
  const at = checkedPath(mount);
  const found = inspect(hostPath);
  if (!found) throw mountUnusable({ containerPath: at, reason: `${hostPath} is not there` });
  const name = `volume ${index}`;
  const kept = propagation === 'HostToContainer' ? 0 : MOUNT.private;
  const flags =
    (isPrivileged ? 0 : ATTRIBUTE.noDevices) |
    (isHostPath && !isPrivileged ? ATTRIBUTE.noSuid : 0) |
    (isRecursiveReadOnly ? ATTRIBUTE.readOnly : 0);
  const isMapped = users.kind === 'pod';
  return [
    ...sourceCalls(mount, name),
    ['attributes', name, 1, flags, 0, kept, ''],
    // Not every file system of the machine supports ID-mapped mounts; that of podkeep's volumes does.
    ...(isMapped
      ? [[isHostPath ? '?attributes' : 'attributes', name, 1, 0, 0, 0, 'users'] as const]
      : []),
    ...(isReadOnly ? [['attributes', name, 0, ATTRIBUTE.readOnly, 0, 0, ''] as const] : []),
    ['place', name, 'root', at, found.isDirectory() ? 'folder' : 'file', isHostPath ? 1 : 0],
  ];
}

/**
 * A subPath is opened starting from its volume, so that no link that a container created leads out of the
 * volume.
 */
function sourceCalls({ hostPath, volumePath }: Mount, name: string): readonly SystemCall[] {
  if (volumePath === undefined) return [['tree', name, hostPath, 1]];
  const part = path.relative(volumePath, hostPath);
  return [
    ['keep', `${name} volume`, volumePath, 'path'],
    ['keep_beneath', `${name} part`, `${name} volume`, part === '' ? '.' : part],
    ['tree', name, `${name} part`, 1],
  ];
}

function checkedPath({ containerPath, propagation }: Mount): string {
  const refuse = (reason: string): Error => mountUnusable({ containerPath, reason });
  if (!path.isAbsolute(containerPath)) throw refuse('the path is not absolute');
  const at = path.posix.normalize(containerPath);
  if (containerPath.split('/').includes('..')) throw refuse('the path has ".." in it');
  if (at === '/') throw refuse('the root itself cannot be a volume');
  if (at === '/proc' || at.startsWith('/proc/')) {
    throw refuse('mounts below /proc are not permitted');
  }
  if (propagation === 'Bidirectional') {
    throw refuse('the process runtime cannot hand mounts of a container to the machine');
  }
  return at.replace(/\/$/, '');
}
