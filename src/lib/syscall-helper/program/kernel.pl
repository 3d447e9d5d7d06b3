# Makes system calls for which Perl has no function, by name. Wrappers return the kernel's result, or die with
# a message that names the call and its object.
use strict;
use warnings;
use Errno ();
use Fcntl;
use POSIX ();
use Socket;

# Numbers that are the same on every processor, since Linux 5.0.
my %common = (
  open_tree => 428,
  move_mount => 429,
  close_range => 436,
  openat2 => 437,
  mount_setattr => 442,
);

my %x86_64 = (
  capget => 125, capset => 126, clock_gettime => 228, clone => 56, fchmodat => 268, fchownat => 260,
  fstatfs => 138, getcwd => 79, keyctl => 250, mkdirat => 258, mount => 165, openat => 257,
  pivot_root => 155, prctl => 157, readlinkat => 267, recvmsg => 47, sendmsg => 46, setfsgid => 123,
  setfsuid => 122, setgroups => 116, sethostname => 170, setns => 308, setresgid => 119,
  seccomp => 317, setresuid => 117, signalfd4 => 289, umount2 => 166, unshare => 272,
);

# arm64 and riscv64 use the kernel's generic table.
my %generic = (
  capget => 90, capset => 91, clock_gettime => 113, clone => 220, fchmodat => 53, fchownat => 54,
  fstatfs => 44, getcwd => 17, keyctl => 219, mkdirat => 34, mount => 40, openat => 56,
  pivot_root => 41, prctl => 167, readlinkat => 78, recvmsg => 212, sendmsg => 211, setfsgid => 152,
  setfsuid => 151, setgroups => 159, sethostname => 161, setns => 268, setresgid => 149,
  seccomp => 277, setresuid => 147, signalfd4 => 74, umount2 => 39, unshare => 97,
);

our ($system, $processor) = (POSIX::uname())[0, 4];
our $is_linux = $system eq 'Linux';
my $own = { x86_64 => \%x86_64, aarch64 => \%generic, riscv64 => \%generic }->{$processor};
our %number = $is_linux && $own ? (%common, %$own) : ();

use constant {
  AT_FDCWD => -100,
  AT_EMPTY_PATH => 0x1000,
  AT_RECURSIVE => 0x8000,
  O_CLOEXEC => 02000000,
  O_PATH => 010000000,
  OPEN_TREE_CLONE => 1,
  RESOLVE_NO_MAGICLINKS => 0x02,
  RESOLVE_NO_SYMLINKS => 0x04,
  RESOLVE_BENEATH => 0x08,
  RESOLVE_IN_ROOT => 0x10,
  MOUNT_ATTR_NOSUID => 0x2,
  MOUNT_ATTR_NOEXEC => 0x8,
  MOUNT_ATTR_IDMAP => 0x100000,
  MS_PRIVATE => 0x40000,
  MS_BIND => 0x1000,
  MNT_DETACH => 2,
  PROC_MAGIC => 0x9fa0,
  SYSFS_MAGIC => 0x62656572,
  DEVPTS_MAGIC => 0x1cd1,
  TMPFS_MAGIC => 0x01021994,
  FORK => POSIX::SIGCHLD(),
};

my $within_attempts_max = 100;

# Dies if the call fails. Arguments are passed by reference, because the kernel writes into some.
sub call {
  my ($name, $about) = (shift, shift);
  my $result = attempt($name, @_);
  die "$name$about: $!\n" if $result < 0;
  return $result;
}

# Returns a negative number if the call fails, and leaves the reason in $!.
sub attempt {
  my $name = shift;
  if (!exists $number{$name}) {
    $! = Errno::ENOSYS();
    return -1;
  }
  return syscall($number{$name}, @_);
}

