/**
 * Decides which sysctls a pod may set: the safe ones, which are namespaced and so affect neither other pods
 * nor the node, and those that the node's administrator allows in addition (allowedUnsafeSysctls).
 *
 *     net.ipv4.tcp_syncookies    by name
 *     net.ipv4.conf.*            by prefix
 *     net/ipv4/conf/eth0.1/x     the other way to write  net.ipv4.conf.eth0/1.x
 */
import { defineError } from '../../lib/errors.ts';
import { admissionSpecOf, type AdmissionView } from './admission-view.ts';
import type { Rejection } from './rejection.ts';

/** The namespace that a parameter belongs to, by name, or by prefix. */
export interface SysctlAllowlist {
  readonly names: ReadonlyMap<string, Namespace>;
  readonly prefixes: ReadonlyMap<string, Namespace>;
}

type Namespace = 'IPC' | 'Net';

/** The safe sysctls, each with the first kernel version that has it per namespace. */
const SAFE_SYSCTLS: readonly (readonly [name: string, major: number, minor: number])[] = [
  ['kernel.shm_rmid_forced', 0, 0],
  ['net.ipv4.ip_local_port_range', 0, 0],
  ['net.ipv4.tcp_syncookies', 0, 0],
  ['net.ipv4.ping_group_range', 0, 0],
  ['net.ipv4.ip_unprivileged_port_start', 0, 0],
  ['net.ipv4.ip_local_reserved_ports', 3, 16],
  ['net.ipv4.tcp_keepalive_time', 4, 5],
  ['net.ipv4.tcp_fin_timeout', 4, 6],
  ['net.ipv4.tcp_keepalive_intvl', 4, 5],
  ['net.ipv4.tcp_keepalive_probes', 4, 5],
  ['net.ipv4.tcp_rmem', 4, 15],
  ['net.ipv4.tcp_wmem', 4, 15],
];
const IPC_SYSCTLS: ReadonlySet<string> = new Set([
  'kernel.sem',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
  'kernel.shm_rmid_forced',
  'kernel.shm',
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
  'kernel.msg',
]);

/** `release` is the release of the kernel, such as `6.1.0-18-amd64`; other systems have none. */
export function safeSysctls(os: string, release: string): readonly string[] {
  if (os !== 'linux') return [];
  const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(release) ?? [];
  const version = Number(major) * 1000 + Number(minor);
  return SAFE_SYSCTLS.filter(([, ...since]) => version >= since[0] * 1000 + since[1]).map(
    ([name]) => name,
  );
}

export const sysctlNotNamespaced = defineError<{ pattern: string }>({
  code: 'SYSCTL_NOT_NAMESPACED',
  retry: 'never',
  message: ({ pattern }) =>
    `the sysctls ${JSON.stringify(pattern)} are not namespaced, so pods may not set them`,
  hint: () =>
    'A pod that sets them would set them for the whole machine. Remove them from allowedUnsafeSysctls.',
});

export function sysctlAllowlist(patterns: readonly string[]): SysctlAllowlist {
  const names = new Map<string, Namespace>();
  const prefixes = new Map<string, Namespace>();
  for (const pattern of patterns) {
    const normal = normalized(pattern);
    const star = normal.indexOf('*');
    const key = star < 0 ? normal : normal.slice(0, star);
    const namespace = namespaceOf(key);
    if (!namespace) throw sysctlNotNamespaced({ pattern });
    (star < 0 ? names : prefixes).set(key, namespace);
  }
  return { names, prefixes };
}

export function rejectSysctls({ pod, platform }: AdmissionView): Rejection | null {
  const { securityContext, hostNetwork = false, hostIPC = false } = admissionSpecOf(pod);
  for (const { name } of securityContext?.sysctls ?? []) {
    const fault = faultOf(normalized(name), platform.sysctls, { Net: hostNetwork, IPC: hostIPC });
    if (fault) return { reason: 'SysctlForbidden', message: `forbidden sysctl: ${fault}` };
  }
  return null;
}

/** In a namespace of the host, the pod would set the sysctl of the host. */
function faultOf(
  name: string,
  { names, prefixes }: SysctlAllowlist,
  isOfHost: Readonly<Record<Namespace, boolean>>,
): string | null {
  const namespace =
    names.get(name) ?? [...prefixes].find(([prefix]) => name.startsWith(prefix))?.[1];
  if (!namespace) return `${JSON.stringify(name)} not allowlisted`;
  if (!isOfHost[namespace]) return null;
  return `${JSON.stringify(name)} not allowed with host ${namespace} enabled`;
}

function namespaceOf(name: string): Namespace | undefined {
  if (IPC_SYSCTLS.has(name) || name.startsWith('fs.mqueue.')) return 'IPC';
  return name.startsWith('net.') ? 'Net' : undefined;
}

/** With dots between the parts, whichever separator was used. */
function normalized(name: string): string {
  const separator = /[./]/.exec(name)?.[0];
  if (separator !== '/') return name;
  return name.replaceAll(/[./]/g, (found) => (found === '.' ? '/' : '.'));
}
