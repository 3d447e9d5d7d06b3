/**
 * The program behind a KernelHand, in the one language that can make any system call and is part of
 * nearly every Linux: Perl, with nothing but its core.
 *
 * It decides nothing. It reads orders, and for each does one of three things:
 *
 *     do    the calls, here
 *     fork  the calls, in a process that then ends: what it did to itself goes with it
 *     run   makes the first process of a container, and a second that becomes the command
 *
 *         the hand ──clone──> init ──fork──> main ──exec──> the command
 *                              └ claim, calls, "main", "running" or "failed", "exit" ──> state
 *
 * An order is its length and then words, each with its length before it. An answer is a line: the
 * order's number, then `done`, `failed` and why, or `ended`.
 *
 * 1. A claim can be made only once: of two inits for one container the second goes away.
 * 2. What init writes goes over room that its file already has: a full disk costs no exit code.
 * 3. `running` is written when the command has taken over, which closes the pipe between the two.
 * 4. When nobody gives orders any more it ends. What it has started goes on.
 * 5. What it does gives way to whoever gives the orders, of whom there is one. A container is a session
 *    of its own from the moment it is set up, and has its full share then.
 */

/** By the name that Node has for the processor. */
const SYSTEM_CALLS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  x64: {
    clone: 56,
    mount: 165,
    umount2: 166,
    sethostname: 170,
    setgroups: 116,
    setresuid: 117,
    setresgid: 119,
    capget: 125,
    capset: 126,
    prctl: 157,
    unshare: 272,
    signalfd4: 289,
    setns: 308,
    mount_setattr: 442,
  },
  arm64: {
    clone: 220,
    mount: 40,
    umount2: 39,
    sethostname: 161,
    setgroups: 159,
    setresuid: 147,
    setresgid: 149,
    capget: 90,
    capset: 91,
    prctl: 167,
    unshare: 97,
    signalfd4: 74,
    setns: 268,
    mount_setattr: 442,
  },
};

/** Undefined: the numbers of this processor's system calls are not known here. */
export function handScript(processor: string): string | undefined {
  const numbers = SYSTEM_CALLS[processor];
  if (!numbers) return undefined;
  const pairs = Object.entries(numbers).map(([name, number]) => `${name} => ${number}`);
  return `my %number = (${pairs.join(', ')});\n${SCRIPT}`;
}

