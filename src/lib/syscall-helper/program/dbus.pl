# A small D-Bus client with only what logind.pl needs: method calls with strings and numbers, replies,
# signals, and file descriptors in replies. Messages from the bus may have either byte order.
#
# 1. Every wait has a limit, and no message is longer than $message_max.
# 2. A descriptor that no call has asked for is closed.
use strict;
use warnings;
BEGIN { require 'kernel.pl' }

my $message_max = 1024 * 1024;
my $descriptors_max = 16;

use constant { CALL => 1, RETURN => 2, FAILURE => 3, SIGNAL => 4 };

# Connects to the first reachable address of a list as in DBUS_SYSTEM_BUS_ADDRESS.
sub bus_connect {
  my ($addresses) = @_;
  my $reason = 'no address';
  for my $address (split /;/, $addresses) {
    my ($transport, $rest) = split /:/, $address, 2;
    my %part = map { my ($key, $value) = split /=/, $_, 2; ($key => unescape($value // '')) } split /,/, $rest // '';
    my $path = $part{path} // (defined $part{abstract} ? "\0$part{abstract}" : undef);
    if ($transport ne 'unix' || !defined $path) {
      $reason = "$address is no Unix socket";
      next;
    }
    socket(my $socket, PF_UNIX, SOCK_STREAM, 0) or die "socket: $!\n";
    if (connect($socket, pack_sockaddr_un($path))) {
      my $bus = { socket => $socket, in => '', serial => 0, descriptors => [], until => 0, pending => {} };
      authenticate($bus);
      return $bus;
    }
    $reason = "$address: $!";
  }
  die "$reason\n";
}

sub unescape {
  my ($text) = @_;
  $text =~ s/%([0-9a-fA-F]{2})/chr hex $1/ge;
  return $text;
}

# SASL EXTERNAL: the bus learns the user of this process from the kernel.
sub authenticate {
  my ($bus) = @_;
  my $deadline = time + 10;
  bus_write($bus, "\0AUTH EXTERNAL " . unpack('H*', "$>") . "\r\n");
  my $answer = auth_line($bus, $deadline);
  die "the bus refuses this user: $answer\n" if $answer !~ /^OK /;
  bus_write($bus, "NEGOTIATE_UNIX_FD\r\n");
  $answer = auth_line($bus, $deadline);
  die "the bus passes no descriptors: $answer\n" if $answer ne 'AGREE_UNIX_FD';
  bus_write($bus, "BEGIN\r\n");
}

sub auth_line {
  my ($bus, $deadline) = @_;
  while ($bus->{in} !~ /\r\n/) {
    die "the bus does not answer\n" if time > $deadline || length $bus->{in} > 4096;
    my $ready = '';
    vec($ready, fileno($bus->{socket}), 1) = 1;
    next if select($ready, undef, undef, 1) <= 0;
    sysread($bus->{socket}, $bus->{in}, 4096, length $bus->{in}) or die "the bus closed the connection\n";
  }
  $bus->{in} =~ s/^(.*?)\r\n//s;
  return $1;
}

sub bus_write {
  my ($bus, $bytes) = @_;
  while (length $bytes) {
    my $count = syswrite($bus->{socket}, $bytes);
    next if !defined $count && $!{EINTR};
    die "the connection is closed: $!\n" if !defined $count;
    substr($bytes, 0, $count) = '';
  }
}

sub aligned { return $_[0] . "\0" x (-length($_[0]) % $_[1]) }

# Arguments are pairs of type and value; `s` is a string, `i` a signed number.
sub marshal {
  my (@words) = @_;
  my ($signature, $body) = ('', '');
  while (my ($type, $value) = splice(@words, 0, 2)) {
    $signature .= $type;
    $body = aligned($body, 4);
    $body .= $type eq 's' ? pack('V/a x', $value) : pack('l<', $value);
  }
  return ($signature, $body);
}

# Sends a method call, and returns its serial number.
sub bus_send {
  my ($bus, $to, $path, $interface, $member, @words) = @_;
  my ($signature, $body) = marshal(@words);
  my @fields = ([1, 'o', $path], [2, 's', $interface], [3, 's', $member], [6, 's', $to]);
  my $header = '';
  for my $field (@fields) {
    my ($code, $type, $value) = @$field;
    $header = aligned($header, 8) . pack('C C/a x', $code, $type) . pack('V/a x', $value);
  }
  $header = aligned($header, 8) . pack('C C/a x', 8, 'g') . pack('C/a x', $signature) if $signature ne '';
  my $serial = ++$bus->{serial};
  my $start = pack('a C C C V V V', 'l', CALL, 0, 1, length $body, $serial, length $header);
  bus_write($bus, aligned($start . $header, 8) . $body);
  return $serial;
}

# Reads the available bytes and descriptors. Dies if the bus has closed the connection.
sub bus_read {
  my ($bus) = @_;
  my $bytes = "\0" x 65536;
  my $vector = pack('P Q', $bytes, length $bytes);
  my $space = 16 + 4 * $descriptors_max;
  my $control = "\0" x $space;
  my $message = pack('Q L x4 P Q P Q l x4', 0, 0, $vector, 1, $control, $space, 0);
  # MSG_CMSG_CLOEXEC
  my $count = attempt('recvmsg', fileno($bus->{socket}), $message, 0x40000000);
  return if $count < 0 && ($!{EINTR} || $!{EAGAIN});
  die "the connection is closed: $!\n" if $count < 0;
  die "the bus closed the connection\n" if $count == 0;
  $bus->{in} .= substr($bytes, 0, $count);
  my $used = unpack('x40 Q', $message);
  return if $used < 16;
  my ($length, $level, $kind) = unpack('Q l l', $control);
  push @{ $bus->{descriptors} }, unpack('l*', substr($control, 16, $length - 16)) if $level == SOL_SOCKET && $kind == 1;
}

# Returns the next complete message, or undef if there is none yet.
sub bus_message {
  my ($bus) = @_;
  return undef if length $bus->{in} < 16;
  my $order = substr($bus->{in}, 0, 1) eq 'B' ? '>' : '<';
  my (undef, $type, undef, undef, $body, $serial, $fields) = unpack("a C C C L$order L$order L$order", $bus->{in});
  my $start = 16 + $fields;
  $start += -$start % 8;
  die "the bus sent a message that is too long\n" if $fields > $message_max || $body > $message_max;
  return undef if length $bus->{in} < $start + $body;
  my $whole = substr($bus->{in}, 0, $start + $body, '');
  my %message = (type => $type, order => $order, body => substr($whole, $start), signature => '', descriptors => []);
  read_fields(\%message, substr($whole, 0, 16 + $fields));
  my @own = splice(@{ $bus->{descriptors} }, 0, $message{count} // 0);
  $message{descriptors} = \@own;
  return \%message;
}

my %field_names = (
  1 => 'path', 2 => 'interface', 3 => 'member', 4 => 'error', 5 => 'reply_to',
  6 => 'destination', 7 => 'sender', 8 => 'signature', 9 => 'count',
);

sub read_fields {
  my ($message, $header) = @_;
  my $order = $message->{order};
  my $at = 16;
  while ($at < length $header) {
    $at += -$at % 8;
    my ($code, $type) = unpack("x$at C C/a", $header);
    $at += 3 + length $type;
    my $value;
    if ($type eq 's' || $type eq 'o') {
      $at += -$at % 4;
      $value = unpack("x$at L$order/a", $header);
      $at += 5 + length $value;
    } elsif ($type eq 'u') {
      $at += -$at % 4;
      $value = unpack("x$at L$order", $header);
      $at += 4;
    } elsif ($type eq 'g') {
      $value = unpack("x$at C/a", $header);
      $at += 2 + length $value;
    } else {
      die "the bus sent a header field of type $type\n";
    }
    my $name = $field_names{$code};
    $message->{$name} = $value if defined $name;
  }
}

# The first value of a body: a string, a boolean, a number, or a variant of those.
sub first_value {
  my ($message) = @_;
  my ($signature, $body, $order) = @{$message}{qw(signature body order)};
  my $at = 0;
  if ($signature =~ /^v/) {
    $signature = unpack('C/a', $body);
    $at = 2 + length $signature;
  }
  if ($signature =~ /^t/) {
    $at += -$at % 8;
    return unpack("x$at Q$order", $body);
  }
  $at += -$at % 4;
  return unpack("x$at L$order/a", $body) if $signature =~ /^s/;
  return unpack("x$at L$order", $body) if $signature =~ /^[bhu]/;
  die "the bus sent a value of type $signature\n";
}

1;
