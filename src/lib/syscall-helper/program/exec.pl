# Runs a command in a running container, for exec, probes and hooks.
#
#     the helper ──fork──> waiter ──fork──> usher ──fork──> the command, inside the container
#
# The usher joins the namespaces of the container one by one; the container cannot see it. Only its child is
# among the container's processes. From its start the child has the container's root and users, and only three
# descriptors.
#
# The waiter creates the pipes and reports their descriptor numbers; podkeep opens its ends in /proc, and
# writes `go` to the fourth pipe, the control. With a terminal, the waiter copies bytes between pipes and
# terminal. At the end it reports the exit code. When podkeep closes the control pipe, or dies, the waiter
# kills the command.
#
# 1. No program of the container runs with more rights than the container: this process, whose code and
#    libraries come from the machine and are already loaded, makes all system calls on the way in.
# 2. The container cannot inspect the process that enters it until the exec of the command.
use strict;
use warnings;
BEGIN { require 'kernel.pl' }

my $go_seconds = 20;

sub run_exec {
  my ($order, $answer) = @_;
  set_name('podkeep-exec');
  POSIX::setsid();
  my %pipe;
  for my $name (qw(control stdin stdout stderr)) {
    pipe(my $read, my $write) or die "pipe: $!\n";
    $pipe{$name} = [$read, $write];
  }
  my @numbers = (
    fileno($pipe{control}[1]), fileno($pipe{stdin}[1]), fileno($pipe{stdout}[0]), fileno($pipe{stderr}[0]),
  );
  $answer->("ready $$ @numbers");
  wait_for_go($pipe{control}[0]) or POSIX::_exit(1);
  close $pipe{$_}[1] for qw(control stdin);
  close $pipe{$_}[0] for qw(stdout stderr);
  my $code = eval { exec_inside($order, \%pipe) };
  $answer->(defined $code ? "exit $code" : "failed $@");
  POSIX::_exit(0);
}

