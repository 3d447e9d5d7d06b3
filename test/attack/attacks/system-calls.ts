/**
 * System calls that a RuntimeDefault seccomp profile denies. Each is made with arguments that do no harm;
 * where an ordinary process gets further without a filter, with arguments that show it. EPERM and ENOSYS
 * are what a filter answers; anything else means that the kernel has looked at the call.
 */
import { battery, type BatteryItem } from '../harness/battery.ts';
import { perl } from '../harness/perl.ts';
import type { PodShape } from '../harness/pods.ts';
import type { Attack } from '../harness/types.ts';

/** Perl expressions for the arguments. `$z` is a page of zeros that may be written. */
const CALLS: Readonly<Record<string, string>> = {
  acct: '0',
  add_key: '$user, $name, $text, 4, -3',
  bpf: '0, $attr, 64',
  'clone-newuser': '',
  clock_settime: '99, $z',
  clone3: '$z, 88',
  delete_module: '$name, 0',
  fanotify_init: '0, 0',
  finit_module: '-1, $empty, 0',
  fsconfig: '-1, 0, 0, 0, 0',
  fsmount: '-1, 0, 0',
  fsopen: '$tmpfs, 0',
  fspick: '-100, $slash, 0',
  init_module: '$z, 16, $empty',
  io_uring_setup: '1, $z',
  kcmp: '$own, $own, 0, 1, 2',
  kexec_file_load: '-1, -1, 0, $empty, 0',
  kexec_load: '0, 0, 0, 0xffff',
  keyctl: '0, -3, 0',
  lookup_dcookie: '0, $z, 64',
  mount: '$tmpfs, $tmp, $tmpfs, 0, 0',
  mount_setattr: '-100, $slash, 0, $attr, 32',
  move_mount: '-100, $tmp, -100, $slash, 0',
  move_pages: '1, 0, 0, 0, 0, 0',
  nfsservctl: '0, 0, 0',
  open_by_handle_at: '-100, $handle, 0',
  open_tree: '-100, $slash, 1',
  perf_event_open: '$perf, 0, -1, -1, 0',
  'personality-odd': '',
  pivot_root: '$slash, $tmp',
  quotactl: '0, 0, 0, 0',
  reboot: '0, 0, 0, 0',
  request_key: '$user, $name, 0, 0',
  setdomainname: '$name, 4',
  sethostname: '$name, 4',
  'setns-self': '',
  settimeofday: '$badtime, 0',
  swapoff: '$slash',
  swapon: '$slash, 0',
  syslog: '3, $z, 16',
  umount2: '$tmp, 2',
  'unshare-user': '',
  'unshare-mount': '',
  'unshare-network': '',
  userfaultfd: '1',
  vhangup: '',
};

const SPECIAL: Readonly<Record<string, string>> = {
  'clone-newuser': `sys('clone', 0x10000000 | 17, 0, 0, 0, 0)`,
  'personality-odd': `sys('personality', 0x0040000 | 3)`,
  'setns-self': `do { open(my $h, '<', '/proc/self/ns/uts'); sys('setns', fileno $h, 0) }`,
  'unshare-user': `sys('unshare', 0x10000000)`,
  'unshare-mount': `sys('unshare', 0x20000)`,
  'unshare-network': `sys('unshare', 0x40000000)`,
};

const SETTING_UP = `
  my ($user, $name, $text, $tmpfs, $tmp, $slash, $empty) = ('user', 'pkat', 'text', 'tmpfs', '/tmp', '/', '');
  my ($z, $attr, $handle) = ("\\0" x 4096, pack('L4', 1, 4, 4, 1) . "\\0" x 112, pack('L l', 128, 0) . "\\0" x 128);
  my ($perf, $own) = (pack('L2 Q', 1, 112, 1) . "\\0" x 96, POSIX::getpid());
  my $badtime = pack('q2', -1, 0);
`;

/** In a separate process: a filter may kill it, and its result with it. */
function callOf(id: string, args: string): string {
  const call = SPECIAL[id] ?? `sys('${id}'${args === '' ? '' : `, ${args}`})`;
  return perl(`${SETTING_UP}
    my $result = ${call};
    if ($result >= 0) { print "SUCCEEDED: ${id} was answered with $result\\n" }
    elsif (!$!{EPERM} && !$!{ENOSYS}) { print "SUCCEEDED: ${id} reached the kernel: $!\\n" }
    else { print "${id}: $!\\n" }`);
}

const ITEMS: readonly BatteryItem[] = [
  ...Object.entries(CALLS).map(([id, args]) => ({
    id,
    tries: `It makes the system call ${id}.`,
    script: callOf(id, args),
  })),
  {
    id: 'filter-is-on',
    tries: 'It looks whether a filter of system calls is on at all.',
    script: `grep -q '^Seccomp:[[:space:]]*2' /proc/self/status || echo "SUCCEEDED: no filter"`,
  },
  {
    id: 'socket-vsock',
    tries: 'It opens a socket to the hypervisor.',
    script: perl(
      `socket(my $s, 40, SOCK_STREAM, 0) ? print("SUCCEEDED: AF_VSOCK was opened\\n") : print "$!\\n";`,
    ),
  },
  {
    id: 'ptrace-other',
    tries: 'It traces process 1.',
    script: perl(
      `my $r = sys('ptrace', 16, 1, 0, 0); print $r == 0 ? "SUCCEEDED: process 1 was attached\\n" : "$!\\n";`,
    ),
  },
];

function suite(name: string, pod: PodShape): readonly Attack[] {
  return battery({ class: 'system-calls', name, pod, items: ITEMS, seconds: 60 });
}

export const SYSTEM_CALLS: readonly Attack[] = [
  ...suite('restricted', {}),
  ...suite('as-root', { as: 'root' }),
];
