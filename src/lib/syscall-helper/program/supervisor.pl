# The supervisor of podkeep: starts podkeep, detects when it hangs or crashes, records why, and restarts it.
# Containers are not children of podkeep, so they keep running meanwhile. bin/podkeep starts it:
#
#     perl supervisor.pl NODE BIN ARGUMENTS...
#
#     starting ──beats──> up ──exit, signal──> down ──back-off──> starting
#                          └──no beat for 20 s──> killed ──┘
#
# The supervisor is the parent process, so shells and service managers know its PID. Two pipes connect it with
# podkeep; PODKEEP_SUPERVISOR has their descriptors (src/cli/supervision/supervisor-link.ts is the other end).
#
#     podkeep writes   beat               its event loop is not blocked; once a second
#                      ready              it is up
#                      stopping           it is stopping on request
#                      folder HEX         its data folder, for the record of restarts
#                      notify HEX         for the service manager (notify.pl)
#                      reported N         N restarts were reported as Events
#     podkeep reads    signal SIGTERM     the supervisor received the signal
#
# 1. The supervisor restarts podkeep only if it was up once or was killed by a signal: not after a mistyped
#    option or because of a port that is taken.
# 2. After a requested stop the supervisor ends, too, with podkeep's exit code or signal.
# 3. Only seconds in which this process itself ran are counted: a suspended machine, or a stop of both
#    processes, is not a hang.
# 4. A signal to a terminal or a control group reaches both processes. podkeep counts its own signal and the
#    forwarded one as one.
# 5. When this process dies, podkeep reads the end of its pipe, and ends, too.
#
# To stay small it loads no modules but Fcntl, and Socket if there is a service manager.
use strict;
use warnings;
use Fcntl;

BEGIN { unshift @INC, $0 =~ m{^(.*)/} ? $1 : '.' }
BEGIN { require 'notify.pl' }

my $WNOHANG = 1;
my $silent_max = 20;
my $backoff_max = 60;
my $healthy_beats = 600;
my $record_bytes_max = 262144;
my $pending_max = 20;
my $line_bytes_max = 65536;

my %name_of = (
  1 => 'SIGHUP', 2 => 'SIGINT', 3 => 'SIGQUIT', 4 => 'SIGILL', 5 => 'SIGTRAP', 6 => 'SIGABRT', 8 => 'SIGFPE',
  9 => 'SIGKILL', 11 => 'SIGSEGV', 13 => 'SIGPIPE', 14 => 'SIGALRM', 15 => 'SIGTERM',
);
# The signals that request a stop.
my %ends = (SIGHUP => 1, SIGINT => 1, SIGTERM => 1);