# Waits until podkeep has opened its ends of the pipes; until then this process holds all ends.
sub wait_for_go {
  my ($control) = @_;
  my $ready = '';
  vec($ready, fileno($control), 1) = 1;
  return 0 if select($ready, undef, undef, $go_seconds) <= 0;
  sysread($control, my $word, 3);
  return ($word // '') eq "go\n";
}

sub exec_inside {
  my ($order, $pipe) = @_;
  perform($order->{through});
  my ($master, $slave);
  my ($input, $output, $errors) = ($pipe->{stdin}[0], $pipe->{stdout}[1], $pipe->{stderr}[1]);
  if ($order->{tty}) { ($master, $slave) = make_terminal(opened('root'), $order->{owner}) }
  my $ends = watch_children();
  my $child = fork // die "fork: $!\n";
  if ($child == 0) {
    POSIX::sigprocmask(POSIX::SIG_SETMASK(), POSIX::SigSet->new);
    usher($order, $slave, $input, $output, $errors);
  }
  POSIX::close($slave) if defined $slave;
  close $errors;
  if (!$master) { close $_ for $input, $output }
  my $control = $pipe->{control}[0];
  $SIG{PIPE} = 'IGNORE';
  relay($child, $ends, $control, $master, $input, $output);
  waitpid($child, 0);
  return $? & 127 ? 128 + ($? & 127) : $? >> 8;
}

# Copies bytes until the command has ended, which the descriptor `ends` shows.
sub relay {
  my ($child, $ends, $control, $master, $input, $output) = @_;
  my ($to_terminal, $words) = ('', '');
  unblock($master) if $master;
  while (1) {
    my ($reads, $writes) = ('', '');
    vec($reads, $ends, 1) = 1;
    vec($reads, fileno($control), 1) = 1 if $control;
    vec($reads, fileno($master), 1) = 1 if $master;
    vec($reads, fileno($input), 1) = 1 if $master && $input && length $to_terminal < 65536;
    vec($writes, fileno($master), 1) = 1 if $master && length $to_terminal;
    next if select($reads, $writes, undef, undef) < 0;
    if ($control && vec($reads, fileno($control), 1)) {
      if (sysread($control, $words, 256, length $words)) {
        while ($words =~ s/^(.*)\n//) { resize_terminal($master, $1) if $master }
      } else {
        # The usher kills the command.
        kill 'TERM', $child;
        $control = undef;
      }
    }
    if ($master && $input && vec($reads, fileno($input), 1)) {
      if (!sysread($input, $to_terminal, 65536, length $to_terminal)) {
        # Ctrl-D: the end of input on a terminal.
        $to_terminal .= "\x04";
        $input = undef;
      }
    }
    if ($master && vec($writes, fileno($master), 1)) {
      my $count = syswrite($master, $to_terminal);
      substr($to_terminal, 0, $count) = '' if $count;
    }
    if ($master && vec($reads, fileno($master), 1)) {
      my $count = sysread($master, my $bytes, 65536);
      if ($count) { write_all($output, $bytes) }
      elsif (defined $count || !$!{EAGAIN}) { $master = undef }
    }
    last if vec($reads, $ends, 1);
  }
  while ($master && sysread($master, my $bytes, 65536)) { write_all($output, $bytes) }
}

sub write_all {
  my ($handle, $bytes) = @_;
  while (length $bytes) {
    my $count = syswrite($handle, $bytes) // return;
    substr($bytes, 0, $count) = '';
  }
}

# Instead of a command: connects the streams to a port of the loopback interface of the pod's network.
sub dial {
  my ($port) = @_;
  socket(my $socket, PF_INET, SOCK_STREAM, 0) or die "socket: $!\n";
  connect($socket, pack_sockaddr_in($port, INADDR_LOOPBACK)) or die "connect: $!\n";
  syswrite(STDERR, "connected\n");
  close STDERR;
  my ($to, $from) = ('', '');
  my ($in_open, $out_open) = (1, 1);
  while ($out_open || length $from) {
    my ($reads, $writes) = ('', '');
    vec($reads, 0, 1) = 1 if $in_open && !length $to;
    vec($reads, fileno($socket), 1) = 1 if $out_open && !length $from;
    vec($writes, fileno($socket), 1) = 1 if length $to;
    vec($writes, 1, 1) = 1 if length $from;
    next if select($reads, $writes, undef, undef) < 0;
    if (vec($reads, 0, 1) && !sysread(STDIN, $to, 65536)) {
      $in_open = 0;
      shutdown($socket, 1);
    }
    if (vec($reads, fileno($socket), 1) && !sysread($socket, $from, 65536)) { $out_open = 0 }
    if (vec($writes, fileno($socket), 1)) {
      my $count = syswrite($socket, $to) // POSIX::_exit(1);
      substr($to, 0, $count) = '';
    }
    if (vec($writes, 1, 1)) {
      my $count = syswrite(STDOUT, $from) // POSIX::_exit(1);
      substr($from, 0, $count) = '';
    }
  }
  POSIX::_exit(0);
}

sub usher {
  my ($order, $slave, $input, $output, $errors) = @_;
  my $code = eval {
    if (defined $slave) {
      set_streams(($slave) x 3);
    } else {
      set_streams($order->{stdin} ? fileno($input) : undef, fileno($output), fileno($errors));
    }
    perform($order->{join});
    my $child = fork // die "fork: $!\n";
    if ($child == 0) { become_exec($order, defined $slave) }
    # The command leads its own session.
    $SIG{TERM} = sub { kill 'KILL', -$child; kill 'KILL', $child };
    # The usher closes its streams: otherwise the command, or a reader of its output, would wait for them.
    POSIX::close($_) for 0 .. 2;
    close_from(3);
    my $ended;
    do { $ended = waitpid($child, 0) } while $ended < 0 && $!{EINTR};
    $? & 127 ? 128 + ($? & 127) : $? >> 8;
  };
  if (!defined $code) {
    syswrite(STDERR, $@);
    POSIX::_exit(127);
  }
  POSIX::_exit($code);
}

sub become_exec {
  my ($order, $has_terminal) = @_;
  eval {
    close_from(3);
    POSIX::setsid();
    # TIOCSCTTY
    if ($has_terminal) { ioctl(STDIN, 0x540E, 0) or die "no terminal: $!\n" }
    perform($order->{enter});
    if ($order->{dial}) { dial($order->{dial}) } else { take_over($order) }
  };
  my $reason = $@ =~ s/\n//gr;
  syswrite(STDERR, "$reason\n");
  POSIX::_exit(127);
}

1;
