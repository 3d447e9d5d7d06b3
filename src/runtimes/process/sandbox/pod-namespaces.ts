/**
 * Creates and removes the namespaces that the containers of a pod share: user, network, UTS and IPC. They are
 * mounted on files that keep them alive. Only root has them.
 *
 *     pod: eth0 ──veth pair── machine: `link`, attached to the bridge of this runtime
 *
 * The user namespace is created first, so that it owns the others and the pod has rights on its own network
 * only.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  INSIDE_PID,
  MOUNT,
  NAMESPACE,
  type SystemCall,
} from '../../../lib/syscall-helper/calls.ts';
import { address, veth, defaultRoute, linkUp } from '../../../lib/syscall-helper/netlink.ts';
import type { NamespaceOrder } from '../../../lib/syscall-helper/orders.ts';
import type { SyscallHelper } from '../../../lib/syscall-helper/syscall-helper.ts';
import type { SandboxConfig } from '../../../ports/runtime/sandbox-config.ts';
import type { IdRange } from '../machine/users/id-ranges.ts';

export interface PodNetwork {
  /** The machine's end of the veth pair. */
  readonly link: string;
  readonly ip: string;
  readonly gateway: string;
  readonly bridge: string;
}

export interface PodNamespacesRequest {
  /** The prefix of the files on which the namespaces are mounted. */
  readonly files: string;
  readonly config: SandboxConfig;
  /** Absent: the pod shares the machine's network, and with it the host name. */
  readonly network?: PodNetwork | undefined;
  /** Absent: the pod has the machine's users. */
  readonly users?: IdRange | undefined;
}

const NETWORK_KINDS = ['net', 'uts', 'ipc'] as const;
const KINDS = ['user', ...NETWORK_KINDS] as const;
const PREFIX = 24;
/** Mount options of /dev/shm, as in container runtimes. */
export const SHARED_MEMORY_OPTIONS = 'mode=1777,size=65536k';

/** The file on which a namespace is mounted. */
export function namespaceFile(files: string, kind: (typeof KINDS)[number]): string {
  return `${files}.${kind}`;
}

/** The folder on which the pod's /dev/shm is mounted. */
export function sharedMemoryFolder(files: string): string {
  return `${files}.shm`;
}

export async function makeNamespaces(
  helper: SyscallHelper,
  request: PodNamespacesRequest,
): Promise<void> {
  mkdirSync(path.dirname(request.files), { recursive: true, mode: 0o700 });
  await helper.makeNamespaces(namespaceOrder(request));
}

/** Ignores files that are not mounted or do not exist. */
export async function removeNamespaces(helper: SyscallHelper, files: string): Promise<void> {
  const shared = sharedMemoryFolder(files);
  await helper.perform([
    ...KINDS.map((kind) => namespaceFile(files, kind)).flatMap((file): readonly SystemCall[] => [
      ['?unmount', file, DETACH],
      ['?unlink', file],
    ]),
    ['?unmount', shared, DETACH],
    ['?rmdir', shared],
  ]);
}

/** MNT_DETACH: a process may still use the mount; the kernel removes it after the last user. */
const DETACH = 2;

function namespaceOrder({ files, config, network, users }: PodNamespacesRequest): NamespaceOrder {
  const kinds = [...(users ? (['user'] as const) : []), ...(network ? NETWORK_KINDS : [])];
  const shared = sharedMemoryFolder(files);
  return {
    unshare: [
      ...(users ? [['unshare', NAMESPACE.user] as const] : []),
      ...(network ? [['unshare', NAMESPACE.net | NAMESPACE.uts | NAMESPACE.ipc] as const] : []),
    ],
    outside: [
      ...(users ? mapCalls(users) : []),
      ...kinds.flatMap((kind): readonly SystemCall[] => {
        const target = namespaceFile(files, kind);
        const source = `/proc/${INSIDE_PID}/ns/${kind}`;
        return [
          ['file', target],
          ['mount', source, target, 'none', MOUNT.bind, ''],
        ];
      }),
      ['folder', shared],
      ['mount', 'tmpfs', shared, 'tmpfs', SAFE, `${SHARED_MEMORY_OPTIONS}${ownerOf(users)}`],
      ...(network ? [['netlink', 'machine'] as const] : []),
      ...(network ? [veth('machine', network.link, 'eth0', network.ip)] : []),
      ...(network ? [linkUp('machine', network.link, indexOf(network.bridge))] : []),
    ],
    inside: network ? insideCalls(network, config) : [],
    after: [],
  };
}

const SAFE = MOUNT.noSuid | MOUNT.noDevices | MOUNT.noExec;

function ownerOf(users: IdRange | undefined): string {
  return users ? `,uid=${users.first},gid=${users.first}` : '';
}

function mapCalls({ first, count }: IdRange): readonly SystemCall[] {
  const map = `0 ${first} ${count}`;
  return [
    ['write', `/proc/${INSIDE_PID}/uid_map`, map],
    ['write', `/proc/${INSIDE_PID}/gid_map`, map],
  ];
}

function insideCalls(network: PodNetwork, config: SandboxConfig): readonly SystemCall[] {
  const { ip, gateway } = network;
  return [
    ['netlink', 'pod'],
    linkUp('pod', 'lo'),
    address('pod', 'eth0', ip, PREFIX),
    linkUp('pod', 'eth0'),
    defaultRoute('pod', gateway),
    ['hostname', config.hostname || 'localhost'],
    ...sysctlFiles(config).map(([file, value]): SystemCall => ['write', file, value]),
  ];
}

/** The kernel's index of an interface of this machine. */
function indexOf(name: string): number {
  return Number(readFileSync(`/sys/class/net/${name}/ifindex`, 'utf8'));
}

/** In addition to the pod's sysctls, non-root programs may listen on any port of the pod. */
function sysctlFiles({
  sysctls,
}: SandboxConfig): readonly (readonly [file: string, value: string])[] {
  const values = { 'net.ipv4.ip_unprivileged_port_start': '0', ...sysctls };
  return Object.entries(values)
    .map(([name, value]) => [`/proc/sys/${name.replaceAll('.', '/')}`, value] as const)
    .filter(([file]) => /^[a-z0-9_./-]+$/i.test(file) && !file.includes('..'));
}