# Returns a close-on-exec descriptor. Undefined: the call failed, and $! has the reason.
sub open_at {
  my ($folder, $path, $flags, $mode) = @_;
  my $fd = attempt('openat', $folder + 0, $path, ($flags | O_CLOEXEC) + 0, ($mode // 0) + 0);
  return $fd < 0 ? undef : $fd;
}

# The same with openat2: the kernel applies the rules of `resolve` at every step of the path. While anything
# is mounted or renamed on the machine, it cannot guarantee a `..`, and fails with EAGAIN.
sub open_within {
  my ($folder, $path, $flags, $resolve) = @_;
  my $how = pack('Q3', $flags | O_CLOEXEC, 0, $resolve);
  for (1 .. $within_attempts_max) {
    my $fd = attempt('openat2', $folder + 0, $path, $how, 24);
    return $fd if $fd >= 0;
    last if !$!{EAGAIN};
  }
  return undef;
}

# The target of a link. Undefined: the file is not a link.
sub link_of {
  my ($fd, $path) = @_;
  my $target = "\0" x 4096;
  my $length = attempt('readlinkat', $fd + 0, $path, $target, 4096);
  return $length < 0 ? undef : substr($target, 0, $length);
}

# The type of the file system of an open file.
sub file_system {
  my ($fd) = @_;
  my $facts = "\0" x 256;
  call('fstatfs', '', $fd + 0, $facts);
  return unpack('Q', $facts);
}

sub now {
  my $time = "\0" x 16;
  return (time, 0) if attempt('clock_gettime', 0, $time) < 0;
  return unpack('q2', $time);
}

sub set_name {
  my ($name) = @_;
  attempt('prctl', 15, $name) if $is_linux;
}

# PID and start time of this process in the machine's /proc, which stays reachable by its descriptor after the
# root has changed.
sub identity {
  my ($proc) = @_;
  return ($$, '-') if !$is_linux;
  my $fd = defined $proc ? open_at($proc, 'self/stat', O_RDONLY) : open_at(AT_FDCWD, '/proc/self/stat', O_RDONLY);
  die "/proc/self/stat: $!\n" if !defined $fd;
  POSIX::read($fd, my $text, 4096);
  POSIX::close($fd);
  my ($pid) = $text =~ /^(\d+)/;
  my @fields = split ' ', substr($text, rindex($text, ')') + 2);
  return ($pid, $fields[19]);
}

# Closes every descriptor from this number on: a container must not get any of podkeep's.
sub close_from {
  my ($first) = @_;
  return if attempt('close_range', $first + 0, 0xffffffff, 0) == 0;
  # Without close_range: closes the descriptors that /proc lists, or else all possible numbers.
  my $list = $is_linux ? '/proc/self/fd' : '/dev/fd';
  if (opendir(my $folder, $list)) {
    my @open = grep { /^\d+$/ && $_ >= $first } readdir $folder;
    closedir $folder;
    POSIX::close($_) for @open;
  } else {
    POSIX::close($_) for $first .. (POSIX::sysconf(POSIX::_SC_OPEN_MAX()) // 1024) - 1;
  }
}

# A descriptor that becomes readable when a child has ended.
sub watch_children {
  POSIX::sigprocmask(POSIX::SIG_BLOCK(), POSIX::SigSet->new(POSIX::SIGCHLD()));
  my $mask = pack('Q', 1 << (POSIX::SIGCHLD() - 1));
  # SFD_CLOEXEC | SFD_NONBLOCK
  return call('signalfd4', '', -1, $mask, 8, 02004000);
}

# Sends a descriptor to the process at the other end of a socket.
sub send_fd {
  my ($socket, $fd) = @_;
  my $byte = 'd';
  my $vector = pack('P Q', $byte, 1);
  my $control = pack('Q l l l x4', 20, SOL_SOCKET, 1, $fd);
  my $message = pack('Q L x4 P Q P Q l x4', 0, 0, $vector, 1, $control, 24, 0);
  call('sendmsg', '', fileno($socket), $message, 0);
}

# Undefined: the other side closed the socket without sending a descriptor.
sub receive_fd {
  my ($socket) = @_;
  my $byte = 'd';
  my $vector = pack('P Q', $byte, 1);
  my $control = "\0" x 24;
  my $message = pack('Q L x4 P Q P Q l x4', 0, 0, $vector, 1, $control, 24, 0);
  # MSG_CMSG_CLOEXEC
  return undef if call('recvmsg', '', fileno($socket), $message, 0x40000000) == 0;
  my ($length, $level, $kind, $fd) = unpack('Q l l l', $control);
  return $length >= 20 && $kind == 1 ? $fd : undef;
}

1;
