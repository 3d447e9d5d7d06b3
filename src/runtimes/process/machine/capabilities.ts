/**
 * Decides the capabilities of a container when podkeep runs as root.
 *
 * The default is that of container runtimes without MKNOD and SYS_CHROOT, which could lead out of the root
 * folder. Pods that need those two add them by name.
 */
import type { ContainerSecurity } from '../../../ports/runtime/container-config.ts';

const USUAL: readonly string[] = [
  'audit_write',
  'chown',
  'dac_override',
  'fowner',
  'fsetid',
  'kill',
  'net_bind_service',
  'net_raw',
  'setfcap',
  'setgid',
  'setpcap',
  'setuid',
];

/** All capabilities, in the order of the kernel's numbers. */
const ALL: readonly string[] = [
  'chown',
  'dac_override',
  'dac_read_search',
  'fowner',
  'fsetid',
  'kill',
  'setgid',
  'setuid',
  'setpcap',
  'linux_immutable',
  'net_bind_service',
  'net_broadcast',
  'net_admin',
  'net_raw',
  'ipc_lock',
  'ipc_owner',
  'sys_module',
  'sys_rawio',
  'sys_chroot',
  'sys_ptrace',
  'sys_pacct',
  'sys_admin',
  'sys_boot',
  'sys_nice',
  'sys_resource',
  'sys_time',
  'sys_tty_config',
  'mknod',
  'lease',
  'audit_write',
  'audit_control',
  'setfcap',
  'mac_override',
  'mac_admin',
  'syslog',
  'wake_alarm',
  'block_suspend',
  'audit_read',
  'perfmon',
  'bpf',
  'checkpoint_restore',
];

/** The bounding set as an argument of setpriv(1). Undefined: all capabilities of podkeep. */
export function boundingSet(security: ContainerSecurity): string | undefined {
  const kept = keptNames(security);
  return kept && ['-all', ...kept.map((name) => `+${name}`)].join(',');
}

/** The numbers of the container's capabilities. Throws the error of `refuse` for an unknown name. */
export function keptCapabilities(
  security: ContainerSecurity,
  refuse: (name: string) => Error,
): readonly number[] | undefined {
  return keptNames(security)?.map((name) => {
    const number = ALL.indexOf(name);
    if (number < 0) throw refuse(name);
    return number;
  });
}

/** Undefined: all capabilities of podkeep. */
export function keptNames(security: ContainerSecurity): readonly string[] | undefined {
  const added = security.addedCapabilities.map(plainName);
  const dropped = new Set(security.droppedCapabilities.map(plainName));
  if (security.isPrivileged || (added.includes('all') && dropped.size === 0)) return undefined;
  const base = dropped.has('all') ? [] : USUAL.filter((name) => !dropped.has(name));
  const everything = dropped.has('all') ? [] : ALL;
  const wanted = added.flatMap((name) => (name === 'all' ? everything : [name]));
  return [...new Set([...base, ...wanted.filter((name) => !dropped.has(name))])];
}

/** Pods write both `CAP_NET_ADMIN` and `NET_ADMIN`. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/^cap_/, '');
}
