# Holds an inhibitor lock of logind, and reports when the machine is about to shut down. The lock is a file
# descriptor that logind passes over D-Bus. Node.js cannot receive it, so this process does.
#
#     perl logind.pl ADDRESS     ADDRESS as in DBUS_SYSTEM_BUS_ADDRESS
#
# It reads orders from podkeep (src/lib/syscall-helper/logind-helper.ts) and writes answers, one line each.
# Nothing is decided here.
#
#     delay      done delay N       how long logind waits for locks at most, in microseconds
#     reload     done reload        logind reads its configuration again
#     inhibit    done inhibit       the lock is held; one that was held before is released
#     watch      done watch N       announcements are reported; N: 1 if a shutdown is announced already
#     release    done release       the lock is closed, and the machine goes on
#
#     failed ORDER REASON           instead of `done`
#     ready, shutdown 1, shutdown 0, closed REASON     without an order
#
# 1. Only signals of logind count as announcements of a shutdown: other users of the bus can send signals of
#    the same name.
# 2. The lock outlives the connection to the bus. It is released by `release`, and by the end of this process.
# 3. This process ends when podkeep has ended.
use strict;
use warnings;
use Errno ();
use POSIX ();
use Socket;

BEGIN { unshift @INC, $0 =~ m{^(.*)/} ? $1 : '.' }
BEGIN { require $_ for qw(kernel.pl dbus.pl) }

my @login = ('org.freedesktop.login1', '/org/freedesktop/login1');
my $manager = 'org.freedesktop.login1.Manager';
my $seconds_max = 25;
my ($bus, $lock, $orders) = (undef, undef, '');

sub answer {
  my ($text) = @_;
  $text =~ s/\s+/ /g;
  syswrite(STDOUT, "$text\n");
}

# Calls a method and returns the reply. Signals that arrive before the reply are reported.
sub ask {
  my $serial = bus_send($bus, @_);
  my $deadline = time + $seconds_max;
  while (1) {
    while (my $message = bus_message($bus)) {
      my $is_reply = ($message->{reply_to} // 0) == $serial;
      if (!$is_reply) {
        hear($message);
        next;
      }
      return $message if $message->{type} == RETURN;
      close_all($message);
      my $detail = $message->{signature} =~ /^s/ ? first_value($message) : '';
      die(($message->{error} // 'error') . ": $detail\n");
    }
    die "no answer in $seconds_max s\n" if time > $deadline;
    my $ready = '';
    vec($ready, fileno($bus->{socket}), 1) = 1;
    bus_read($bus) if select($ready, undef, undef, 1) > 0;
  }
}

sub close_all {
  my ($message) = @_;
  POSIX::close($_) for @{ $message->{descriptors} };
}

# Accepts only broadcasts, which have no destination: the bus delivers them only if the match rule fits the
# sender. A signal that is addressed to this process may come from any user.
sub hear {
  my ($message) = @_;
  close_all($message);
  return if $message->{type} != SIGNAL || defined $message->{destination};
  return if ($message->{interface} // '') ne $manager || ($message->{member} // '') ne 'PrepareForShutdown';
  return if $message->{signature} ne 'b';
  answer('shutdown ' . (first_value($message) ? 1 : 0));
}

sub property {
  my ($name) = @_;
  my $reply = ask(@login, 'org.freedesktop.DBus.Properties', 'Get', s => $manager, s => $name);
  close_all($reply);
  return first_value($reply);
}

sub release {
  POSIX::close($lock) if defined $lock;
  $lock = undef;
}

my %obey = (
  delay => sub { return property('InhibitDelayMaxUSec') },
  reload => sub {
    my @systemd = ('org.freedesktop.systemd1', '/org/freedesktop/systemd1', 'org.freedesktop.systemd1.Manager');
    # SIGHUP
    close_all(ask(@systemd, 'KillUnit', s => 'systemd-logind.service', s => 'all', i => 1));
    return '';
  },
  inhibit => sub {
    my @why = (s => 'shutdown', s => 'kubelet', s => 'Kubelet needs time to handle node shutdown', s => 'delay');
    my $reply = ask(@login, $manager, 'Inhibit', @why);
    my ($new, @others) = @{ $reply->{descriptors} };
    POSIX::close($_) for @others;
    die "logind passed no descriptor\n" if !defined $new;
    release();
    $lock = $new;
    return '';
  },
  watch => sub {
    my $rule = "type='signal',sender='$login[0]',path='$login[1]',interface='$manager',member='PrepareForShutdown'";
    my @daemon = ('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus');
    close_all(ask(@daemon, 'AddMatch', s => $rule));
    # logind does not repeat an announcement that it made before.
    return property('PreparingForShutdown') ? 1 : 0;
  },
  release => sub { release(); return '' },
);

sub lose {
  my ($reason) = @_;
  close $bus->{socket} if $bus;
  $bus = undef;
  answer("closed $reason");
}

sub obey {
  my ($order) = @_;
  my $act = $obey{$order};
  my $value = eval {
    die "no such order\n" if !$act;
    die "the connection is closed\n" if !$bus && $order ne 'release';
    $act->();
  };
  my $reason = $@;
  return answer("done $order $value") if defined $value;
  answer("failed $order $reason");
  # Closes a broken connection, whose remaining data cannot be read.
  lose($reason) if $bus && $reason =~ /^(?:the connection|the bus)/;
}

sub serve {
  while (1) {
    my $ready = '';
    vec($ready, 0, 1) = 1;
    vec($ready, fileno($bus->{socket}), 1) = 1 if $bus;
    next if select($ready, undef, undef, undef) < 0;
    if ($bus && vec($ready, fileno($bus->{socket}), 1)) {
      my $is_open = eval {
        bus_read($bus);
        while (my $message = bus_message($bus)) { hear($message) }
        1;
      };
      lose($@) if !$is_open;
    }
    next if !vec($ready, 0, 1);
    sysread(STDIN, $orders, 4096, length $orders) or last;
    while ($orders =~ s/^(.*)\n//) { obey($1) }
  }
}

$0 = 'podkeep-logind';
$SIG{PIPE} = 'IGNORE';
close_from(3);
my $is_ready = eval {
  die "no system calls are known for this machine\n" if !%main::number;
  $bus = bus_connect($ARGV[0] // '');
  close_all(ask('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'Hello'));
  1;
};
if ($is_ready) {
  answer('ready');
  serve();
} else {
  answer("closed $@");
}
