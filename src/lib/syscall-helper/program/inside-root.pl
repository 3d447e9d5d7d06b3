# Opens mount targets inside the root of a container, by descriptor. Images and earlier containers wrote the
# contents of the root, so no path in it is trusted.
#
# 1. A link, absolute or not, is followed as the container would follow it: it never leads out of the root.
# 2. Links of processes in /proc are never followed.
# 3. Missing parts are created, with the owner that the container's root user has on disk.
use strict;
use warnings;
BEGIN { require 'kernel.pl' }

my $links_max = 40;
our $container_root;

# Returns a descriptor (O_PATH). `kind`: '' opens only an existing path; 'folder' and 'file' create missing
# parts.
sub reach {
  my ($root, $path, $kind) = @_;
  my $relative = $path =~ s{^/+}{}r;
  $relative = '.' if $relative eq '';
  my $fd = open_within($root, $relative, O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
  return $fd if defined $fd;
  die "$path: leads through a link of /proc, or through too many links\n" if $!{ELOOP};
  my $is_missing = $!{ENOENT};
  # openat2 is missing in old kernels, and may fail with EAGAIN on a busy machine. A walk by descriptors gives
  # the same guarantee, and can create missing parts.
  die "$path: $!\n" if !$!{ENOSYS} && !$!{EAGAIN} && !($kind ne '' && $is_missing);
  my $made = $is_missing ? make_last($root, $relative, $kind) : undef;
  return $made // walk($root, $path, $kind);
}

# Creates the last part of the path: most targets lack only that, and need no walk. Undefined: more is
# missing, or the name belongs to something else, such as a dangling link.
sub make_last {
  my ($root, $relative, $kind) = @_;
  my ($above, $name) = $relative =~ m{^(?:(.*)/)?([^/]+)/*$} or return undef;
  return undef if $name eq '.' || $name eq '..';
  my $folder = open_within($root, $above // '.', O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS) // return undef;
  my $fd;
  if (make_in($folder, $name, $kind)) {
    $fd = open_at($folder, $name, O_PATH | O_NOFOLLOW);
    # A container that shares the folder may have created a link there in the meantime.
    if (defined $fd && defined link_of($fd, '')) {
      POSIX::close($fd);
      undef $fd;
    }
  }
  POSIX::close($folder);
  return $fd;
}

# Creates an empty file or folder with the owner that the container's root user has. False: it failed, and $!
# has the reason.
sub make_in {
  my ($folder, $name, $kind) = @_;
  my $reason = 0;
  as_container_root(
    sub {
      if ($kind eq 'file') {
        my $made = open_at($folder, $name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
        defined $made ? POSIX::close($made) : ($reason = $! + 0);
      } elsif (attempt('mkdirat', $folder + 0, $name, 0755) < 0) {
        $reason = $! + 0;
      }
    }
  );
  $! = $reason;
  return $reason == 0;
}

sub walk {
  my ($root, $path, $kind) = @_;
  my @above = ($root);
  my @parts = grep { $_ ne '' && $_ ne '.' } split m{/}, $path;
  my $links = 0;
  my $up = sub { POSIX::close(pop @above) while @above > $_[0] };
  my $found = eval {
    while (defined(my $part = shift @parts)) {
      if ($part eq '..') {
        $up->(@above - 1) if @above > 1;
        next;
      }
      my $next = step($above[-1], $part, $kind, !@parts, $path);
      my $target = link_of($next, '');
      if (!defined $target) {
        push @above, $next;
        next;
      }
      my $system = file_system($next);
      POSIX::close($next);
      die "$path: leads through a link of /proc\n" if $system == PROC_MAGIC;
      die "$path: too many links\n" if ++$links > $links_max;
      $up->(1) if $target =~ m{^/};
      unshift @parts, grep { $_ ne '' && $_ ne '.' } split m{/}, $target;
    }
    my $last = open_at($above[-1], '.', O_PATH) // pop @above;
    1 && $last;
  };
  my $reason = $@;
  $up->(1);
  die $reason if !defined $found;
  return $found;
}

# One step down, without following a link.
sub step {
  my ($folder, $name, $kind, $is_last, $path) = @_;
  my $fd = open_at($folder, $name, O_PATH | O_NOFOLLOW);
  return $fd if defined $fd;
  die "$path: $!\n" if $kind eq '' || !$!{ENOENT};
  make_in($folder, $name, $is_last ? $kind : 'folder') or die "$path: $!\n";
  return open_at($folder, $name, O_PATH | O_NOFOLLOW) // die "$path: $!\n";
}

# On an ID-mapped mount only IDs of the pod can own files, so the file system UID (fsuid) becomes that of the
# container's root. The kernel then drops capabilities, so they are raised again.
sub as_container_root {
  my ($step) = @_;
  return $step->() if !$container_root;
  attempt('setfsgid', $container_root + 0);
  attempt('setfsuid', $container_root + 0);
  raise_capabilities();
  my $is_done = eval { $step->(); 1 };
  my $reason = $@;
  attempt('setfsuid', 0);
  attempt('setfsgid', 0);
  die $reason if !$is_done;
}

sub raise_capabilities {
  my ($header, $sets) = (pack('L l', 0x20080522, 0), "\0" x 24);
  call('capget', '', $header, $sets);
  my @set = unpack('L6', $sets);
  @set[0, 3] = @set[1, 4];
  my $raised = pack('L6', @set);
  call('capset', '', $header, $raised);
}

# Refuses targets on which no container may mount: anything in /proc, and in /sys unless permitted.
sub refuse_system_targets {
  my ($fd, $path, $may_sys) = @_;
  my $system = file_system($fd);
  die "$path: mounts below /proc are not permitted\n" if $system == PROC_MAGIC;
  die "$path: only hostPath volumes may be mounted below /sys\n" if $system == SYSFS_MAGIC && !$may_sys;
}

1;
