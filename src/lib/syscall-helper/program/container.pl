# Runs one container:
#
#     the helper ──fork──> monitor ──clone──> init ──fork──> main ──exec──> the command
#                             │                 │ claim, namespaces, root, users       ▲
#                             └── reads the command's output, writes its log, notes ───┘
#
# The monitor stays outside of the container, with the machine's root and no capabilities. It keeps running
# without podkeep: it claims the container, writes its log, answers clients (clients.pl), and notes the
# container's progress in `state`:
#
#     init PID START     main PID START     running     failed REASON     exit CODE
#
# Init is the first process inside. It sets up the root, starts the command, drops all rights and then only
# waits: it adopts orphans, and when it ends, the kernel kills all other processes of its process namespace.
#
# 1. A claim is created exclusively: of two monitors for one container the second exits.
# 2. The monitor's notes overwrite space that the file already has, so a full disk cannot lose an exit code.
# 3. `running` is noted after the exec of the command, which closes the report pipe.
# 4. `exit` is noted when all output of the command is in the log.
# 5. When the monitor ends, init ends, too, and with it the container.
# 6. The command has no open descriptors except stdin, stdout and stderr.
use strict;
use warnings;
BEGIN { require 'kernel.pl' }

our ($is_linux, $performing);
my $read_bytes = 65536;
my $input_max = 65536;

sub note {
  my ($state, @lines) = @_;
  s/\s+/ /g, s/ $// for @lines;
  syswrite($state, join('', map { "$_\n" } @lines));
}

sub claim {
  my ($folder, $boot) = @_;
  my ($pid, $start) = identity();
  if (!sysopen(my $claim, "$folder/claim", O_WRONLY | O_CREAT | O_EXCL, 0600)) {
    POSIX::_exit(0) if $!{EEXIST};
    die "$folder/claim: $!\n";
  } else {
    # The process leads its own session, so the session ID is its PID.
    syswrite($claim, "$pid $start $boot $pid\n") or die "$folder/claim: $!\n";
  }
}

