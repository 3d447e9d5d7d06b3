# Implements sd_notify(3): sends a datagram to the socket of the service manager, whose address is a path or,
# after an @, an abstract name. The call never waits: if the service manager has no space for a datagram, it
# is lost.
use strict;
use warnings;

# `main_pid`: the process in whose name the datagram is sent. systemd accepts only datagrams of the main
# process of a service (NotifyAccess=main), and gets the sender from the kernel; root may name another
# process.
sub notify_service {
  my ($address, $text, $main_pid) = @_;
  require Socket;
  die "NOTIFY_SOCKET is no Unix socket: $address\n" if $address !~ m{^[@/].};
  $address =~ s/^@/\0/;
  socket(my $socket, Socket::AF_UNIX(), Socket::SOCK_DGRAM(), 0) or die "socket: $!\n";
  connect($socket, Socket::pack_sockaddr_un($address)) or die "connect: $!\n";
  return if $main_pid && $main_pid != $$ && send_as($socket, $text, $main_pid);
  defined send($socket, $text, Socket::MSG_DONTWAIT()) or die "send: $!\n";
}

# False: this user may not send in the name of another process.
sub send_as {
  my ($socket, $text, $pid) = @_;
  our %number;
  return 0 if !$number{sendmsg};
  my $vector = pack('P Q', $text, length $text);
  # SCM_CREDENTIALS: process, user and group.
  my $control = pack('Q l l l L L x4', 28, Socket::SOL_SOCKET(), 2, $pid, $<, $( + 0);
  my $message = pack('Q L x4 P Q P Q l x4', 0, 0, $vector, 1, $control, length $control, 0);
  return syscall($number{sendmsg}, fileno($socket), $message, Socket::MSG_DONTWAIT()) >= 0;
}

1;