const SCRIPT = String.raw`
use strict;
use warnings;
no warnings 'exec';
use Fcntl;
use POSIX ();
use Socket;

my ($signals, %netlink, %started);

sub kernel {
  my ($name, $about, @words) = @_;
  my $result = syscall($number{$name}, @words);
  die "$name$about: $!\n" if $result < 0;
  return $result;
}

my %act = (
  mount => sub {
    my ($source, $target, $type, $flags, $data) = @_;
    kernel('mount', " $target", $source, $target, $type, $flags + 0, $data eq '' ? 0 : $data);
  },
  # Leaves all else as it is. A kernel before 5.12 has to be told everything anew.
  readonly => sub {
    my ($target, $flags) = @_;
    my $change = pack('Q4', 1, 0, 0, 0);
    return if syscall($number{mount_setattr}, -100, $target, 0, $change, 32) == 0;
    my ($none, $kind) = ('none', 'none');
    kernel('mount', " $target", $none, $target, $kind, $flags + 0, 0);
  },
  unmount => sub { kernel('umount2', " $_[0]", $_[0], $_[1] + 0) },
  unshare => sub { kernel('unshare', '', $_[0] + 0) },
  join => sub {
    my ($file, $kind) = @_;
    open(my $namespace, '<', $file) or die "$file: $!\n";
    kernel('setns', " $file", fileno($namespace), $kind + 0);
  },
  write => sub {
    my ($file, $text) = @_;
    sysopen(my $handle, $file, O_WRONLY) or die "$file: $!\n";
    defined syswrite($handle, $text) or die "$file: $!\n";
  },
  folder => sub { mkdir($_[0], 0755) or $!{EEXIST} or die "mkdir $_[0]: $!\n" },
  file => sub {
    sysopen(my $handle, $_[0], O_WRONLY | O_CREAT, 0644) or die "$_[0]: $!\n";
  },
  link => sub { symlink($_[0], $_[1]) or die "symlink $_[1]: $!\n" },
  mode => sub { chmod($_[1] + 0, $_[0]) or die "chmod $_[0]: $!\n" },
  owner => sub { chown($_[1] + 0, $_[2] + 0, $_[0]) or die "chown $_[0]: $!\n" },
  unlink => sub { unlink($_[0]) or die "unlink $_[0]: $!\n" },
  rmdir => sub { rmdir($_[0]) or die "rmdir $_[0]: $!\n" },
  hostname => sub { kernel('sethostname', '', $_[0], length $_[0]) },
  input => sub { open(STDIN, '<', $_[0]) or die "$_[0]: $!\n" },
  # Holds a pipe open for writing, so that its reader waits and does not see an end.
  holder => sub {
    my ($pipe, @command) = @_;
    open(my $both, '+<', $pipe) or die "$pipe: $!\n";
    return if fork // die "fork: $!\n";
    open(STDIN, '<&', $both);
    open($_, '>', '/dev/null') for *STDOUT, *STDERR;
    exec @command;
    POSIX::_exit(127);
  },
  # A socket belongs to the network in which it was opened.
  netlink => sub {
    my ($name) = @_;
    socket($netlink{$name}, 16, SOCK_RAW, 0) or die "netlink: $!\n";
  },
  ask => sub {
    my ($name, $message, $interface, $offset) = @_;
    if (defined $interface) {
      my $request = pack('a16 x24', $interface);
      socket(my $any, AF_INET, SOCK_DGRAM, 0) or die "socket: $!\n";
      ioctl($any, 0x8933, $request) or die "$interface: $!\n";
      substr($message, $offset, 4) = substr($request, 16, 4);
    }
    send($netlink{$name}, $message, 0) or die "netlink: $!\n";
    recv($netlink{$name}, my $answer, 8192, 0) // die "netlink: $!\n";
    my $error = unpack('x16 l', $answer);
    die 'netlink: ' . ($! = -$error) . "\n" if $error;
  },
  root => sub { chroot($_[0]) or die "chroot $_[0]: $!\n" },
  go => sub { chdir($_[0]) or die "cannot go to $_[0]: $!\n" },
  groups => sub {
    my $list = pack('L*', @_);
    kernel('setgroups', '', scalar @_, @_ ? $list : 0);
  },
  user => sub {
    my ($uid, $gid) = @_;
    kernel('setresgid', '', ($gid + 0) x 3);
    kernel('setresuid', '', ($uid + 0) x 3);
  },
  # All but these can never be had again; none is handed down.
  bound => sub {
    my %kept = map { $_ => 1 } @_;
    for my $capability (0 .. 63) {
      next if $kept{$capability} || syscall($number{prctl}, 24, $capability, 0, 0, 0) == 0;
      # The kernel has no more of them, or it refuses.
      last if $!{EINVAL};
      die "prctl: $!\n";
    }
    my ($header, $sets) = (pack('L l', 0x20080522, 0), "\0" x 24);
    # It is written into, so it must not be a copy.
    syscall($number{capget}, $header, $sets) == 0 or die "capget: $!\n";
    my @set = unpack('L6', $sets);
    @set[2, 5] = (0, 0);
    $sets = pack('L6', @set);
    kernel('capset', '', $header, $sets);
  },
  strict => sub { kernel('prctl', '', 38, 1, 0, 0, 0) },
);

# A list of calls: a name, the count of its words, the words. One with a question mark may fail.
sub perform {
  my @words = unpack('(N/a)*', $_[0]);
  while (@words) {
    my ($name, $count) = splice(@words, 0, 2);
    my @own = splice(@words, 0, $count);
    my $may_fail = $name =~ s/^\?//;
    next if eval { $act{$name}->(@own); 1 };
    die $@ unless $may_fail;
  }
}

sub answer {
  my ($text) = @_;
  $text =~ s/\s+/ /g;
  syswrite(STDOUT, "$text\n");
}

# The ID and the start of this process, as the machine sees it.
sub identity {
  open(my $stat, '<', '/proc/self/stat') or die "/proc/self/stat: $!\n";
  my $text = <$stat>;
  my ($pid) = $text =~ /^(\d+)/;
  my @fields = split ' ', substr($text, rindex($text, ')') + 2);
  return ($pid, $fields[19]);
}

sub be_apart {
  POSIX::sigprocmask(POSIX::SIG_SETMASK(), POSIX::SigSet->new);
  POSIX::close($signals);
  umask 022;
}

sub note {
  my ($state, @lines) = @_;
  s/\s+/ /g, s/ $// for @lines;
  syswrite($state, join('', map { "$_\n" } @lines));
}

sub claim {
  my ($dir, $boot) = @_;
  my ($pid, $start) = identity();
  if (!sysopen(my $claim, "$dir/claim", O_WRONLY | O_CREAT | O_EXCL, 0644)) {
    POSIX::_exit(0) if $!{EEXIST};
    die "$dir/claim: $!\n";
  } else {
    # It will lead a session of its own, which bears its ID.
    syswrite($claim, "$pid $start $boot $pid\n") or die "$dir/claim: $!\n";
  }
}

sub open_streams {
  my ($dir) = @_;
  open(STDIN, '<', '/dev/null') or die "/dev/null: $!\n";
  umask 077;
  open(STDOUT, '>>', "$dir/stdout") or die "$dir/stdout: $!\n";
  open(STDERR, '>>', "$dir/stderr") or die "$dir/stderr: $!\n";
  umask 022;
}

sub init {
  my ($order) = @_;
  my $dir = $order->{dir};
  $0 = $order->{title};
  my $name = 'podkeep-init';
  syscall($number{prctl}, 15, $name);
  sysopen(my $state, "$dir/state", O_RDWR) or POSIX::_exit(1);
  my $is_set_up = eval {
    claim($dir, $order->{boot});
    open_streams($dir);
    perform($order->{setup});
    POSIX::setsid();
    1;
  };
  if (!$is_set_up) {
    note($state, "failed $@");
    POSIX::_exit(125);
  }
  pipe(my $listen, my $tell);
  my $main = fork // -1;
  become_command($order, $tell) if $main == 0;
  close $tell;
  chomp(my $who = <$listen> // '');
  my $trouble = $who eq '' ? 'it ended before its command ran' : <$listen>;
  # In one piece: whoever waits looks once.
  note($state, $who eq '' ? () : "main $who", defined $trouble ? "failed $trouble" : 'running');
  my $ended = 0;
  $ended = wait while $ended != $main && $ended >= 0;
  note($state, 'exit ' . ($? & 127 ? 128 + ($? & 127) : $? >> 8));
  POSIX::_exit(0);
}

sub become_command {
  my ($order, $tell) = @_;
  eval {
    my ($pid, $start) = identity();
    syswrite($tell, "$pid $start\n");
    perform($order->{enter});
    %ENV = unpack('(N/a)*', $order->{env});
    my @command = unpack('(N/a)*', $order->{command});
    exec { $command[0] } @command;
    die $!{ENOENT} || $!{EACCES} ? "$order->{missing}\n" : "exec: \"$command[0]\": $!\n";
  };
  syswrite($tell, $@);
  POSIX::_exit(127);
}

# Into the process namespace of another: only children are in it.
sub init_elsewhere {
  my ($order) = @_;
  my $is_there = eval { perform($order->{through}); 1 };
  if (!$is_there) {
    my $reason = $@;
    sysopen(my $state, "$order->{dir}/state", O_RDWR) or POSIX::_exit(1);
    note($state, "failed $reason");
    POSIX::_exit(125);
  }
  my $child = fork;
  init($order) if defined $child && $child == 0;
  close $_ for *STDIN, *STDOUT;
  waitpid($child, 0) if defined $child;
  POSIX::_exit(0);
}

sub obey {
  my ($id, $kind, @words) = unpack('(N/a)*', $_[0]);
  if ($kind eq 'do') {
    answer(eval { perform($words[0]); 1 } ? "$id done" : "$id failed $@");
    return;
  }
  my %order = $kind eq 'run' ? @words : ();
  my $child = $kind eq 'fork' || $order{through} ne ''
    ? fork
    : syscall($number{clone}, ($order{flags} | POSIX::SIGCHLD()) + 0, 0, 0, 0, 0);
  if (!defined $child || $child < 0) {
    answer("$id failed clone: $!");
  } elsif ($child > 0) {
    $started{$child} = $id;
  } else {
    be_apart();
    if ($kind eq 'fork') {
      answer(eval { perform($words[0]); 1 } ? "$id done" : "$id failed $@");
      POSIX::_exit(0);
    }
    if ($order{through} eq '') { init(\%order) } else { init_elsewhere(\%order) }
  }
}

sub bury {
  POSIX::read($signals, my $news, 4096);
  while ((my $pid = waitpid(-1, POSIX::WNOHANG())) > 0) {
    my $id = delete $started{$pid};
    answer("$id ended") if defined $id;
  }
}

# The share of a session in the machine, where sessions have shares.
eval { $act{write}->('/proc/self/autogroup', 10) };
POSIX::sigprocmask(POSIX::SIG_BLOCK(), POSIX::SigSet->new(POSIX::SIGCHLD()));
my $mask = pack('Q', 1 << (POSIX::SIGCHLD() - 1));
$signals = kernel('signalfd4', '', -1, $mask, 8, 02004000);
answer('0 done');
my $orders = '';
while (1) {
  my $ready = '';
  vec($ready, $_, 1) = 1 for 0, $signals;
  next if select($ready, undef, undef, undef) < 0;
  bury() if vec($ready, $signals, 1);
  next if !vec($ready, 0, 1);
  sysread(STDIN, $orders, 262144, length $orders) or last;
  while (length $orders >= 4 && length $orders >= 4 + (my $size = unpack('N', $orders))) {
    obey(substr($orders, 4, $size));
    substr($orders, 0, 4 + $size) = '';
  }
}
`;
