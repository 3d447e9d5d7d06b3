/** Processes, memory and disk beyond a pod's limits, and volumes that are hard to remove. */
import { checkDeletion } from '../harness/measure.ts';
import { podAttack } from '../harness/pod-attack.ts';
import { POD_PIDS_LIMIT } from '../harness/target.ts';
import type { Attack } from '../harness/types.ts';

const KIND = 'resources';
const PROCESSES = 1000;

/** Forks until it is refused, or has enough. The children wait and exit by themselves. */
const FORK = `
my $n = 0;
for (1 .. ${PROCESSES}) { my $kid = fork; last unless defined $kid; if (!$kid) { sleep 4; exit } $n++ }
print "FORKED $n\\n"; kill 'KILL', -getpgrp if 0; 1 while wait > 0;`;

const forkedTooMany = (_target: unknown, _pod: unknown, output: string): string | undefined => {
  const count = Number(/FORKED (\d+)/.exec(output)?.[1] ?? 0);
  return count > POD_PIDS_LIMIT ? `it has ${count} processes, more than podPidsLimit` : undefined;
};

const LIMITED = { resources: { limits: { memory: '64Mi' } } };

export const RESOURCES: readonly Attack[] = [
  podAttack({
    class: KIND,
    id: 'processes',
    tries: `It starts ${PROCESSES} processes, of which podPidsLimit allows ${POD_PIDS_LIMIT}.`,
    modes: ['root'],
    isHeavy: true,
    script: `perl -e '${FORK.replaceAll("'", '"')}'`,
    proof: /FORKED/,
    check: forkedTooMany,
  }),
  podAttack({
    class: KIND,
    id: 'processes-by-exec',
    tries: `A command of kubectl exec starts ${PROCESSES} processes.`,
    modes: ['root'],
    isHeavy: true,
    drive: async (target, { name }) => {
      const command = ['perl', '-e', FORK];
      return (await target.exec({ pod: name, container: 'main', command })).output;
    },
    proof: /FORKED/,
    check: forkedTooMany,
  }),
  podAttack({
    class: KIND,
    id: 'memory',
    tries: 'It takes four times the memory that it may have.',
    pod: { container: LIMITED },
    script: `perl -e 'my $x = "m" x (256 << 20); sleep 4; print "SUCCEEDED: it has ", length $x, " bytes\\n"'`,
  }),
  podAttack({
    class: KIND,
    id: 'memory-by-exec',
    tries: 'A command of kubectl exec takes four times the memory that the container may have.',
    pod: { container: LIMITED },
    drive: async (target, { name }) => {
      const script = 'my $x = "m" x (256 << 20); sleep 4; print "SUCCEEDED: it has the memory\\n"';
      const request = { pod: name, container: 'main', command: ['perl', '-e', script] };
      return (await target.exec(request)).output;
    },
  }),
  podAttack({
    class: KIND,
    id: 'memory-in-files',
    tries: 'It writes four times the memory that it may have into files that lie in memory.',
    modes: ['root'],
    pod: { container: LIMITED },
    script: `for d in /tmp /dev/shm /run /var/tmp; do head -c 256M /dev/zero >$d/hog 2>/dev/null; s=$(stat -c %s $d/hog 2>/dev/null || echo 0); t=$(stat -f -c %T $d); rm -f $d/hog; [ "$s" -ge 268435456 ] && case $t in tmpfs|overlayfs) echo "SUCCEEDED: $s bytes in $d ($t)";; esac; done; true`,
  }),
  podAttack({
    class: KIND,
    id: 'shared-memory',
    tries: 'It writes more into /dev/shm than the 64 MiB that containers have.',
    script: `head -c 96M /dev/zero >/dev/shm/hog 2>/dev/null; s=$(stat -c %s /dev/shm/hog); rm -f /dev/shm/hog; echo "FILLED $s"; [ "$s" -gt 67108864 ] && echo "SUCCEEDED: $s bytes in /dev/shm"; true`,
    proof: /^FILLED \d/m,
  }),
  podAttack({
    class: KIND,
    id: 'empty-dir',
    tries: 'It writes eight times the sizeLimit of an emptyDir, and goes on.',
    pod: {
      spec: { volumes: [{ name: 'small', emptyDir: { sizeLimit: '8Mi' } }] },
      container: { volumeMounts: [{ name: 'small', mountPath: '/small' }] },
    },
    script: `head -c 64M /dev/zero >/small/hog; sync; sleep 35; [ "$(stat -c %s /small/hog)" -gt 8388608 ] && echo "SUCCEEDED: 64 MiB in an emptyDir of 8"; true`,
    seconds: 45,
  }),
  podAttack({
    class: KIND,
    id: 'empty-dir-deep',
    tries: 'It hides eight times the sizeLimit of an emptyDir deeper than a path can be long.',
    pod: {
      spec: { volumes: [{ name: 'small', emptyDir: { sizeLimit: '8Mi' } }] },
      container: { volumeMounts: [{ name: 'small', mountPath: '/small' }] },
    },
    script: `perl -e 'chdir "/small"; for (1 .. 1500) { mkdir "deep" or last; chdir "deep" or last } open my $f, ">", "hog" or die; print $f "x" x (64 << 20) or die; close $f; sleep 110; print "SUCCEEDED: 64 MiB in an emptyDir of 8\\n"'`,
    // A large tree rests between two measurements, longer on a busy machine; Kubernetes' kubelet measures once a minute.
    seconds: 120,
  }),
  podAttack({
    class: KIND,
    id: 'empty-dir-in-memory',
    tries: 'It writes more into an emptyDir in memory than its sizeLimit.',
    modes: ['root'],
    pod: {
      spec: { volumes: [{ name: 'small', emptyDir: { medium: 'Memory', sizeLimit: '8Mi' } }] },
      container: { volumeMounts: [{ name: 'small', mountPath: '/small' }] },
    },
    script: `head -c 64M /dev/zero >/small/hog; [ "$(stat -c %s /small/hog)" -gt 8388608 ] && echo "SUCCEEDED: 64 MiB in 8"; true`,
  }),
  podAttack({
    class: KIND,
    id: 'deep-folders',
    tries: 'It makes folders in its volume that are deeper than a path can be long.',
    pod: { volumes: { work: '/work' } },
    script: `perl -e 'chdir "/work"; for (1 .. 3000) { mkdir "deep" or last; chdir "deep" or last } print "deep\\n"'`,
    check: async (target, pod) => {
      await checkDeletion(target, pod, 15);
      return undefined;
    },
  }),
  podAttack({
    class: KIND,
    id: 'closed-folders',
    tries: 'It makes folders in its volume that their owner may not enter.',
    pod: { volumes: { work: '/work' } },
    script:
      'mkdir -p /work/a/b/c; touch /work/a/b/c/f; chmod 0 /work/a/b/c /work/a/b /work/a; true',
    check: async (target, pod) => {
      await checkDeletion(target, pod, 15);
      return undefined;
    },
  }),
  podAttack({
    class: KIND,
    id: 'odd-names',
    tries:
      'It fills its volume with names that are no text, pipes, sockets and links to everywhere.',
    pod: { volumes: { work: '/work' } },
    script: `perl -e 'use Socket; use POSIX (); chdir "/work"; open(my $f, ">", "a\\nb\\xff\\xfe"); mkdir "-rf"; POSIX::mkfifo("pipe", 0666); socket(my $s, AF_UNIX, SOCK_STREAM, 0); bind($s, pack_sockaddr_un("sock")); symlink $_->[1], $_->[0] for ["up", "../../../.."], ["root", "/"], ["marks", "$ENV{TRUSTED_HOME}/marks"], ["home", $ENV{TRUSTED_HOME}]; print "odd\\n"'`,
    check: async (target, pod) => {
      await checkDeletion(target, pod, 15);
      return target.canaries.isFull() ? undefined : 'files of the machine were removed';
    },
  }),
];
