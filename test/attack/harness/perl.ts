/**
 * Perl for attackers: it is on nearly every Linux and can make any system call. A script is handed to it
 * by a here-document, so no quotes are in its way.
 */

/** Numbers of system calls, by the name that Node has for the processor. */
const NUMBERS: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bpf: [321, 280],
  capget: [125, 90],
  chroot: [161, 51],
  clock_settime: [227, 112],
  clone: [56, 220],
  clone3: [435, 435],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  fchdir: [81, 50],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  init_module: [175, 105],
  io_uring_setup: [425, 425],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  lookup_dcookie: [212, 18],
  mknodat: [259, 33],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  move_pages: [279, 239],
  mq_open: [240, 180],
  mq_receive: [243, 183],
  mq_send: [242, 182],
  nfsservctl: [180, 42],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  perf_event_open: [298, 241],
  personality: [135, 92],
  pidfd_getfd: [438, 438],
  pidfd_open: [434, 434],
  pivot_root: [155, 41],
  process_vm_readv: [310, 270],
  ptrace: [101, 117],
  quotactl: [179, 60],
  reboot: [169, 142],
  renameat2: [316, 276],
  request_key: [249, 218],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  setns: [308, 268],
  settimeofday: [164, 170],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  userfaultfd: [323, 282],
  vhangup: [153, 58],
};

/** A command of sh that runs a Perl script. `%n` has the numbers of system calls, `sys` makes one. */
export function perl(script: string): string {
  const column = process.arch === 'arm64' ? 1 : 0;
  const pairs = Object.entries(NUMBERS).map(([name, numbers]) => `${name}=>${numbers[column]}`);
  return `perl - <<'PERL_END'
use strict; use warnings; use Errno; use Fcntl; use POSIX (); use Socket;
$| = 1;
my %n = (${pairs.join(',')});
sub sys { my $name = shift; $! = 0; return syscall($n{$name}, @_); } # writes into its arguments
sub slurp { my ($f) = @_; open(my $h, '<', $f) or return ''; local $/; my $t = <$h>; return $t // ''; }
${script}
PERL_END
`;
}