my ($child, $from, $to, $text);
my ($silent, $beats, $has_beaten, $was_up, $is_stopping, $is_traced) = (0, 0, 0, 0, 0, 0);
my ($attempt, $backoff, $folder, $cpu) = (0, 1, undef, undef);
my (@signals, @pending, %restarts);
my $notify_socket = delete $ENV{NOTIFY_SOCKET};
my $watchdog_usec = delete $ENV{WATCHDOG_USEC};
my $watchdog_pid = delete $ENV{WATCHDOG_PID};
undef $watchdog_usec if ($watchdog_pid // $$) ne $$;

sub json_text {
  my ($value) = @_;
  $value =~ s/[^\x20-\x7e]/?/g;
  $value =~ s/(["\\])/\\$1/g;
  return "\"$value\"";
}

sub json_of {
  my ($record) = @_;
  my @fields = map {
    my $value = $record->{$_};
    json_text($_) . ':' . ($value =~ /^\d+\z/ && $_ ne 'time' ? $value : json_text($value));
  } grep { defined $record->{$_} } qw(time reason attempt process exitCode signal detail);
  return '{' . join(',', @fields) . '}';
}

sub notify {
  my ($message) = @_;
  # The supervisor ignores a service manager that is gone.
  eval { notify_service($notify_socket, $message); 1 } if defined $notify_socket;
}

sub write_error { syswrite(STDERR, "podkeep: $_[0]\n") }

sub utc_time {
  my ($second, $minute, $hour, $day, $month, $year) = gmtime;
  return sprintf '%04d-%02d-%02dT%02d:%02d:%02dZ', $year + 1900, $month + 1, $day, $hour, $minute, $second;
}

# State, CPU time (in clock ticks) and start time of a process. Empty without /proc.
sub stat_of {
  my ($pid) = @_;
  open(my $in, '<', "/proc/$pid/stat") or return ();
  my $line = <$in> // '';
  # The process name may hold any character, so it is cut off first.
  my @fields = split ' ', $line =~ s/^.*\) //sr;
  return @fields > 19 ? ($fields[0], $fields[11] + $fields[12], $fields[19]) : ();
}

# Starts podkeep with its environment and pipe descriptors, which it does not pass on to other processes.
# Returns false if the machine has no process or descriptor left.
sub start {
  # Perl passes descriptors up to this number on to podkeep.
  local $^F = 1023;
  pipe($from, my $there) && pipe(my $orders, $to) or return 0;
  ($text, $silent, $beats, $has_beaten, $is_traced) = ('', 0, 0, 0, 0);
  $child = fork // return 0;
  if ($child) {
    close $_ for $there, $orders;
    return 1;
  }
  $SIG{$_} = 'DEFAULT' for qw(HUP INT TERM USR1 USR2 PIPE);
  close $_ for $from, $to;
  $ENV{PODKEEP_SUPERVISOR} = fileno($there) . ',' . fileno($orders);
  $ENV{PODKEEP_RESTARTS} = '{"counts":{' . join(',', map { "\"$_\":$restarts{$_}" } sort keys %restarts) .
    '},"pending":[' . join(',', map { json_of($_) } @pending) . ']}';
  $ENV{PODKEEP_NOTIFY} = 1 if defined $notify_socket;
  $ENV{WATCHDOG_USEC} = $watchdog_usec if defined $watchdog_usec;
  no warnings 'exec';
  exec { $ARGV[0] } @ARGV;
  write_error("$ARGV[0] cannot be started: $!");
  exit 127;
}

sub obey {
  my ($line) = @_;
  my ($word, $rest) = split ' ', $line, 2;
  return if !defined $word;
  if ($word eq 'beat') {
    $has_beaten = 1;
    ($attempt, $backoff) = (0, 1) if ++$beats == $healthy_beats;
  }
  $was_up = 1 if $word eq 'ready';
  $is_stopping = 1 if $word eq 'stopping';
  splice @pending, 0, $1 if $word eq 'reported' && $rest =~ /^(\d+)$/ && $1 <= @pending;
  return if !defined $rest || $rest !~ /^(?:[0-9a-f]{2})+$/;
  notify(pack('H*', $rest)) if $word eq 'notify';
  work_in(pack('H*', $rest)) if $word eq 'folder';
}

# Writes the PID file by which `podkeep down` finds this process (src/cli/supervision/supervisor-process.ts).
sub work_in {
  my ($path) = @_;
  return if $path !~ m{^/} || $path =~ /\0/;
  $folder = $path;
  my $start = (stat_of($$))[2] // '';
  my $file = "$folder/supervisor.pid";
  unlink "$file.new";
  sysopen(my $out, "$file.new", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600) or return;
  syswrite($out, "$$ $start\n");
  close $out;
  rename("$file.new", $file);
}

sub record {
  my ($record) = @_;
  push @pending, $record;
  shift @pending while @pending > $pending_max;
  $restarts{ $record->{reason} }++;
  return if !defined $folder;
  my $file = "$folder/supervisor.jsonl";
  rename($file, "$file.1") if (-s $file // 0) > $record_bytes_max;
  sysopen(my $out, $file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600) or return write_error("$file: $!");
  syswrite($out, json_of($record) . "\n");
  close $out;
}

# Returns false at the end of the pipe.
sub hear {
  sysread($from, $text, 65536, length $text) or return 0;
  $silent = 0;
  obey($1) while $text =~ s/^([^\n]*)\n//;
  $text = '' if length $text > $line_bytes_max;
  return 1;
}

sub pass_signals {
  while (my $signal = shift @signals) {
    $is_stopping = 1 if $ends{$signal};
    syswrite($to, "signal $signal\n");
  }
}

# Called once a second without a beat. Returns the reason if podkeep has to be killed.
sub hang {
  return undef if !$has_beaten;
  $silent++;
  return undef if $silent < $silent_max - 1;
  my ($state, $ticks) = stat_of($child);
  $state //= '?';
  if ($state eq 't') {
    write_error("a debugger holds process $child; it is left alone") if !$is_traced;
    ($is_traced, $silent) = (1, 0);
    return undef;
  }
  my $used = defined $ticks && defined $cpu ? $ticks - $cpu : undef;
  $cpu = $ticks;
  return undef if $silent < $silent_max;
  undef $cpu;
  return "no heartbeat for $silent s; state $state" . (defined $used ? ", $used% of a CPU in the last second" : '');
}

# Runs until podkeep has ended. Returns its wait status, and the reason if the supervisor killed it.
sub supervise {
  my ($is_open, $detail) = (1, undef);
  while (1) {
    my $ready = '';
    vec($ready, fileno($from), 1) = 1 if $is_open;
    my $count = select($ready, undef, undef, $is_open ? 1 : 0.02);
    $is_open = hear() if $count > 0;
    pass_signals();
    return ($?, $detail) if waitpid($child, $WNOHANG) == $child;
    next if $count != 0 || !$is_open || defined $detail;
    $detail = hang();
    next if !defined $detail;
    write_error("process $child hangs ($detail): killing it");
    kill 'KILL', $child;
  }
}

# Ends with podkeep's exit code or signal, so that the parent sees no difference.
sub leave {
  my ($status) = @_;
  unlink "$folder/supervisor.pid" if defined $folder;
  my $number = $status & 127;
  exit($status >> 8) if !$number;
  if ($number == 9 || $ends{ $name_of{$number} // '' }) {
    $SIG{ substr $name_of{$number}, 3 } = 'DEFAULT' if $number != 9;
    kill $number, $$;
    select(undef, undef, undef, 1);
  }
  exit(128 + $number);
}

# Waits for the back-off; a signal ends the wait.
sub wait_before_start {
  for (my $left = $backoff * 10; $left > 0; $left--) {
    leave($_ eq 'SIGINT' ? 2 : $_ eq 'SIGHUP' ? 1 : 15) for grep { $ends{$_} } @signals;
    select(undef, undef, undef, 0.1);
  }
  $backoff = $backoff * 2 > $backoff_max ? $backoff_max : $backoff * 2;
}

$0 = join ' ', 'podkeep-supervisor', @ARGV[2 .. $#ARGV];
$SIG{PIPE} = 'IGNORE';
for my $signal (qw(HUP INT TERM)) { $SIG{$signal} = sub { push @signals, "SIG$signal" } }
for my $signal (qw(USR1 USR2)) { $SIG{$signal} = sub { kill $signal, $child if $child } }

while (1) {
  if (!start()) {
    write_error("podkeep cannot be started: $!");
    exit 1 if !$was_up;
    wait_before_start();
    next;
  }
  my ($status, $detail) = supervise();
  my $number = $status & 127;
  my $signal = $number ? $name_of{$number} // "signal $number" : undef;
  # A stop signal may have ended podkeep before it listened to signals.
  my $is_asked = $is_stopping || ($number && !defined $detail && $ends{$signal});
  leave($status) if $is_asked || $status == 0 || (!$was_up && !$number);
  record({
    time => utc_time(),
    reason => defined $detail ? 'hang' : $number ? 'signal' : 'exit',
    attempt => ++$attempt,
    process => $child,
    exitCode => $number ? undef : $status >> 8,
    signal => $signal,
    detail => $detail,
  });
  my $cause = defined $detail ? 'hung' : $number ? "was ended by $signal" : 'exited with ' . ($status >> 8);
  write_error("process $child $cause: starting it again in $backoff s (attempt $attempt); pods keep running");
  notify("STATUS=Process $child $cause; starting it again in $backoff s (attempt $attempt)");
  wait_before_start();
}
