/** Ways to more rights inside of a container: setuid, file capabilities, hard links, limits. */
import { battery, type BatteryItem } from '../harness/battery.ts';
import { perl } from '../harness/perl.ts';
import { podAttack } from '../harness/pod-attack.ts';
import { containerSecurity, shellContainer } from '../harness/pods.ts';
import type { Attack } from '../harness/types.ts';

const KIND = 'privileges';

/** User 0, in a container beside the restricted one. */
const asRoot = {
  securityContext: { runAsNonRoot: false, runAsUser: 0, runAsGroup: 0 },
};

const ITEMS: readonly BatteryItem[] = [
  {
    id: 'hard-link-secret',
    tries: 'It makes hard links to secret files of the machine in its volume.',
    script:
      'for f in $SECRET_FILE $OPEN_FILES /etc/shadow; do ln $f /work/h-$(basename $f); ln -P /proc/self/root$f /work/g-$(basename $f); done 2>/dev/null; cat /work/h-* /work/g-* 2>/dev/null; true',
  },
  {
    id: 'hard-link-program',
    tries: 'It makes a hard link to a setuid program of the machine in its volume.',
    script:
      'for f in $(find /usr/bin /usr/sbin -perm -4000 2>/dev/null | head -n 5); do ln $f /work/p-$(basename $f) && echo "SUCCEEDED: $f was linked"; done 2>/dev/null; true',
  },
  {
    id: 'setuid-programs',
    tries: 'It becomes user 0 by setuid programs of the machine.',
    script:
      'for f in /usr/bin/su /usr/bin/sudo /usr/bin/newgrp /usr/bin/passwd /usr/bin/mount /usr/bin/pkexec; do [ -u $f ] || continue; echo "$f"; done; grep -q "^NoNewPrivs:[[:space:]]*1" /proc/self/status || echo "SUCCEEDED: setuid programs give rights"',
  },
  {
    id: 'set-ids',
    tries: 'It sets its user and group IDs.',
    script: perl(`
      use POSIX; $! = 0; POSIX::setuid(0); print "SUCCEEDED: setuid(0)\\n" if $> == 0 || $< == 0;
      POSIX::setgid(0); print "SUCCEEDED: setgid(0)\\n" if ($( + 0) == 0;
      $) = "0 0"; print "SUCCEEDED: groups $)\\n" if $) =~ /^0/;`),
  },
  {
    id: 'own-setuid',
    tries: 'It makes a setuid program of its own.',
    script:
      'cp /bin/sh /work/own-sh; chown 0 /work/own-sh 2>/dev/null; chmod 4755 /work/own-sh; u=$(stat -c %u /work/own-sh); [ "$u" = 0 ] && echo "SUCCEEDED: it owns a setuid program of user 0"; true',
  },
  {
    id: 'raise-limits',
    tries: 'It raises its hard limits.',
    script:
      'for l in n u l; do h=$(ulimit -H -$l 2>/dev/null) || continue; [ "$h" = unlimited ] && continue; ulimit -H -$l $((h + 1)) 2>/dev/null && echo "SUCCEEDED: ulimit -$l raised"; done; true',
  },
  {
    id: 'real-time',
    tries: 'It makes itself a real-time process, and one of high priority.',
    script:
      'chrt -f 50 true 2>/dev/null && echo "SUCCEEDED: real time"; nice -n -10 sh -c "nice" 2>/dev/null | grep -q "^-" && echo "SUCCEEDED: a negative nice value"; true',
  },
  {
    id: 'umask',
    tries: 'It looks for a umask that lets others write what it makes.',
    script: '[ "$(umask)" = 0022 ] || echo "SUCCEEDED: umask $(umask)"',
  },
  {
    id: 'raw-network',
    tries: 'It opens a raw socket.',
    script: perl(
      `socket(my $s, AF_INET, SOCK_RAW, 1) and print "SUCCEEDED: raw socket\\n"; socket(my $p, 17, SOCK_RAW, 0x300) and print "SUCCEEDED: packet socket\\n";`,
    ),
  },
  {
    id: 'write-programs',
    tries: 'It writes to programs and libraries of its root.',
    modes: ['root'],
    script:
      'for f in /bin/sh /usr/bin/env /etc/passwd /lib /usr/lib /etc; do [ -w $f ] && echo "SUCCEEDED: it may write $f"; done; true',
  },
];

const setuidCopy = (more: string): string => `cp /bin/sh /work/root-sh; ${more}`;
const RUN = `/work/root-sh -p -c 'while read -r name value rest; do case $name in Uid:|CapEff:|CapPrm:) echo "$name $value $rest";; esac; done </proc/self/status' | while read -r line; do case $line in "Uid: "*" 0 "*) echo "SUCCEEDED: user 0: $line";; CapEff:*[1-9a-f]*|CapPrm:*[1-9a-f]*) echo "SUCCEEDED: $line";; esac; done; echo TRIED`;

const gained = (id: string, tries: string, plant: string): Attack =>
  podAttack({
    class: KIND,
    id,
    tries,
    pod: {
      volumes: { work: '/work' },
      inits: [shellContainer('plant', setuidCopy(plant), asRoot)],
      // The pod as a whole must allow user 0 for the one that plants.
    },
    script: RUN,
    proof: /TRIED/,
  });

const WRITE_ROOT = `
for d in / /etc /usr /usr/bin /bin /var /root /tmp /home /opt; do
  { : >$d/podkeep-attack-made; } 2>/dev/null && echo "SUCCEEDED: it made a file in $d"
done; true`;

export const PRIVILEGES: readonly Attack[] = [
  ...(['restricted', 'root'] as const).map((as) =>
    podAttack({
      class: KIND,
      id: `read-only-root-${as}`,
      tries: `A container (${as}) with readOnlyRootFilesystem writes to its root.`,
      pod: {
        as,
        container: {
          securityContext: { ...containerSecurity({ as }), readOnlyRootFilesystem: true },
        },
      },
      script: WRITE_ROOT,
    }),
  ),
  ...battery({
    class: KIND,
    name: 'restricted',
    pod: { volumes: { work: '/work' } },
    items: ITEMS,
  }),
  gained(
    'setuid-in-volume',
    'A restricted container runs a setuid program that user 0 has put into their volume.',
    'chown 0:0 /work/root-sh; chmod 6755 /work/root-sh',
  ),
  gained(
    'file-capabilities',
    'A restricted container runs a program with file capabilities from their volume.',
    `chmod 755 /work/root-sh; perl -e 'my ($f, $n, $v) = ("/work/root-sh", "security.capability", pack("L5", 0x02000001, 0xffffffff, 0, 0xffffffff, 0)); print syscall(${process.arch === 'arm64' ? 5 : 188}, $f, $n, $v, 20, 0), " $!\\n"'`,
  ),
];
