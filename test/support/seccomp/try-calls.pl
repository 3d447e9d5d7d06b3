# Installs a seccomp filter in this process, then makes system calls under it and prints how each went.
#
# Input: the filter in hexadecimal on the first line (empty: no filter), then one call on each line, its
# number and arguments in decimal. Output: for each call 0, or the number of its error.
use strict;
use warnings;

my ($PR_SET_NO_NEW_PRIVS, $PR_SET_SECCOMP, $SECCOMP_MODE_FILTER) = (38, 22, 2);
my $SYS_prctl = 157;

# All input is read before the filter applies: it may refuse to read.
my ($hex, @calls) = map { chomp; $_ } <STDIN>;
my $filter = pack('H*', $hex);
if (length $filter) {
    # struct sock_fprog: the count of instructions, padding, and the address of the first.
    my $program = pack('S x6 P', length($filter) / 8, $filter);
    syscall($SYS_prctl, $PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 or die "no_new_privs: $!\n";
    syscall($SYS_prctl, $PR_SET_SECCOMP, $SECCOMP_MODE_FILTER, $program) == 0
        or die "seccomp: $!\n";
}
$| = 1;
for (@calls) {
    # Arguments are unsigned, but syscall() takes signed integers of the same bits.
    my @words = map { unpack('q', pack('Q', $_)) } split / /;
    my $answer = syscall($words[0], @words[1 .. $#words]);
    print $answer == -1 ? $! + 0 : 0, "\n";
}
