# Implements the calls of which orders consist. Each has a name and arguments, and does one thing. TypeScript
# code decides which calls are made and in which order (src/lib/syscall-helper/calls.ts); nothing is decided
# here.
use strict;
use warnings;
BEGIN { require $_ for qw(kernel.pl notify.pl) }

our ($container_root, %number);

# Open files by name, for later calls of the same order: detached mounts, namespaces, control groups.
our %open;
my %netlink;

# A worker performs several orders; it closes these files before the next order.
sub forget_open {
  POSIX::close($_) for values %open;
  (%open, %netlink) = ();
  $container_root = undef;
}

sub opened {
  my ($name) = @_;
  return $open{$name} // die "nothing is open as $name\n";
}

# The path of an open descriptor.
sub fd_path { return "/proc/self/fd/$_[0]" }

our %act = (
  # mount(2) on a path of the machine.
  mount => sub {
    my ($source, $target, $type, $flags, $data) = @_;
    call('mount', " $target", $source, $target, $type, $flags + 0, $data eq '' ? 0 : $data);
  },
  # mount(2) on a path inside an open root.
  mount_in => sub {
    my ($root, $path, $source, $type, $flags, $data, $resolve) = @_;
    my $fd = open_within(opened($root), $path, O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS);
    if (!defined $fd) {
      die "$path: a link is where a folder must be\n" if $!{ELOOP};
      $fd = reach(opened($root), $path, 'folder');
    }
    my $target = fd_path($fd);
    call('mount', " $path", $source, $target, $type, $flags + 0, $data eq '' ? 0 : $data);
    POSIX::close($fd);
  },
  # sd_notify(3) in the name of a process of podkeep.
  notify => sub { notify_service(@_) },
  unmount => sub { call('umount2', " $_[0]", $_[0], $_[1] + 0) },
  unshare => sub { call('unshare', '', $_[0] + 0) },
  # Opens a file or folder under a name; `path` opens it without the right to read.
  keep => sub {
    my ($name, $file, $how) = @_;
    my $flags = { read => O_RDONLY, write => O_WRONLY, path => O_PATH }->{ $how // 'read' };
    $open{$name} = open_at(AT_FDCWD, $file, $flags) // die "$file: $!\n";
  },
  # Opens a path below an open folder; no link may lead out of it.
  keep_beneath => sub {
    my ($name, $folder, $path) = @_;
    my $fd = open_within(opened($folder), $path, O_PATH, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
    $fd = walk_beneath(opened($folder), $path) if !defined $fd && $!{ENOSYS};
    $open{$name} = $fd // die "$path: $!\n";
  },
  # Dies if the process with this PID is another one by now. Otherwise the files that were opened through its
  # PID in /proc belong to it.
  same => sub {
    my ($pid, $start) = @_;
    die "process $pid has ended\n" if start_of($pid) ne $start;
  },
  # Mounts a file system in a child, which is the first process in a new process namespace.
  in_child => sub {
    my ($type, $target) = @_;
    my $child = fork // die "fork: $!\n";
    if ($child == 0) {
      my $is_done = attempt('mount', $type, $target, $type, 0, 0) == 0;
      POSIX::_exit($is_done ? 0 : $! + 0);
    }
    waitpid($child, 0);
    die "mount $type: " . ($! = $? >> 8) . "\n" if $?;
  },
  cd => sub { chdir($_[0]) or die "chdir $_[0]: $!\n" },
  join => sub { call('setns', " $_[0]", opened($_[0]) + 0, $_[1] + 0) },
  # A detached copy of a mount. `recursive`: with the mounts below it.
  tree => sub {
    my ($name, $source, $recursive) = @_;
    my $flags = OPEN_TREE_CLONE | O_CLOEXEC | ($recursive ? AT_RECURSIVE : 0);
    if (exists $open{$source}) {
      my $empty = '';
      $open{$name} = call('open_tree', " $source", $open{$source} + 0, $empty, ($flags | AT_EMPTY_PATH) + 0);
    } else {
      $open{$name} = call('open_tree', " $source", AT_FDCWD, $source, $flags + 0);
    }
  },
  # A detached copy of the tmpfs that is mounted at a path in the mount namespace of another process of this
  # user. A child enters that namespace and sends the copy back, so that this process keeps its own.
  borrow => sub {
    my ($name, $path, $pid, $start) = @_;
    my ($user, $mounts) = map { open_at(AT_FDCWD, "/proc/$pid/ns/$_", O_RDONLY) // die "$pid: $!\n" } qw(user mnt);
    die "process $pid has ended\n" if start_of($pid) ne $start;
    socketpair(my $near, my $far, PF_UNIX, SOCK_STREAM, 0) or die "socketpair: $!\n";
    my $child = fork // die "fork: $!\n";
    if ($child == 0) {
      my $is_done = eval {
        call('setns', ' user', $user + 0, 0x10000000);
        call('setns', ' mount', $mounts + 0, 0x00020000);
        my $fd = open_within(AT_FDCWD, $path, O_PATH, RESOLVE_NO_SYMLINKS) // die "$path: $!\n";
        die "$path is not memory\n" if file_system($fd) != TMPFS_MAGIC;
        my $empty = '';
        my $flags = OPEN_TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH;
        send_fd($far, call('open_tree', " $path", $fd + 0, $empty, $flags + 0));
        1;
      };
      POSIX::_exit($is_done ? 0 : 1);
    }
    close $far;
    my $copy = receive_fd($near);
    waitpid($child, 0);
    POSIX::close($_) for $user, $mounts;
    $open{$name} = $copy // die "$path of process $pid cannot be shared\n";
  },
  # Changes flags and propagation of a detached mount, and ID-maps it to the open user namespace.
  attributes => sub {
    my ($name, $recursive, $set, $clear, $propagation, $users) = @_;
    my $mapped = $users eq '' ? 0 : MOUNT_ATTR_IDMAP;
    my $change = pack('Q4', $set | $mapped, $clear + 0, $propagation + 0, $mapped ? opened($users) : 0);
    my $empty = '';
    my $flags = AT_EMPTY_PATH | ($recursive ? AT_RECURSIVE : 0);
    call('mount_setattr', " $name", opened($name) + 0, $empty, $flags + 0, $change, 32);
  },
  # Attaches a detached mount at a path inside an open root. `kind`: what to create if the path does not
  # exist.
  place => sub {
    my ($name, $root, $path, $kind, $may_sys) = @_;
    my $target = reach(opened($root), $path, $kind);
    refuse_system_targets($target, $path, $may_sys);
    my $empty = '';
    # MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH
    call('move_mount', " $path", opened($name) + 0, $empty, $target + 0, $empty, 0x44);
    POSIX::close($target);
    POSIX::close(delete $open{$name});
  },
  # Fills the new, empty /dev of an open root: with folders to mount on, and with the machine's devices,
  # mounted on files that the container can neither change nor remove.
  devices => sub {
    my ($root, $folders, @names) = @_;
    my $dev = reach(opened($root), 'dev', '');
    make_in($dev, $_, 'folder') or die "/dev/$_: $!\n" for split ' ', $folders;
    my ($empty, $change) = ('', pack('Q4', MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, 0, MS_PRIVATE, 0));
    for my $name (@names) {
      my $made = open_at($dev, $name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644) // die "/dev/$name: $!\n";
      POSIX::close($made);
      my $file = "/dev/$name";
      my $tree = call('open_tree', " $file", AT_FDCWD, $file, OPEN_TREE_CLONE | O_CLOEXEC);
      call('mount_setattr', " $file", $tree, $empty, AT_EMPTY_PATH, $change, 32);
      # MOVE_MOUNT_F_EMPTY_PATH
      call('move_mount', " $file", $tree, $empty, $dev + 0, $name, 0x4);
      POSIX::close($tree);
    }
    POSIX::close($dev);
  },
  # Attaches a detached mount at a path of the machine.
  show => sub {
    my ($name, $path) = @_;
    my $empty = '';
    call('move_mount', " $path", opened($name) + 0, $empty, AT_FDCWD, $path, 0x4);
    POSIX::close(delete $open{$name});
  },
  # Creates a folder or a file inside an open root, and writes its content.
  make => sub {
    my ($root, $path, $kind, $mode, $text) = @_;
    my $fd = reach(opened($root), $path, $kind);
    if (defined $text) {
      as_container_root(
        sub {
          sysopen(my $file, fd_path($fd), O_WRONLY | O_TRUNC) or die "$path: $!\n";
          syswrite($file, $text);
        }
      );
    }
    chmod($mode + 0, fd_path($fd)) or die "chmod $path: $!\n" if defined $mode && $mode ne '';
    POSIX::close($fd);
  },
  # Covers a path, if it exists, with an empty folder or /dev/null.
  mask => sub {
    my ($root, $path) = @_;
    my $fd = open_within(opened($root), $path =~ s{^/+}{}r, O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS);
    return if !defined $fd;
    my $target = fd_path($fd);
    my ($null, $none, $kind, $options) = ('/dev/null', 'none', 'tmpfs', 'size=0,mode=0');
    if (-d $target) {
      call('mount', " $path", $none, $target, $kind, 0x1 | 0x2 | 0x4 | 0x8, $options);
    } else {
      call('mount', " $path", $null, $target, $none, MS_BIND, 0);
    }
    POSIX::close($fd);
  },
  # Makes a path read-only, if it exists.
  freeze => sub {
    my ($root, $path) = @_;
    my $fd = open_within(opened($root), $path =~ s{^/+}{}r, O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS);
    return if !defined $fd;
    my $empty = '';
    my $tree = call('open_tree', " $path", $fd + 0, $empty,
      (OPEN_TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE) + 0);
    my $change = pack('Q4', 1, 0, 0, 0);
    call('mount_setattr', " $path", $tree + 0, $empty, (AT_EMPTY_PATH | AT_RECURSIVE) + 0, $change, 32);
    call('move_mount', " $path", $tree + 0, $empty, $fd + 0, $empty, 0x44);
    POSIX::close($_) for $tree, $fd;
  },
  # Sets flags of the mount at a path inside an open root.
  restrict => sub {
    my ($root, $path, $set) = @_;
    my $fd = reach(opened($root), $path, '');
    my $empty = '';
    my $change = pack('Q4', $set + 0, 0, 0, 0);
    call('mount_setattr', " $path", $fd + 0, $empty, AT_EMPTY_PATH + 0, $change, 32);
    POSIX::close($fd);
  },
  # Makes the open folder the root of this mount namespace, and unmounts the old root.
  pivot => sub {
    my ($root) = @_;
    my $here = '.';
    chdir(fd_path(opened($root))) or die "chdir: $!\n";
    call('pivot_root', '', $here, $here);
    call('umount2', ' the old root', $here, MNT_DETACH);
    chdir('/') or die "chdir /: $!\n";
  },
  # Sets the owner of folders and files that later calls create inside a root.
  owner_in_root => sub { $container_root = $_[0] + 0 },
  write => sub {
    my ($file, $text) = @_;
    sysopen(my $handle, $file, O_WRONLY) or die "$file: $!\n";
    defined syswrite($handle, $text) or die "$file: $!\n";
  },
  put => sub {
    my ($name, $text) = @_;
    POSIX::write(opened($name), $text, length $text) // die "$name: $!\n";
  },
  folder => sub { mkdir($_[0], $_[1] // 0755) or $!{EEXIST} or die "mkdir $_[0]: $!\n" },
  file => sub {
    sysopen(my $handle, $_[0], O_WRONLY | O_CREAT | O_NOFOLLOW, 0644) or die "$_[0]: $!\n";
  },
  link => sub { symlink($_[0], $_[1]) or die "symlink $_[1]: $!\n" },
  owner => sub { chown($_[1] + 0, $_[2] + 0, $_[0]) or die "chown $_[0]: $!\n" },
  unlink => sub { unlink($_[0]) or die "unlink $_[0]: $!\n" },
  rmdir => sub { rmdir($_[0]) or die "rmdir $_[0]: $!\n" },
  hostname => sub { call('sethostname', '', $_[0], length $_[0]) },
  # Opens a netlink socket. It belongs to the network namespace in which it was opened.
  netlink => sub {
    my ($name) = @_;
    socket($netlink{$name}, 16, SOCK_RAW, 0) or die "netlink: $!\n";
  },
  ask => sub {
    my ($name, $message, $interface, $offset, $pid_offset, $pid) = @_;
    # The message names the network namespace of another process, whose PID is known only now.
    substr($message, $pid_offset, 4) = pack('L', $pid) if defined $pid;
    if (defined $interface && $interface ne '') {
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
  # Enters the root of a container that an earlier version of podkeep started.
  root => sub {
    my ($name) = @_;
    chroot(fd_path(opened($name))) or die "chroot: $!\n";
    chdir('/') or die "chdir /: $!\n";
  },
  # Changes to the working directory with the container's rights, and checks that it is inside of the root.
  go => sub {
    my ($folder) = @_;
    chdir($folder) or die "cannot go to the working directory $folder: $!\n";
    my $path = "\0" x 4096;
    call('getcwd', '', $path, 4096);
    die "the working directory $folder is outside of the container's root\n" if $path !~ m{^/};
  },
  groups => sub {
    my $list = pack('L*', @_);
    call('setgroups', '', scalar @_, @_ ? $list : 0);
  },
  user => sub {
    my ($uid, $gid) = @_;
    call('setresgid', '', ($gid + 0) x 3);
    call('setresuid', '', ($uid + 0) x 3);
  },
  # Drops all other capabilities from the bounding set, so that they can never be regained.
  bound => sub {
    my %kept = map { $_ => 1 } @_;
    for my $capability (0 .. 63) {
      next if $kept{$capability} || attempt('prctl', 24, $capability, 0, 0, 0) == 0;
      # EINVAL: the kernel has no more capabilities.
      last if $!{EINVAL};
      die "prctl: $!\n";
    }
  },
  # Sets the capabilities of this process; none is inheritable.
  capabilities => sub { limit_capabilities({ map { $_ => 1 } @_ }) },
  strict => sub { call('prctl', ' no_new_privs', 38, 1, 0, 0, 0) },
  # Makes this process undumpable, so that the container cannot inspect it during setup.
  hidden => sub { call('prctl', ' dumpable', 4, 0, 0, 0, 0) },
  # Starts a new session keyring, so that the container has no keys of the machine's session.
  keyring => sub { call('keyctl', '', 1, 0, 0, 0, 0) },
  seccomp => sub {
    my ($filter, $flags) = @_;
    my $program = pack('S x6 P', length($filter) / 8, $filter);
    # SECCOMP_SET_MODE_FILTER
    call('seccomp', '', 1, $flags + 0, $program);
  },
);

# Reduces the permitted and effective sets to these capabilities; none is inheritable.
sub limit_capabilities {
  my ($kept) = @_;
  my ($header, $sets) = (pack('L l', 0x20080522, 0), "\0" x 24);
  call('capget', '', $header, $sets);
  my @set = unpack('L6', $sets);
  for my $word (0, 1) {
    my $mask = 0;
    for my $bit (0 .. 31) { $mask |= 1 << $bit if $kept->{ $word * 32 + $bit } }
    $set[ $word * 3 ] &= $mask;
    $set[ $word * 3 + 1 ] &= $mask;
    $set[ $word * 3 + 2 ] = 0;
  }
  my $changed = pack('L6', @set);
  call('capset', '', $header, $changed);
}

# For kernels without openat2: opens each part of a path, and follows no links.
sub walk_beneath {
  my ($folder, $path) = @_;
  my $fd = open_at($folder, '.', O_PATH);
  for my $part (grep { $_ ne '' && $_ ne '.' } split m{/}, $path) {
    die "$path: leads out of its volume\n" if $part eq '..';
    my $next = open_at($fd, $part, O_PATH | O_NOFOLLOW);
    die "$path: $!\n" if !defined $next;
    POSIX::close($fd);
    die "$path: leads through a link\n" if defined link_of($next, '');
    $fd = $next;
  }
  return $fd;
}

# The encoding of a call is its name, the number of its arguments, and the arguments. A call whose name begins
# with a question mark may fail.
our $performing = '';
sub perform {
  my @words = unpack('(N/a)*', $_[0]);
  while (@words) {
    my ($name, $count) = splice(@words, 0, 2);
    my @own = splice(@words, 0, $count);
    my $may_fail = $name =~ s/^\?//;
    $performing = $name;
    my $act = $act{$name} // die "no such call: $name\n";
    next if eval { $act->(@own); 1 };
    die $@ unless $may_fail;
  }
}

1;