# Replaces stdin, stdout and stderr by the given descriptors, or by /dev/null.
sub set_streams {
  my ($input, $output, $errors) = @_;
  my $null = open_at(AT_FDCWD, '/dev/null', O_RDWR);
  POSIX::dup2($input // $null, 0);
  POSIX::dup2($output // $null, 1);
  POSIX::dup2($errors // $null, 2);
  POSIX::close($null) if $null > 2;
}

sub monitor {
  my ($order) = @_;
  my $folder = $order->{dir};
  $0 = $order->{title};
  set_name('podkeep-monitor');
  set_streams();
  close_from(3);
  sysopen(my $state, "$folder/state", O_RDWR) or POSIX::_exit(1);
  my $run = {};
  my $is_begun = eval {
    POSIX::setsid();
    claim($folder, $order->{boot});
    $run = begin_container($order, $state);
    1;
  };
  if (!$is_begun) {
    note($state, "failed $@");
    POSIX::_exit(125);
  }
  eval { watch_container($order, $run, $state); 1 } or note($state, "failed $@");
  POSIX::_exit(0);
}

sub begin_container {
  my ($order, $state) = @_;
  my %run = (clients => {}, input => '', trouble => '');
  $run{log} = open_log($order->{log}, $order->{log_max}, $order->{log_files});
  $run{listener} = listen_in($order->{dir}, 'attach');
  my %far;
  if ($order->{tty}) {
    socketpair($run{terminal}, $far{terminal}, PF_UNIX, SOCK_STREAM, 0) or die "socketpair: $!\n";
  } else {
    pipe($run{stdout}, $far{stdout}) && pipe($run{stderr}, $far{stderr}) or die "pipe: $!\n";
    if ($order->{stdin}) { pipe($far{stdin}, $run{stdin}) or die "pipe: $!\n" }
  }
  pipe($run{report}, $far{report}) && pipe($run{life}, $far{life}) or die "pipe: $!\n";
  perform($order->{through});
  my $init = $order->{flags} ? call('clone', '', ($order->{flags} | FORK) + 0, 0, 0, 0, 0) : fork // die "fork: $!\n";
  if ($init == 0) {
    close $_ for grep { defined } @run{qw(report life listener terminal stdout stderr stdin)};
    close $run{log}{handle};
    close $state;
    init($order, \%far);
  }
  $run{init} = $init;
  my $start = start_of($init);
  note($state, "init $init $start");
  for (qw(stdout stderr terminal)) { unblock($run{$_}) if defined $run{$_} }
  unblock($run{stdin}) if defined $run{stdin};
  if ($is_linux) {
    eval { limit_capabilities({}); 1 } or die $@;
    attempt('prctl', 38, 1, 0, 0, 0);
  }
  $SIG{PIPE} = 'IGNORE';
  return \%run;
}

sub start_of {
  my ($pid) = @_;
  open(my $stat, '<', "/proc/$pid/stat") or return '-';
  my $text = <$stat>;
  return (split ' ', substr($text, rindex($text, ')') + 2))[19];
}

sub watch_container {
  my ($order, $run, $state) = @_;
  my $deadline = time + $order->{deadline};
  while (1) {
    my ($ready, $writable) = wait_for($run, $run->{report} ? 1 : undef);
    if ($run->{report} && $ready->{report}) { hear_report($run, $state) }
    if ($run->{report} && time > $deadline) {
      $run->{trouble} = "failed its setup took longer than $order->{deadline} s";
      kill 'KILL', $run->{init};
    }
    if ($run->{terminal} && !$run->{master} && $ready->{terminal}) { take_terminal($run) }
    for my $stream (qw(stdout stderr)) { pass_output($run, $stream) if $run->{$stream} && $ready->{$stream} }
    push_input($run) if $writable->{stdin};
    serve_clients($run, $ready, $writable);
    last if $ready->{life};
  }
  waitpid($run->{init}, 0);
  my $code = $? & 127 ? 128 + ($? & 127) : $? >> 8;
  hear_report($run, $state) while $run->{report};
  for my $stream (qw(stdout stderr)) {
    # All writers of the container have ended with init, so this reads the rest of the output.
    1 while $run->{$stream} && pass_output($run, $stream);
    log_output($run->{log}, $stream, '', 1);
  }
  flush_client($_) for values %{ $run->{clients} };
  unlink "$order->{dir}/attach";
  note($state, "exit $code");
}

# Waits until a descriptor is ready. Output is always read; input only while there is space for it.
sub wait_for {
  my ($run, $seconds) = @_;
  my ($reads, $writes) = ('', '');
  my %read = map { $_ => $run->{$_} } grep { defined $run->{$_} } qw(report life listener terminal stdout stderr);
  delete $read{terminal} if $run->{master};
  vec($reads, fileno($_), 1) = 1 for values %read;
  for my $client (values %{ $run->{clients} }) {
    my $waits = length $run->{input} >= $input_max && $client->{writes};
    vec($reads, fileno($client->{socket}), 1) = 1 if !$waits;
    vec($writes, fileno($client->{socket}), 1) = 1 if $client->{out} ne '';
  }
  my $input = $run->{stdin};
  vec($writes, fileno($input), 1) = 1 if $input && ($run->{input} ne '' || $run->{is_input_over});
  select($reads, $writes, undef, $seconds) >= 0 or return ({}, {});
  my %ready = map { $_ => 1 } grep { vec($reads, fileno($read{$_}), 1) } keys %read;
  my %writable;
  $writable{stdin} = 1 if $input && vec($writes, fileno($input), 1);
  for my $key (keys %{ $run->{clients} }) {
    my $number = fileno($run->{clients}{$key}{socket});
    $ready{"client $key"} = 1 if vec($reads, $number, 1);
    $writable{"client $key"} = 1 if vec($writes, $number, 1);
  }
  return (\%ready, \%writable);
}

# The report pipe carries the identity of main, then the reason of a failure. If it closes without one, the
# command was executed.
sub hear_report {
  my ($run, $state) = @_;
  my $count = sysread($run->{report}, my $text, 4096);
  if ($count) {
    $run->{said} .= $text;
    return;
  }
  close delete $run->{report};
  my ($who, $failure) = ($run->{said} // '') =~ /^(?:main (\d+ \S+)\n)?(.*)$/s;
  $failure = $run->{trouble} if $run->{trouble} ne '';
  $failure = 'failed it ended before its command ran' if !defined $who && $failure eq '';
  # One write, so that a reader finds both notes or none.
  note($state, defined $who ? "main $who" : (), $failure ne '' ? $failure : 'running');
}

sub take_terminal {
  my ($run) = @_;
  my $fd = receive_fd($run->{terminal});
  if (!defined $fd) {
    close delete $run->{terminal};
    return;
  }
  open(my $master, '+<&=', $fd) or die "terminal: $!\n";
  unblock($master);
  $run->{stdout} = $run->{stdin} = $run->{master} = $master;
}

# Returns whether there may be more output.
sub pass_output {
  my ($run, $stream) = @_;
  my $count = sysread($run->{$stream}, my $bytes, $read_bytes);
  if (!$count) {
    return 0 if !defined $count && ($!{EAGAIN} || $!{EINTR});
    # Reading a terminal that no process has open fails; the command may open it again.
    if ($run->{master}) { delete $run->{stdin} }
    delete $run->{$stream};
    return 0;
  }
  log_output($run->{log}, $stream, $bytes, 0);
  my $letter = $stream eq 'stdout' ? 'o' : 'e';
  for my $client (values %{ $run->{clients} }) {
    send_client($client, $letter, $bytes) if index($client->{hears}, $letter) >= 0;
  }
  return 1;
}

sub push_input {
  my ($run) = @_;
  if ($run->{input} ne '') {
    my $count = syswrite($run->{stdin}, $run->{input});
    if (defined $count) {
      substr($run->{input}, 0, $count) = '';
    } elsif (!$!{EAGAIN} && !$!{EINTR}) {
      $run->{input} = '';
      delete $run->{stdin};
    }
  }
  if ($run->{input} eq '' && $run->{is_input_over} && $run->{stdin}) {
    delete $run->{stdin} if !$run->{master};
    $run->{is_input_over} = 0;
  }
}

sub serve_clients {
  my ($run, $ready, $writable) = @_;
  if ($ready->{listener} && (my $client = accept_client($run->{listener}))) {
    $run->{clients}{ fileno($client->{socket}) } = $client;
  }
  for my $key (keys %{ $run->{clients} }) {
    my $client = $run->{clients}{$key};
    flush_client($client) if $writable->{"client $key"};
    my $messages = $ready->{"client $key"} ? read_client($client) : [];
    obey_client($run, $client, @$_) for @{ $messages // [] };
    delete $run->{clients}{$key} if !defined $messages || $client->{is_gone};
  }
}

sub obey_client {
  my ($run, $client, $letter, $text) = @_;
  if ($letter eq 'h') {
    $client->{hears} = $text;
    send_client($client, 'h', '');
  } elsif ($letter eq 'i') {
    $client->{writes} = 1;
    $run->{input} .= $text if $run->{stdin};
  } elsif ($letter eq 'c') {
    $run->{is_input_over} = 1;
  } elsif ($letter eq 'w') {
    resize_terminal($run->{master}, $text) if $run->{master};
  } elsif ($letter eq 'r') {
    my $is_done = eval { reopen_log($run->{log}); 1 };
    send_client($client, $is_done ? 'r' : 'x', $is_done ? '' : $@);
  }
}

sub resize_terminal {
  my ($master, $text) = @_;
  my ($columns, $rows) = $text =~ /^(\d+) (\d+)$/ or return;
  # TIOCSWINSZ
  my $size = pack('S4', $rows, $columns, 0, 0);
  ioctl($master, 0x5414, $size);
}

# Creates a terminal from /dev inside an open root, and returns both ends.
sub make_terminal {
  my ($root, $owner) = @_;
  my $fd = open_within($root, 'dev/pts/ptmx', O_RDWR | O_NOCTTY | O_NONBLOCK, RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS)
    // open_at($root, 'dev/pts/ptmx', O_RDWR | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW)
    // die "no terminal: $!\n";
  die "no terminal: /dev/pts is not the container's own\n" if file_system($fd) != DEVPTS_MAGIC;
  open(my $master, '+<&=', $fd) or die "no terminal: $!\n";
  my $unlock = pack('l', 0);
  ioctl($master, 0x40045431, $unlock) or die "no terminal: $!\n";
  # TIOCGPTPEER opens the other end without a path, which could lead elsewhere.
  my $slave = ioctl($master, 0x5441, O_RDWR | O_NOCTTY) or die "no terminal: $!\n";
  eval { open(my $other, '+<&', $slave + 0); chown($owner, -1, $other) if $owner ne '' };
  return ($master, $slave + 0);
}

# The rest of this file runs inside of the container.
sub init {
  my ($order, $far) = @_;
  my $proc = $is_linux ? open_at(AT_FDCWD, '/proc', O_PATH) : undef;
  my $main;
  set_name('podkeep-init');
  my $is_set_up = eval {
    attempt('prctl', 36, 1, 0, 0, 0) if $is_linux;
    POSIX::setsid();
    perform($order->{setup});
    if ($order->{tty}) {
      my $root = open_at(AT_FDCWD, '/', O_PATH);
      (my $master, $far->{slave}) = make_terminal($root, $order->{owner});
      send_fd($far->{terminal}, fileno($master));
      close $master;
      POSIX::close($root);
    }
    $main = fork // die "fork: $!\n";
    1;
  };
  if (!$is_set_up) {
    syswrite($far->{report}, "failed $performing: $@");
    POSIX::_exit(125);
  }
  become_command($order, $far, $proc) if $main == 0;
  eval {
    set_streams();
    POSIX::dup2(fileno($far->{life}), 3) if fileno($far->{life}) != 3;
    close_from(4);
    perform($order->{rest});
    # PR_SET_PDEATHSIG: init is killed with the monitor, which reads the container's output.
    attempt('prctl', 1, 9, 0, 0, 0) if $is_linux;
    1;
  } or POSIX::_exit(125);
  my $ended = 0;
  do { $ended = wait } while $ended != $main && $ended >= 0;
  my $status = $?;
  end_children() if $$ != 1;
  POSIX::_exit($status & 127 ? 128 + ($status & 127) : $status >> 8);
}

# Kills the remaining processes of a container without a process namespace.
sub end_children {
  for (1 .. 1000) {
    open(my $list, '<', "/proc/self/task/$$/children") or return;
    my @children = split ' ', <$list> // '';
    return if !@children;
    kill 'KILL', @children;
    waitpid($_, 0) for @children;
  }
}

sub become_command {
  my ($order, $far, $proc) = @_;
  my $report = $far->{report};
  eval {
    my ($pid, $start) = identity($proc);
    syswrite($report, "main $pid $start\n");
    if (defined $far->{slave}) {
      POSIX::setsid();
      set_streams(($far->{slave}) x 3);
      # TIOCSCTTY
      ioctl(STDIN, 0x540E, 0) or die "no terminal: $!\n";
    } else {
      set_streams(map { defined $far->{$_} ? fileno($far->{$_}) : undef } qw(stdin stdout stderr));
    }
    perform($order->{enter});
    take_over($order);
  };
  syswrite($report, "failed $@");
  POSIX::_exit(127);
}

# Becomes the command. All descriptors except the three streams should be close-on-exec already; this marks
# all of them again, in case one is not.
sub take_over {
  my ($order) = @_;
  # CLOSE_RANGE_CLOEXEC: the report pipe stays open until the exec.
  if (attempt('close_range', 3, 0xffffffff, 4) < 0) { mark_all_to_close() }
  my @command = unpack('(N/a)*', $order->{command});
  my %environment = unpack('(N/a)*', $order->{env});
  %ENV = %environment;
  $SIG{$_} = 'DEFAULT' for qw(PIPE CHLD INT TERM HUP QUIT);
  no warnings 'exec';
  exec { $command[0] } @command;
  die $!{ENOENT} || $!{EACCES} ? "$order->{missing}\n" : "exec: \"$command[0]\": $!\n";
}

sub mark_all_to_close {
  opendir(my $list, $is_linux ? '/proc/self/fd' : '/dev/fd') or die "/proc/self/fd: $!\n";
  for my $fd (grep { /^\d+$/ && $_ > 2 } readdir $list) {
    open(my $handle, '<&=', $fd) or next;
    fcntl($handle, F_SETFD, FD_CLOEXEC);
  }
}

1;
