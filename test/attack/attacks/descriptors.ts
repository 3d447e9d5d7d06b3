/**
 * Descriptors that a process of a container has beside its three streams. Whatever podkeep forgets to
 * close on the way in, such as its object store, belongs to the container from then on.
 */
import { podAttack } from '../harness/pod-attack.ts';
import { hookOf, probeOf, shellContainer } from '../harness/pods.ts';
import type { Attack } from '../harness/types.ts';

/**
 * Names every descriptor above 2 that it has inherited, and reads what can be read through it. Descriptors
 * that Perl opens are above those that it inherits, and are marked to be closed.
 */
const LIST = `perl -e '
  opendir(my $d, "/proc/self/fd"); my @fds = sort { $a <=> $b } grep { /^\\d+$/ && $_ > 2 } readdir $d;
  for my $fd (@fds) {
    my $to = readlink("/proc/self/fd/$fd"); next unless defined $to;
    next if $to =~ m{^/proc/\\d+/fd$} || $to =~ m{^/proc/self};
    print "SUCCEEDED: descriptor $fd leads to $to\\n";
    open(my $h, "<&=", $fd) or next;
    my $text = ""; if (-f $h) { seek($h, 0, 0); while (read($h, my $part, 1 << 20)) { $text .= $part; last if length $text > 8e6 } }
    print "$1\\n" while $text =~ /(canary-[0-9a-f]+-[0-9a-f]+|Y2FuYXJ5L[0-9A-Za-z+\\/]+)/g;
    if (chdir "/proc/self/fd/$fd/../../../../../../../../..") { if (open(my $s, "<", ".$ENV{SECRET_FILE}")) { print <$s> } }
  }
  for my $fd (0, 1, 2) { my $to = readlink("/proc/self/fd/$fd") // "closed"; print "stream $fd: $to\\n" }
'`;

const KIND = 'descriptors';
const PROOF = /stream 1: /;
const work = { volumes: { work: '/work' } };
const READY_LOOP = 'echo READY; while :; do sleep 0.1; done';
const LATER = 'echo READY; for i in 1 2 3 4 5 6; do sleep 0.5; done; cat /work/list';

export const DESCRIPTORS: readonly Attack[] = [
  podAttack({
    class: KIND,
    proof: PROOF,
    id: 'main',
    tries: 'The command of a container looks for descriptors of podkeep beside its streams.',
    script: LIST,
  }),
  podAttack({
    class: KIND,
    proof: PROOF,
    id: 'main-tty',
    tries: 'The command of a container with a terminal looks for descriptors of podkeep.',
    pod: { container: { tty: true, stdin: true } },
    script: LIST,
  }),
  podAttack({
    class: KIND,
    proof: PROOF,
    id: 'main-stdin',
    tries: 'The command of a container that reads from attached clients looks for descriptors.',
    pod: { container: { stdin: true } },
    script: LIST,
  }),
  podAttack({
    class: KIND,
    proof: PROOF,
    id: 'init-container',
    tries: 'An init container looks for descriptors of podkeep.',
    pod: { inits: [shellContainer('setup', LIST)] },
    script: 'true',
  }),
  podAttack({
    class: KIND,
    proof: PROOF,
    id: 'sidecar',
    tries: 'A sidecar looks for descriptors of podkeep.',
    pod: {
      inits: [shellContainer('side', `${LIST}; exec sleep 60`, { restartPolicy: 'Always' })],
    },
    script: 'sleep 1',
  }),
  podAttack({
    class: KIND,
    proof: PROOF,
    id: 'exec',
    tries: 'A command of kubectl exec looks for descriptors of podkeep.',
    drive: async (target, { name }) =>
      (await target.exec({ pod: name, container: 'main', command: ['sh', '-c', LIST] })).output,
  }),
  podAttack({
    class: KIND,
    proof: PROOF,
    id: 'exec-stdin',
    tries: 'A command of kubectl exec -i looks for descriptors of podkeep.',
    drive: async (target, { name }) =>
      (
        await target.exec({
          pod: name,
          container: 'main',
          command: ['sh', '-c', LIST],
          stdin: 'hello\n',
        })
      ).output,
  }),
  podAttack({
    class: KIND,
    proof: PROOF,
    id: 'exec-tty',
    tries: 'A command of kubectl exec -t looks for descriptors of podkeep.',
    drive: async (target, { name }) =>
      (
        await target.exec({
          pod: name,
          container: 'main',
          command: ['sh', '-c', LIST],
          tty: true,
          stdin: '',
        })
      ).output,
  }),
  podAttack({
    class: KIND,
    proof: PROOF,
    id: 'ephemeral-container',
    tries: 'An ephemeral container looks for descriptors of podkeep.',
    drive: async (target, { name }) => {
      const refused = await target.addEphemeral(name, {
        ...shellContainer('debug', LIST),
        image: 'sh',
      });
      if (refused !== null) return `refused: ${refused}`;
      const ended = await target.podWhen(
        name,
        ({ status }) => status.ephemeralContainerStatuses?.[0]?.state.terminated !== undefined,
        30,
      );
      return ended ? '' : 'the ephemeral container did not end';
    },
  }),
  ...(['startupProbe', 'readinessProbe', 'livenessProbe'] as const).map((field) =>
    podAttack({
      class: KIND,
      proof: PROOF,
      id: field,
      tries: `The command of a ${field} looks for descriptors of podkeep.`,
      pod: { ...work, container: { [field]: probeOf(`{ ${LIST}; } >>/work/list 2>&1; exit 0`) } },
      script: LATER,
    }),
  ),
  ...(['postStart', 'preStop'] as const).map((field) =>
    podAttack({
      class: KIND,
      proof: PROOF,
      id: field,
      tries: `The command of a ${field} hook looks for descriptors of podkeep.`,
      pod: {
        ...work,
        container: { lifecycle: { [field]: hookOf(`${LIST} >/work/list 2>&1`) } },
        spec: { terminationGracePeriodSeconds: 10 },
      },
      ...(field === 'postStart'
        ? { script: LATER }
        : {
            script: `trap 'cat /work/list; sleep 2; exit 0' TERM; ${READY_LOOP}`,
            drive: async (target, { name }) => {
              await target.delete(name, 10);
              return target.logWith(name, 'main', PROOF, 8);
            },
          }),
    }),
  ),
];
