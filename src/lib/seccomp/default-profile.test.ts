import { describe, expect, test } from 'vitest';
import { runFilter } from '../../../test/support/seccomp/bpf-interpreter.ts';
import { expectedOutcome, outcomeOf } from '../../../test/support/seccomp/profile-model.ts';
import { compileSeccomp } from './compile-seccomp.ts';
import { DEFAULT_SECCOMP_PROFILE } from './default-profile.ts';
import { seccompFlags } from './seccomp-flags.ts';
import type { SeccompProcessor } from './seccomp-profile.ts';
import { syscallNumbers } from './syscall-numbers.ts';

const PROCESSORS: readonly SeccompProcessor[] = ['x64', 'arm64', 'riscv64'];
const ARCHITECTURES = { x64: 0xc000003e, arm64: 0xc00000b7, riscv64: 0xc00000f3 };
const KERNEL = [6, 18] as const;
const [SIGCHLD, CLONE_VM] = [17n, 0x100n];
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NAMESPACE_FLAGS = [17n, 25n, 26n, 27n, 28n, 29n, 30n].map((bit) => 2n ** bit);

interface Setting {
  readonly capabilities?: readonly string[];
  readonly kernel?: readonly [number, number];
  readonly args?: readonly bigint[];
}

/** Undefined: the processor has no such call. */
function outcome(processor: SeccompProcessor, name: string, setting: Setting = {}) {
  const { capabilities = [], kernel = KERNEL, args = [] } = setting;
  const number = syscallNumbers(processor).get(name);
  if (number === undefined) return undefined;
  const program = compileSeccomp(DEFAULT_SECCOMP_PROFILE, { processor, capabilities, kernel });
  const data = { number, architecture: ARCHITECTURES[processor], args };
  return outcomeOf(runFilter(program, data).result);
}

test('every name in it is a system call of some processor', () => {
  const names = DEFAULT_SECCOMP_PROFILE.rules.flatMap((rule) => rule.names);
  const unknown = names.filter(
    (name) => !PROCESSORS.some((processor) => syscallNumbers(processor).has(name)),
  );
  expect(unknown).toEqual([]);
});

