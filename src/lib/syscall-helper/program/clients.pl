# Serves clients (podkeep) of the monitor of a running container, over a Unix socket in the container's
# folder: they read its output, write into its input, resize its terminal, and have its log reopened.
#
# A message is a letter, the length of its content in four bytes, and the content:
#
#     to the monitor     h  which streams to send: letters o and e     i  input     c  the input is over
#                        w  columns and rows of the terminal           r  reopen the log
#     to the client      o  output     e  errors     r  the log is reopened     x  why it could not be
#
# 1. A client that does not read never blocks the container: the monitor disconnects it when too much output
#    is unread.
use strict;
use warnings;
BEGIN { require 'kernel.pl' }

my $pending_max = 1024 * 1024;

# The path of a socket must be short, so this process changes to the folder for a moment.
sub listen_in {
  my ($folder, $name) = @_;
  chdir($folder) or die "$folder: $!\n";
  unlink $name;
  socket(my $listener, PF_UNIX, SOCK_STREAM, 0) or die "socket: $!\n";
  my $mask = umask 077;
  my $is_bound = bind($listener, pack_sockaddr_un($name));
  my $reason = $!;
  umask $mask;
  chdir('/');
  die "$folder/$name: $reason\n" if !$is_bound;
  listen($listener, 16) or die "listen: $!\n";
  return $listener;
}

sub accept_client {
  my ($listener) = @_;
  accept(my $socket, $listener) or return;
  unblock($socket);
  return { socket => $socket, in => '', out => '', hears => '' };
}

sub unblock {
  my ($handle) = @_;
  fcntl($handle, F_SETFL, fcntl($handle, F_GETFL, 0) | O_NONBLOCK);
}

# Returns the client's messages as pairs of letter and text, or nothing if it has disconnected.
sub read_client {
  my ($client) = @_;
  my $count = sysread($client->{socket}, $client->{in}, 65536, length $client->{in});
  return [] if !defined $count && ($!{EAGAIN} || $!{EINTR});
  return undef if !$count;
  my @messages;
  while (length $client->{in} >= 5) {
    my ($letter, $length) = unpack('a N', $client->{in});
    return undef if $length > $pending_max;
    last if length $client->{in} < 5 + $length;
    push @messages, [$letter, substr($client->{in}, 5, $length)];
    substr($client->{in}, 0, 5 + $length) = '';
  }
  return \@messages;
}

sub send_client {
  my ($client, $letter, $text) = @_;
  $client->{out} .= pack('a N/a', $letter, $text);
  flush_client($client);
}

# False: the client has disconnected, or reads too slowly.
sub flush_client {
  my ($client) = @_;
  return !$client->{is_gone} if $client->{out} eq '';
  my $count = syswrite($client->{socket}, $client->{out});
  if (defined $count) {
    substr($client->{out}, 0, $count) = '';
  } elsif (!$!{EAGAIN} && !$!{EINTR}) {
    $client->{is_gone} = 1;
  }
  $client->{is_gone} = 1 if length $client->{out} > $pending_max;
  return !$client->{is_gone};
}

1;
