# The syscall helper (src/lib/syscall-helper/): makes the system calls for which Node.js has no function. It
# is written in Perl without CPAN modules, because Perl can make any system call and is part of nearly every
# Linux. It decides nothing: it reads orders from podkeep, and performs each in another process:
#
#     do      performs system calls
#     users   creates a user namespace and the namespaces of a pod in it, with calls inside and outside
#     hold    starts a process that holds the process namespace of a pod
#     run     runs a container (container.pl)
#     exec    runs a command in a container (exec.pl)
#
# An order is its length, and then words, each preceded by its length. An answer is a line with the number of
# the order and one of: `done`, `failed` and the reason, `ready` and numbers, `exit` and a code, `ended`.
#
# Long-lived workers perform short orders (workers.pl); every other order gets a new process.
#
# 1. No order can block another: no process performs two orders at the same time, and an order is killed after
#    its deadline.
# 2. The helper ends when podkeep has ended. Containers keep running.
# 3. All code is loaded before the first order, so that no code is read from the root of a container.
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

# Called in a process that performs orders: closes the helper's descriptors, except the one for answers and
# the process's own input, if it has one. Handles are closed as Perl handles, because Perl counts them by
# descriptor and would otherwise not close later handles with the same number.
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

# Performs the orders `do` and `users`, in a worker or in a process for one order.
sub answer_calls {
  my ($id, $kind, undef, @words) = unpack('(N/a)*', $_[0]);
  my $is_done = eval { $kind eq 'do' ? perform($words[0]) : make_users(@words); 1 };
  answer($is_done ? "$id done" : "$id failed $performing: $@");
}

# A second process enters the new namespaces, while the first stays outside, maps the IDs and performs the
# other calls.
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
    # The namespaces exist as long as this process, or the files on which they are mounted.
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

# Replaces %PID% in the calls by the PID of the other process, which is known only here.
sub perform_for {
  my ($calls, $pid) = @_;
  my @words = map { s/%PID%/$pid/gr } unpack('(N/a)*', $calls);
  perform(pack('(N/a)*', @words));
}

# The holder of a pod: keeps a process namespace alive, and reaps its orphans.
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

# Kills orders that are past their deadline. A process that does not die, because a disk does not answer, is
# left behind.
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
  # The argument only reserved the space for process titles.
  $0 = 'podkeep-helper';
  # The helper and its children must not have podkeep's open files, such as its object store.
  close_from(3);
  if ($is_linux) {
    # With autogroup scheduling, podkeep gets a larger share of the CPU than the helper.
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