describe.each(PROCESSORS)('on %s', (processor) => {
  test.each(
    `read write openat newfstatat statx mmap execve exit_group wait4 futex rt_sigaction kill prctl
     getrandom epoll_pwait socketpair connect seccomp landlock_restrict_self setxattrat mseal
     pidfd_open close_range faccessat2 ptrace process_vm_readv mknodat capset`.match(/\w+/g) ?? [],
  )('%s is allowed', (name) => {
    expect(outcome(processor, name)).toBe('allow');
  });

  test.each(
    `mount umount2 pivot_root unshare setns chroot reboot init_module finit_module delete_module acct
     bpf perf_event_open keyctl add_key request_key io_uring_setup io_uring_enter io_uring_register
     kexec_load swapon swapoff sethostname setdomainname settimeofday clock_settime syslog vhangup
     open_by_handle_at userfaultfd kcmp pidfd_getfd process_madvise mbind set_mempolicy quotactl
     fanotify_init move_mount open_tree fsopen mount_setattr move_pages`.match(/\w+/g) ?? [],
  )('%s fails with EPERM', (name) => {
    expect(outcome(processor, name)).toBe('errno 1');
  });

  test.each(['clone3', 'open_tree_attr', 'file_getattr', 'listns'])(
    '%s fails with ENOSYS',
    (name) => {
      expect(outcome(processor, name)).toBe('errno 38');
    },
  );

  test.each([
    ['CAP_BPF', ['bpf']],
    ['CAP_DAC_READ_SEARCH', ['open_by_handle_at']],
    ['CAP_PERFMON', ['perf_event_open']],
    [
      'CAP_SYS_ADMIN',
      ['mount', 'umount2', 'unshare', 'setns', 'clone3', 'bpf', 'syslog', 'fsopen'],
    ],
    ['CAP_SYS_BOOT', ['reboot']],
    ['CAP_SYS_CHROOT', ['chroot']],
    ['CAP_SYS_MODULE', ['init_module', 'finit_module', 'delete_module']],
    ['CAP_SYS_NICE', ['mbind', 'get_mempolicy', 'set_mempolicy', 'set_mempolicy_home_node']],
    ['CAP_SYS_PACCT', ['acct']],
    ['CAP_SYS_PTRACE', ['kcmp', 'pidfd_getfd', 'process_madvise']],
    ['CAP_SYS_TIME', ['settimeofday', 'clock_settime']],
    ['CAP_SYS_TTY_CONFIG', ['vhangup']],
    ['CAP_SYSLOG', ['syslog']],
  ])('%s adds %s', (capability, names) => {
    for (const name of names) {
      expect(outcome(processor, name, { capabilities: [capability] }), name).toBe('allow');
      expect(outcome(processor, name, { capabilities: ['CAP_NET_ADMIN'] }), name).not.toBe('allow');
    }
  });

  test('clone makes threads and processes, and namespaces only with CAP_SYS_ADMIN', () => {
    const admin = ['CAP_SYS_ADMIN'];
    for (const flags of [0n, SIGCHLD, CLONE_VM | SIGCHLD]) {
      expect(outcome(processor, 'clone', { args: [flags] })).toBe('allow');
    }
    for (const flags of NAMESPACE_FLAGS.map((flag) => flag | SIGCHLD)) {
      expect(outcome(processor, 'clone', { args: [flags] })).toBe('errno 1');
      expect(outcome(processor, 'clone', { args: [flags], capabilities: admin })).toBe('allow');
    }
  });

  test.each([
    [0x0n, 'allow'],
    [0x8n, 'allow'],
    [0x20000n, 'allow'],
    [0x20008n, 'allow'],
    [0xffffffffn, 'allow'],
    [0xffffffffffffffffn, 'errno 1'],
    [0x40000n, 'errno 1'],
    [0x100000008n, 'errno 1'],
  ])('personality %s: %s', (value, expected) => {
    expect(outcome(processor, 'personality', { args: [value] })).toBe(expected);
  });

  test.each([
    ['AF_UNIX', 1n, 'allow'],
    ['AF_INET6', 10n, 'allow'],
    ['AF_NETLINK', 16n, 'allow'],
    ['AF_CAIF', 37n, 'allow'],
    ['AF_ALG', 38n, 'errno 1'],
    ['AF_NFC', 39n, 'allow'],
    ['AF_VSOCK', 40n, 'errno 1'],
    ['AF_MCTP', 45n, 'allow'],
    ['a family of the future', 46n, 'errno 1'],
    ['AF_VSOCK with bits that the kernel ignores', 0x100000028n, 'errno 1'],
  ])('socket of %s (%s): %s', (_name, family, expected) => {
    expect(outcome(processor, 'socket', { args: [family] })).toBe(expected);
  });

  test('ptrace is allowed from Linux 4.8 on, and before with CAP_SYS_PTRACE', () => {
    const capabilities = ['CAP_SYS_PTRACE'];
    expect(outcome(processor, 'ptrace', { kernel: [4, 7] })).toBe('errno 1');
    expect(outcome(processor, 'ptrace', { kernel: [4, 8] })).toBe('allow');
    expect(outcome(processor, 'ptrace', { kernel: [4, 7], capabilities })).toBe('allow');
  });

  test('the program agrees with the model for every number, and is short', () => {
    const architecture = ARCHITECTURES[processor];
    for (const capabilities of [[], ['CAP_SYS_ADMIN', 'CAP_SYS_PTRACE', 'CAP_SYS_CHROOT']]) {
      const target = { processor, capabilities, kernel: KERNEL };
      const program = compileSeccomp(DEFAULT_SECCOMP_PROFILE, target);
      expect(program.length / 8).toBeLessThan(320);
      for (let number = 0; number < 520; number += 1) {
        const call = { number, architecture, args: [0n, 0n, 0n, 0n, 0n, 0n] };
        const { result, steps } = runFilter(program, call);
        const expected = expectedOutcome(DEFAULT_SECCOMP_PROFILE, target, call);
        expect(outcomeOf(result), String(number)).toBe(expected);
        expect(steps).toBeLessThan(40);
      }
    }
  });
});

test.each([
  ['arch_prctl', ['allow', undefined, undefined]],
  ['modify_ldt', ['allow', undefined, undefined]],
  ['open', ['allow', undefined, undefined]],
  ['iopl', ['errno 1', undefined, undefined]],
  ['renameat', ['allow', 'allow', undefined]],
  ['riscv_flush_icache', [undefined, undefined, 'allow']],
  ['riscv_hwprobe', [undefined, undefined, 'allow']],
])('%s is a matter of the processor', (name, expected) => {
  expect(PROCESSORS.map((processor) => outcome(processor, name))).toEqual(expected);
});

test('CAP_SYS_RAWIO adds the input and output ports of x64', () => {
  const capabilities = ['CAP_SYS_RAWIO'];
  expect(outcome('x64', 'iopl', { capabilities })).toBe('allow');
  expect(outcome('x64', 'ioperm', { capabilities })).toBe('allow');
});

test('32-bit programs and x32 get ENOSYS', () => {
  const foreign = [
    ['x64', 0x40000003, 20],
    ['x64', 0xc000003e, 0x40000027],
    ['arm64', 0x40000028, 20],
    ['riscv64', 0x400000f3, 172],
  ] as const;
  for (const [processor, architecture, number] of foreign) {
    const target = { processor, capabilities: [], kernel: KERNEL };
    const program = compileSeccomp(DEFAULT_SECCOMP_PROFILE, target);
    const { result } = runFilter(program, { number, architecture, args: [] });
    expect(outcomeOf(result), processor).toBe('errno 38');
  }
});

test('it is installed with SPEC_ALLOW, as runc does', () => {
  expect(seccompFlags(DEFAULT_SECCOMP_PROFILE)).toBe(4);
});
