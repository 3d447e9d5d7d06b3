# Opens targets inside the root of a container, by descriptor. What lies in that root was written by the
# container's image or by earlier containers, so no path of it is trusted.
#
# 1. A link, absolute or not, is followed as the container would follow it: it never leads out of the root.
# 2. What the kernel shows of processes (links of /proc) is never followed.
# 3. What is missing is made on the way, with the owner that the container's root user has on disk.
use strict;
use warnings;
BEGIN { require 'kernel.pl' }

my $links_max = 40;
our $container_root;

# Returns a descriptor (O_PATH). `kind`: '' opens only what is there; 'folder' and 'file' make what is not.
sub reach {
  my ($root, $path, $kind) = @_;
  my $relative = $path =~ s{^/+}{}r;
  $relative = '.' if $relative eq '';
  my $fd = open_within($root, $relative, O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
  return $fd if defined $fd;
  # Old kernels cannot be asked; a walk by descriptors proves the same, and can make what is missing.
  die "$path: leads through a link of /proc, or through too many links\n" if $!{ELOOP};
  die "$path: $!\n" if !$!{ENOSYS} && !($kind ne '' && $!{ENOENT});
  return walk($root, $path, $kind);
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
  as_container_root(
    sub {
      if ($is_last && $kind eq 'file') {
        my $made = open_at($folder, $name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
        die "$path: $!\n" if !defined $made;
        POSIX::close($made);
      } else {
        call('mkdirat', " $path", $folder + 0, $name, 0755);
      }
    }
  );
  return open_at($folder, $name, O_PATH | O_NOFOLLOW) // die "$path: $!\n";
}

# On an idmapped mount only IDs of the pod can own files. The kernel takes capabilities away together with
# the file system's root user, so they are raised again.
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

# Refuses what no container may mount on: files of processes, and files of the kernel unless permitted.
sub refuse_system_targets {
  my ($fd, $path, $may_sys) = @_;
  my $system = file_system($fd);
  die "$path: mounts below /proc are not permitted\n" if $system == PROC_MAGIC;
  die "$path: only hostPath volumes may be mounted below /sys\n" if $system == SYSFS_MAGIC && !$may_sys;
}

1;
