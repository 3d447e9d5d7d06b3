# The program behind SyscallHelper (src/lib/syscall-helper/): it makes the system calls that Node has no
# function for. It is written in Perl without modules from CPAN, because Perl can make any system call and is
# part of nearly every Linux. It decides nothing: it reads orders, and performs each in another process:
#
#     do      the calls
#     users   makes a user namespace and the namespaces of a pod in it, with the calls of both sides
#     hold    a process that holds the process namespace of a pod
#     run     a container (container.pl)
#     exec    a command in a container (exec.pl)
#
# An order is its length and then words, each preceded by its length. An answer is a line: the number of the
# order, then `done`, `failed` and the reason, `ready` and numbers, `exit` and a code, or `ended`.
#
# Long-lived workers perform short orders (workers.pl); each other order gets a new process.
#
# 1. No order can block another: no two share a process at a time, and each is killed after its deadline.
# 2. When podkeep is gone the helper ends. Containers go on.
# 3. All code is loaded before the first order: nothing is read from a root that belongs to a container.
use strict;
use warnings;
use Errno ();
use Fcntl;
use POSIX ();
use Socket;

BEGIN { unshift @INC, $0 =~ m{^(.*)/} ? $1 : '.' }
BEGIN { require $_ for qw(kernel.pl inside-root.pl calls.pl workers.pl log.pl clients.pl container.pl exec.pl) }

our (%number, $is_linux, $performing);
my ($signals, %started);

sub answer {
  my ($text) = @_;
  $text =~ s/\s+/ /g;
  syswrite(STDOUT, "$text\n");
}

# A process that performs orders closes everything of the helper but the descriptor for answers, and its own
# input if it has one. Handles are closed as handles: Perl counts them by descriptor, and would not close
# others with the same number.
sub leave_helper {
  my ($input) = @_;
  POSIX::sigprocmask(POSIX::SIG_SETMASK(), POSIX::SigSet->new);
  forget_all_workers();
  POSIX::close($signals) if defined $signals;
  my $fd = $input ? fileno($input) : POSIX::open('/dev/null', O_RDONLY);
  POSIX::dup2($fd, 0);
  $input ? close($input) : POSIX::close($fd);
  umask 022;
}

# `do` and `users`, in a worker or a process for one order.
sub answer_calls {
  my ($id, $kind, undef, @words) = unpack('(N/a)*', $_[0]);
  my $is_done = eval { $kind eq 'do' ? perform($words[0]) : make_users(@words); 1 };
  answer($is_done ? "$id done" : "$id failed $performing: $@");
}

