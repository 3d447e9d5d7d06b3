# Writes the log of a container in CRI format, and rotates it:
#
#     2030-01-02T03:04:05.678901234Z stdout F a whole line
#     2030-01-02T03:04:05.678901234Z stderr P the beginning of one that goes on
#
# A line longer than 16 KiB is cut into parts, all but the last of them marked P. A last line without a
# newline is marked P as well.
#
# 1. A file never grows beyond its maximum size, and there are never more files than permitted, including the
#    current one.
# 2. A full disk never leaves a part of a line: the monitor truncates the file, removes the oldest file, and
#    writes the line again. Until that succeeds the container waits, because its pipe is full.
use strict;
use warnings;
BEGIN { require 'kernel.pl' }

my $line_max = 16 * 1024;
my $retry_seconds = 1;

sub open_log {
  my ($file, $max, $files) = @_;
  my $log = { file => $file, max => $max + 0, files => $files + 0, rest => { stdout => '', stderr => '' } };
  begin_log($log);
  return $log;
}

sub begin_log {
  my ($log) = @_;
  make_folders($log->{file} =~ s{/[^/]*$}{}r);
  # O_NOFOLLOW: a user who can write into the log folder could redirect the log by a link.
  sysopen(my $handle, $log->{file}, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0640)
    or die "$log->{file}: $!\n";
  $log->{handle} = $handle;
  $log->{size} = -s $handle;
}

sub make_folders {
  my ($folder) = @_;
  return if $folder eq '' || -d $folder;
  make_folders($folder =~ s{/[^/]*$}{}r);
  mkdir($folder, 0755) or $!{EEXIST} or die "mkdir $folder: $!\n";
}

# Opens a new file, after the kubelet's rotation or a person has moved the old one away.
sub reopen_log {
  my ($log) = @_;
  close $log->{handle};
  begin_log($log);
}

sub stamp {
  my ($seconds, $nanoseconds) = now();
  my $date = POSIX::strftime('%Y-%m-%dT%H:%M:%S', gmtime $seconds);
  return sprintf '%s.%09dZ', $date, $nanoseconds;
}

# `is_last`: the stream has ended, so a line without a newline is written, too.
sub log_output {
  my ($log, $stream, $bytes, $is_last) = @_;
  my $text = $log->{rest}{$stream} . $bytes;
  my $whole = rindex($text, "\n") + 1;
  my $rest = substr($text, $whole);
  $text = substr($text, 0, $whole);
  my $time = stamp();
  my ($full, $part) = ("$time $stream F ", "$time $stream P ");
  my $out = '';
  if (length $text) {
    if ($text !~ /[^\n]{$line_max}/) {
      ($out = $text) =~ s/^/$full/mg;
    } else {
      $out .= cut_line($_, $part, $full) for split /(?<=\n)/, $text;
    }
  }
  while (length $rest >= $line_max) {
    $out .= $part . substr($rest, 0, $line_max, '') . "\n";
  }
  if ($is_last && length $rest) {
    $out .= "$part$rest\n";
    $rest = '';
  }
  $log->{rest}{$stream} = $rest;
  append_log($log, $out) if length $out;
}

sub cut_line {
  my ($line, $part, $full) = @_;
  my $out = '';
  $out .= $part . substr($line, 0, $line_max, '') . "\n" while length $line > $line_max + 1;
  return $out . $full . $line;
}

# Appends as many whole lines as fit into the file, then rotates and continues with the next file.
sub append_log {
  my ($log, $bytes) = @_;
  while (length $bytes) {
    my $space = $log->{max} > 0 ? $log->{max} - $log->{size} : length $bytes;
    my $fits = length $bytes <= $space ? length $bytes : $space > 0 ? rindex($bytes, "\n", $space - 1) + 1 : 0;
    if ($fits == 0 && $log->{size} > 0) {
      rotate_log($log);
      next;
    }
    # A line that is longer than a whole file gets its own file.
    $fits = index($bytes, "\n") + 1 if $fits == 0;
    write_log($log, substr($bytes, 0, $fits, ''));
  }
}

sub write_log {
  my ($log, $bytes) = @_;
  while (1) {
    my $written = 0;
    while ($written < length $bytes) {
      my $count = syswrite($log->{handle}, $bytes, length($bytes) - $written, $written);
      last if !defined $count;
      $written += $count;
    }
    if ($written == length $bytes) {
      $log->{size} += $written;
      return;
    }
    truncate($log->{handle}, $log->{size});
    rotate_log($log) if !remove_oldest_log($log);
    select(undef, undef, undef, $retry_seconds);
  }
}

sub old_logs {
  my ($log) = @_;
  my ($folder, $name) = $log->{file} =~ m{^(.*)/([^/]*)$};
  opendir(my $entries, $folder) or return;
  my @old = sort grep { /^\Q$name\E\.\d{8}-\d{6}(?:\.gz)?$/ } readdir $entries;
  return map { "$folder/$_" } @old;
}

# Returns whether there was an old file.
sub remove_oldest_log {
  my ($log) = @_;
  my ($oldest) = old_logs($log);
  return defined $oldest && unlink $oldest;
}

sub rotate_log {
  my ($log) = @_;
  my @old = old_logs($log);
  # Two more files will follow: the one that is rotated now, and the new one.
  unlink shift @old while @old && @old > $log->{files} - 2;
  my $seconds = (now())[0];
  my $name;
  # Names sort by time; a number distinguishes files of the same second.
  do {
    $name = "$log->{file}." . POSIX::strftime('%Y%m%d-%H%M%S', gmtime $seconds++);
  } while -e $name || -e "$name.gz" || (@old && $name lt $old[-1]);
  if ($log->{files} < 2) {
    truncate($log->{handle}, 0);
    $log->{size} = 0;
    return;
  }
  rename($log->{file}, $name);
  reopen_log($log);
}

1;
