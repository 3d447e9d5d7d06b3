# Manages workers: long-lived processes that perform orders one after the other, because forking Perl costs
# more than most orders.
#
#     the helper ──order──> worker ──answer──> podkeep
#         └──<── a byte: the order is performed ──┘
#
# A worker gets only orders that do not change the process itself: all their calls are in %leaves_nothing.
# Every other order, including those that start or enter a container, gets a new process.
#
# 1. A worker has one order at a time. If all workers are busy, another one is created, so that no order waits
#    for another. Workers beyond a few end after a short idle time, not at once, because the next pods of a
#    burst need them.
# 2. Files that an order opened are closed before the next order.
# 3. A worker that exceeds its deadline, or dies, fails its current order and no other.
use strict;
use warnings;
BEGIN { require 'kernel.pl' }

my $idle_max = 4;
my $linger_seconds = 2;
my $order_bytes_max = 65536;
my %leaves_nothing = map { $_ => 1 } qw(
  mount unmount folder file link owner unlink rmdir write netlink ask notify
);

# Workers by PID: the socket, the current order (ID, deadline as a time and in seconds), and since when it is
# idle.
my %workers;

sub names_of {
  my @words = unpack('(N/a)*', $_[0]);
  my @names;
  while (@words) {
    my ($name, $count) = splice(@words, 0, 2);
    splice(@words, 0, $count);
    push @names, $name =~ s/^\?//r;
  }
  return @names;
}

sub is_for_worker {
  my ($kind, $bytes, $words) = @_;
  return 0 if $bytes > $order_bytes_max;
  return 0 if $kind ne 'do' && $kind ne 'users';
  my %order = $kind eq 'do' ? (calls => $words->[0]) : @$words;
  # The calls inside of a `users` order run in a process that ends with the order, so they need not be
  # checked.
  my @calls = grep { defined } @order{qw(calls outside after)};
  return !grep { !$leaves_nothing{$_} } map { names_of($_) } @calls;
}

# `perform`: the function with which a worker performs an order.
sub hand_over {
  my ($order, $text, $perform) = @_;
  # Prefers the worker that was busy last, so that the others become idle long enough to end.
  my ($pid) = sort { $workers{$b}{since} <=> $workers{$a}{since} } idle_workers();
  $pid //= make_worker($perform) // return 0;
  $workers{$pid}{order} = $order;
  # If the worker has died meanwhile, the helper finds it among its ended children.
  local $SIG{PIPE} = 'IGNORE';
  syswrite($workers{$pid}{socket}, pack('N/a', $text));
  return 1;
}

# Undefined: the system cannot create more processes.
sub make_worker {
  my ($perform) = @_;
  socketpair(my $near, my $far, PF_UNIX, SOCK_STREAM, 0) or return undef;
  my $pid = fork // return undef;
  if ($pid == 0) {
    close $near;
    leave_helper($far);
    set_name('podkeep-worker');
    while (defined(my $text = read_order())) {
      $perform->($text);
      forget_open();
      POSIX::write(0, '.', 1);
    }
    POSIX::_exit(0);
  }
  $workers{$pid} = { socket => $near, since => time };
  return $pid;
}

sub read_order {
  my ($text, $size) = ('', 4);
  while (length $text < $size) {
    sysread(STDIN, $text, $size - length $text, length $text) or return undef;
    $size = 4 + unpack('N', $text) if length $text == 4;
  }
  return substr($text, 4);
}

# Workers with an order: only these are polled, because the others send nothing.
sub busy_workers {
  return map { $_->{socket} } grep { $_->{order} } values %workers;
}

sub idle_workers {
  return grep { !$workers{$_}{order} } keys %workers;
}

# Notes which workers have performed their orders.
sub hear_workers {
  my ($ready) = @_;
  for my $worker (values %workers) {
    next if !$worker->{order} || !vec($ready, fileno($worker->{socket}), 1);
    # A worker that has ended is found among the ended children.
    next if !sysread($worker->{socket}, my $byte, 1);
    delete $worker->{order};
    $worker->{since} = time;
  }
}

# Ends idle workers beyond a few by closing their sockets. Returns whether more will have to end later.
sub end_idle_workers {
  my ($now) = @_;
  my @idle = sort { $workers{$a}{since} <=> $workers{$b}{since} } idle_workers();
  while (@idle > $idle_max && $now >= $workers{ $idle[0] }{since} + $linger_seconds) {
    delete $workers{ shift @idle };
  }
  return @idle > $idle_max;
}

# Returns the order of a worker that has ended. Undefined: the process was not a worker, or had no order.
sub forget_worker {
  my ($pid) = @_;
  my $worker = delete $workers{$pid};
  return $worker ? $worker->{order} : undef;
}

# For child processes of the helper, which do not manage workers.
sub forget_all_workers { %workers = () }

# Kills workers whose order is late, and returns these orders.
sub late_workers {
  my ($now) = @_;
  my @late = grep { $workers{$_}{order} && $now >= $workers{$_}{order}{until} } keys %workers;
  kill 'KILL', @late;
  return map { forget_worker($_) } @late;
}

sub has_busy_workers {
  return scalar grep { $_->{order} } values %workers;
}

1;
