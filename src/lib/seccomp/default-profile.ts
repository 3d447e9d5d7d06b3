/**
 * The seccomp profile `RuntimeDefault`: the system calls that container runtimes allow by default, and those
 * that each capability adds. It follows containerd 2.4. Docker's profile of that time differs in two points:
 * it allows sockets of address families that are not defined yet, and lsm_* calls only with CAP_SYS_ADMIN.
 *
 * A call that is not allowed fails with EPERM. Two kinds fail with ENOSYS, so that a libc falls back to an
 * older call: clone3, whose flags a filter cannot see (they are behind a pointer), and calls that are newer
 * than this profile (call-decisions.ts, rule 4).
 */
import { DEFAULT_CALLS } from './default-calls.ts';
import { ENOSYS } from './kernel-values.ts';
import {
  NO_FILTER,
  type SeccompAction,
  type SeccompArg,
  type SeccompFilter,
  type SeccompOperator,
  type SeccompProfile,
  type SeccompRule,
} from './seccomp-profile.ts';

const ALLOW: SeccompAction = { type: 'allow', data: 0 };
const EPERM = 1;

/**
 * CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. A new namespace, above all a user
 * namespace, opens parts of the kernel to processes that have no rights outside of it.
 */
const NAMESPACE_FLAGS = 0x7e02_0000n;

/**
 * The allowed arguments of personality(2): the normal one; uname of a 32-bit machine (0x8), of Linux 2.6
 * (0x20000), or both; and 0xffffffff, which queries the current one. Others disable protections of the
 * process.
 */
const PERSONALITIES = [0x0n, 0x8n, 0x2_0000n, 0x2_0008n, 0xffff_ffffn];

/**
 * All address families up to 37, and these. AF_ALG (38) gives access to the kernel's cryptography,
 * AF_VSOCK (40) reaches the hypervisor and virtual machines past all network namespaces.
 */
const FIRST_FAMILY_REFUSED = 38n;
const FAMILIES_ABOVE = [39n, 41n, 42n, 43n, 44n, 45n];

/** Before Linux 4.8 a tracer could change the number of a call after the filter had seen it. */
const TRACING = ['ptrace', 'process_vm_readv', 'process_vm_writev'];

const CALLS_BY_CAPABILITY: Readonly<Record<string, readonly string[]>> = {
  CAP_BPF: ['bpf'],
  CAP_DAC_READ_SEARCH: ['open_by_handle_at'],
  CAP_PERFMON: ['perf_event_open'],
  CAP_SYS_ADMIN: [
    ...['mount', 'umount2', 'mount_setattr', 'move_mount', 'open_tree'],
    ...['fsopen', 'fsconfig', 'fsmount', 'fspick', 'fanotify_init', 'quotactl', 'quotactl_fd'],
    ...['clone', 'clone3', 'unshare', 'setns', 'sethostname', 'setdomainname'],
    ...['bpf', 'perf_event_open', 'syslog', 'lookup_dcookie'],
  ],
  CAP_SYS_BOOT: ['reboot'],
  CAP_SYS_CHROOT: ['chroot'],
  CAP_SYS_MODULE: ['init_module', 'finit_module', 'delete_module'],
  CAP_SYS_NICE: ['get_mempolicy', 'set_mempolicy', 'set_mempolicy_home_node', 'mbind'],
  CAP_SYS_PACCT: ['acct'],
  CAP_SYS_PTRACE: [...TRACING, 'kcmp', 'pidfd_getfd', 'process_madvise'],
  CAP_SYS_RAWIO: ['iopl', 'ioperm'],
  CAP_SYS_TIME: ['settimeofday', 'clock_settime'],
  CAP_SYS_TTY_CONFIG: ['vhangup'],
  CAP_SYSLOG: ['syslog'],
};

const WITHOUT_ADMIN: Pick<SeccompRule, 'excludes'> = {
  excludes: { ...NO_FILTER, capabilities: ['CAP_SYS_ADMIN'] },
};

export const DEFAULT_SECCOMP_PROFILE: SeccompProfile = {
  defaultAction: { type: 'errno', data: EPERM },
  flags: null,
  rules: [
    allow(DEFAULT_CALLS),
    allow(TRACING, { includes: { ...NO_FILTER, minKernel: [4, 8] } }),
    allowOn('amd64', ['arch_prctl', 'modify_ldt']),
    allowOn('riscv64', ['riscv_flush_icache', 'riscv_hwprobe']),
    allowIf('socket', 'LT', FIRST_FAMILY_REFUSED),
    ...FAMILIES_ABOVE.map((family) => allowIf('socket', 'EQ', family)),
    ...PERSONALITIES.map((personality) => allowIf('personality', 'EQ', personality)),
    { ...allowIf('clone', 'MASKED_EQ', NAMESPACE_FLAGS), ...WITHOUT_ADMIN },
    { ...allow(['clone3'], WITHOUT_ADMIN), action: { type: 'errno', data: ENOSYS } },
    ...Object.entries(CALLS_BY_CAPABILITY).map(([capability, names]) =>
      allow(names, { includes: { ...NO_FILTER, capabilities: [capability] } }),
    ),
  ],
};

function allow(
  names: readonly string[],
  filters: { readonly includes?: SeccompFilter; readonly excludes?: SeccompFilter } = {},
): SeccompRule {
  return { names, action: ALLOW, args: [], includes: NO_FILTER, excludes: NO_FILTER, ...filters };
}

function allowOn(processor: string, names: readonly string[]): SeccompRule {
  return allow(names, { includes: { ...NO_FILTER, processors: [processor] } });
}

/** Allows a call by its first argument. */
function allowIf(name: string, operator: SeccompOperator, value: bigint): SeccompRule {
  const arg: SeccompArg = { index: 0, operator, value, valueTwo: 0n };
  return { ...allow([name]), args: [arg] };
}