# A second process enters the new namespaces while the first, outside, maps its IDs and does the rest.
sub make_users {
  my (%order) = @_;
  pipe(my $here, my $there) && pipe(my $go, my $say) or die "pipe: $!\n";
  my $inside = fork // die "fork: $!\n";
  if ($inside == 0) {
    close $_ for $here, $say;
    my $is_done = eval { perform($order{unshare}); 1 };
    syswrite($there, $is_done ? "ok\n" : $@);
    POSIX::_exit(1) if !$is_done || !sysread($go, my $word, 1);
    $is_done = eval { perform($order{inside}); 1 };
    syswrite($there, $is_done ? "ok\n" : "$performing: $@");
    close $there;
    # The namespaces live for as long as this process, or a file that they are mounted on.
    sysread($go, my $last, 1);
    POSIX::_exit(0);
  }
  close $_ for $there, $go;
  my $listen = sub {
    sysread($here, my $text, 4096);
    die $text || "it ended too early\n" if ($text // '') ne "ok\n";
  };
  my $is_done = eval {
    $listen->();
    perform_for($order{outside}, $inside);
    syswrite($say, 'g');
    $listen->();
    perform_for($order{after}, $inside);
    1;
  };
  my $reason = $@;
  close $say;
  waitpid($inside, 0);
  die $reason if !$is_done;
}

# The calls name the other process as %PID%, which is known only here.
sub perform_for {
  my ($calls, $pid) = @_;
  my @words = map { s/%PID%/$pid/gr } unpack('(N/a)*', $calls);
  perform(pack('(N/a)*', @words));
}

# Holds a process namespace, and reaps its orphans.
sub hold {
  my (%order) = @_;
  $0 = $order{title};
  set_name('podkeep-pause');
  my $file = $order{file};
  my ($pid, $start) = identity();
  my $is_done = eval {
    my $out = open_at(AT_FDCWD, "$file.new", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600) // die "$file: $!\n";
    my $text = "$pid $start\n";
    POSIX::write($out, $text, length $text);
    POSIX::close($out);
    rename("$file.new", $file) or die "$file: $!\n";
    perform($order{rest});
    1;
  };
  my $reason = $@;
  answer($is_done ? "$order{id} done" : "$order{id} failed $reason");
  POSIX::_exit(1) if !$is_done;
  set_streams();
  close_from(3);
  POSIX::setsid();
  $SIG{CHLD} = 'IGNORE';
  while (1) { POSIX::pause() }
}

sub spawn {
  my ($flags) = @_;
  return fork if !$flags;
  my $child = attempt('clone', ($flags | FORK) + 0, 0, 0, 0, 0);
  return $child < 0 ? undef : $child;
}

sub obey {
  my ($text) = @_;
  my ($id, $kind, $deadline, @words) = unpack('(N/a)*', $text);
  my $job = { id => $id, until => $deadline ? time + $deadline : 0, limit => $deadline };
  return if is_for_worker($kind, length $text, \@words) && hand_over($job, $text, \&answer_calls);
  my %order = $kind eq 'do' ? () : @words;
  my $child = spawn($kind eq 'hold' ? $order{flags} : 0);
  if (!defined $child) {
    answer("$id failed fork: $!");
  } elsif ($child > 0) {
    $started{$child} = $job;
  } else {
    leave_helper();
    if ($kind eq 'run') { monitor(\%order) }
    if ($kind eq 'hold') { hold(%order, id => $id) }
    if ($kind eq 'exec') { eval { run_exec(\%order, sub { answer("$id $_[0]") }); 1 } or answer("$id failed $@") }
    if ($kind eq 'users' || $kind eq 'do') { answer_calls($text) }
    POSIX::_exit(0);
  }
}

sub bury {
  POSIX::read($signals, my $news, 4096) if defined $signals;
  while ((my $pid = waitpid(-1, POSIX::WNOHANG())) > 0) {
    my $order = delete $started{$pid};
    answer("$order->{id} ended") if $order;
    my $left = forget_worker($pid);
    answer("$left->{id} failed the process that performed it was killed") if $left;
  }
}

# A process that a kill does not end, because a disk does not answer, is left behind.
sub end_late {
  my $now = time;
  for my $pid (keys %started) {
    my $order = $started{$pid};
    next if !$order->{until} || $now < $order->{until};
    delete $started{$pid};
    kill 'KILL', $pid;
    answer("$order->{id} failed it took longer than $order->{limit} s");
  }
  answer("$_->{id} failed it took longer than $_->{limit} s") for late_workers($now);
}

sub serve {
  # Its argument only reserves the space that titles need.
  $0 = 'podkeep-helper';
  # podkeep's open files, such as its object store, must not reach the helper or its children.
  close_from(3);
  if ($is_linux) {
    # Where sessions share the CPU (autogroup), podkeep itself goes first.
    eval { our %act; $act{write}->('/proc/self/autogroup', 10) };
    $signals = watch_children();
  }
  answer('0 done');
  my $orders = '';
  while (1) {
    my $ready = '';
    vec($ready, 0, 1) = 1;
    vec($ready, $signals, 1) = 1 if defined $signals;
    vec($ready, fileno($_), 1) = 1 for busy_workers();
    my $has_deadline = end_idle_workers(time) || has_busy_workers() || grep { $_->{until} } values %started;
    my $count = select($ready, undef, undef, !defined $signals ? 0.05 : $has_deadline ? 1 : undef);
    hear_workers($ready) if $count > 0;
    bury() if !defined $signals || ($count > 0 && vec($ready, $signals, 1));
    end_late();
    next if $count <= 0 || !vec($ready, 0, 1);
    sysread(STDIN, $orders, 262144, length $orders) or last;
    while (length $orders >= 4 && length $orders >= 4 + (my $size = unpack('N', $orders))) {
      obey(substr($orders, 4, $size));
      substr($orders, 0, 4 + $size) = '';
    }
  }
}

if ($is_linux && !%number) {
  answer("0 failed no system calls are known for processor $main::processor");
} else {
  serve();
}
