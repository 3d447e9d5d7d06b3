/**
 * What isolates pods and the machine from each other although they share a kernel: shared memory, message
 * queues, keys, sockets, environments, signals.
 */
import { createServer } from 'node:net';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { battery, type BatteryItem } from '../harness/battery.ts';
import { ABSTRACT_SOCKET, LOOPBACK_PORT, QUEUE, SHM_KEY } from '../harness/neighbour.ts';
import { field, findSleeper } from '../harness/container-processes.ts';
import { perl } from '../harness/perl.ts';
import { podAttack, runPod } from '../harness/pod-attack.ts';
import type { PodShape } from '../harness/pods.ts';
import type { Target } from '../harness/target.ts';
import { breached, held, unproven } from '../harness/types.ts';
import type { Attack } from '../harness/types.ts';

const KIND = 'neighbours';

const abstractRead = (name: string): string =>
  perl(`socket(my $s, AF_UNIX, SOCK_STREAM, 0);
    connect($s, pack('S a*', AF_UNIX, "\\0${name}")) and print <$s>; print "$!\\n";`);
const tcpRead = (port: string, host = '127.0.0.1'): string =>
  perl(`socket(my $s, AF_INET, SOCK_STREAM, 0);
    connect($s, pack_sockaddr_in(${port}, inet_aton('${host}'))) and print <$s>; print "$!\\n";`);

const ITEMS: readonly BatteryItem[] = [
  {
    id: 'shared-memory',
    tries: 'It reads System V shared memory of another pod.',
    script: perl(
      `my $id = shmget(${SHM_KEY}, 0, 0); if (defined $id) { shmread($id, my $t, 0, 4096); print $t } print slurp('/proc/sysvipc/shm') =~ /${SHM_KEY}/ ? "SUCCEEDED: the segment of another pod is listed\\n" : '';`,
    ),
  },
  {
    id: 'shm-folder',
    tries: 'It reads files in /dev/shm of another pod.',
    script: 'cat /dev/shm/* 2>/dev/null; ls -a /dev/shm',
  },
  {
    id: 'message-queue',
    tries: 'It reads a POSIX message queue of another pod.',
    script: perl(
      `my $q = '${QUEUE}'; my $fd = sys('mq_open', $q, 04000, 0, 0); if ($fd >= 0) { my $t = "\\0" x 8192; sys('mq_receive', $fd, $t, 8192, 0, 0); print $t } else { print "$!\\n" }`,
    ),
  },
  {
    id: 'keys',
    tries: 'It finds a key of another pod in the keyrings of its user and its session.',
    script: perl(`
      my ($type, $name) = ('user', 'podkeep-attack');
      for my $ring (-1, -2, -3, -4, -5) {
        my $key = sys('keyctl', 10, $ring, $type, $name, 0); next if $key < 0;
        my $t = "\\0" x 256; sys('keyctl', 11, $key + 0, $t, 256); print "$t\\n";
      }
      my $key = sys('request_key', $type, $name, 0, 0);
      if ($key >= 0) { my $t = "\\0" x 256; sys('keyctl', 11, $key + 0, $t, 256); print "$t\\n" }`),
  },
  {
    id: 'keys-by-number',
    tries: 'It reads every key that /proc/keys lists.',
    script: perl(`
      for (split /\\n/, slurp('/proc/keys')) {
        my ($n) = /^([0-9a-f]+)/ or next; my $t = "\\0" x 256;
        print "$t\\n" if sys('keyctl', 11, hex($n) + 0, $t, 256) >= 0;
      }`),
  },
  {
    id: 'environments',
    tries: 'It reads the environment of every process that it can see.',
    script: 'for p in /proc/[0-9]*; do tr "\\000" "\\n" <$p/environ; done 2>/dev/null; true',
  },
  {
    id: 'command-lines',
    tries: 'It looks for processes of other pods and of the machine.',
    script: `for p in /proc/[0-9]*; do tr "\\000" " " <$p/cmdline; echo; done 2>/dev/null | grep -E 'CANARY_VOL[U]ME|sleep [1]800|bin/podke[e]p' | sed 's/^/SUCCEEDED: it sees: /' | cut -c1-200`,
  },
  {
    id: 'signals',
    tries: 'It stops and ends processes of the machine by their IDs.',
    script: 'for p in $MACHINE_PIDS; do kill -STOP $p; kill -KILL $p; done 2>/dev/null; true',
    check: ({ bystanders }) => bystanders.harmed.join(', ') || undefined,
  },
  {
    id: 'signals-to-podkeep',
    tries: 'It ends podkeep by its process ID.',
    script:
      'kill -STOP $PODKEEP_PID && echo "SUCCEEDED: podkeep was stopped"; kill -CONT $PODKEEP_PID; true',
  },
  {
    id: 'abstract-socket',
    tries: 'It connects to an abstract socket of another pod.',
    modes: ['root'],
    script: abstractRead(ABSTRACT_SOCKET),
  },
  {
    id: 'loopback',
    tries: 'It connects to a service on the loopback interface of another pod.',
    modes: ['root'],
    script: tcpRead(String(LOOPBACK_PORT)),
  },
  {
    id: 'sockets-listed',
    tries: 'It lists sockets of the machine.',
    modes: ['root'],
    script: `grep -c podkeep-attack /proc/net/unix | grep -v '^0$' | sed 's/^/SUCCEEDED: sockets of others: /'`,
  },
  {
    id: 'hostname',
    tries: 'It changes the name of the machine.',
    script: perl(`my $n = 'changed'; sys('sethostname', $n, 7); print "$!\\n";`),
    check: (target) => target.machine.restore('/proc/sys/kernel/hostname'),
  },
];

/** `kill -9 -1` ends all that the process may end, so nothing can follow it. */
const KILL_ALL = podAttack({
  class: KIND,
  id: 'signal-to-all',
  tries: 'It sends a signal to every process that it may send one to.',
  script: 'echo READY; sleep 0.3; kill -KILL -1; sleep 1',
  check: ({ bystanders }) => bystanders.harmed.join(', ') || undefined,
});

const KILL_ALL_AS_ROOT = podAttack({
  class: KIND,
  id: 'signal-to-all-as-root',
  tries: 'User 0 of a container sends a signal to every process that it may send one to.',
  pod: { as: 'root', capabilities: ['KILL'] },
  script: 'echo READY; sleep 0.3; kill -STOP -1; kill -KILL -1; sleep 1',
  check: ({ bystanders }) => bystanders.harmed.join(', ') || undefined,
});

/** Services of the machine itself, opened for the run. */
async function offerServices(target: Target): Promise<number> {
  return target.once('services of the machine', async () => {
    const word = target.canaries.value('a service on the loopback of the machine');
    const server = createServer((peer) => peer.on('error', () => undefined).end(`${word}\n`));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    server.unref();
    const listen = `use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0);
      bind($s, pack('S a*', AF_UNIX, "\\0podkeep-attack-machine")); listen($s, 5); alarm 1800;
      while (accept(my $p, $s)) { syswrite($p, "$ENV{WORD}\\n"); close $p }`;
    const child = spawn('perl', ['-e', listen], { env: { WORD: word }, stdio: 'ignore' });
    child.on('error', () => undefined);
    target.atEnd(() => {
      server.close();
      child.kill('SIGKILL');
    });
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
}

const withServices =
  (shape: PodShape) =>
  async (target: Target): Promise<PodShape> => {
    const port = await offerServices(target);
    return { ...shape, container: { env: [{ name: 'SERVICE_PORT', value: String(port) }] } };
  };

const SERVICES: readonly Attack[] = [
  podAttack({
    class: KIND,
    id: 'loopback-of-machine',
    tries: 'It connects to a service on the loopback interface of the machine.',
    modes: ['root'],
    pod: withServices({}),
    script: tcpRead('$ENV{SERVICE_PORT}') + tcpRead('$ENV{SERVICE_PORT}', 'localhost'),
  }),
  podAttack({
    class: KIND,
    id: 'abstract-socket-of-machine',
    tries: 'It connects to an abstract socket of the machine.',
    modes: ['root'],
    pod: withServices({}),
    script: abstractRead('podkeep-attack-machine'),
  }),
  podAttack({
    class: KIND,
    id: 'loopback-of-machine-as-root',
    tries: 'User 0 routes packets to the loopback interface of the machine.',
    modes: ['root'],
    pod: withServices({ as: 'root' }),
    script: `gw=$(awk '$2 == "00000000" { print $3 }' /proc/net/route | head -n 1); ip=$(printf '%d.%d.%d.%d' 0x$(echo $gw | cut -c7-8) 0x$(echo $gw | cut -c5-6) 0x$(echo $gw | cut -c3-4) 0x$(echo $gw | cut -c1-2)); export ip
      ${perl(`for my $h ($ENV{ip}, '127.0.0.1', '0.0.0.0') { socket(my $s, AF_INET, SOCK_STREAM, 0); connect($s, pack_sockaddr_in($ENV{SERVICE_PORT}, inet_aton($h))) and print <$s>; }`)}`,
  }),
];

/** Without a filter of system calls only keyrings and users keep keys apart. */
const KEY_ITEMS = ITEMS.filter(({ id }) => id.startsWith('keys'));
const UNFILTERED: readonly (readonly [name: string, pod: PodShape])[] = [
  ['unconfined', { seccomp: 'Unconfined' }],
  ['unconfined-as-root', { as: 'root', seccomp: 'Unconfined' }],
];

/** Two pods, each with a process that is found from outside. */
const OWN_IDS: Attack = {
  id: `${KIND}/own-ids`,
  class: KIND,
  tries: 'Two pods have the same IDs of the machine.',
  modes: ['root'],
  isHeavy: false,
  run: async (target) => {
    const ids = await Promise.all([1, 2].map(() => kernelIdOf(target)));
    const [first, second] = ids;
    if (first === undefined || second === undefined) return unproven('a process was not found');
    if (first === second) return breached(`both run as user ${first} of the machine`);
    const low = ids.find((id) => Number(id) < 65_536);
    return low === undefined ? held() : breached(`it runs as user ${low} of the machine`);
  },
};

async function kernelIdOf(target: Target): Promise<string | undefined> {
  const marker = `50.${randomInt(10 ** 9, 10 ** 10)}`;
  let id: string | undefined;
  const { pod } = await runPod(target, `${KIND}-ids`, {
    pod: { as: 'root' },
    script: `echo READY; exec sleep ${marker}`,
    drive: async () => {
      const pid = await findSleeper(marker, 20);
      id = pid === undefined ? undefined : field(pid, 'Uid').split(/\s+/)[0];
      return '';
    },
  });
  if (pod) await target.delete(pod.name).catch(() => undefined);
  return id;
}

export const NEIGHBOURS: readonly Attack[] = [
  OWN_IDS,
  ...UNFILTERED.flatMap(([name, pod]) => battery({ class: KIND, name, pod, items: KEY_ITEMS })),
  ...battery({ class: KIND, name: 'restricted', items: ITEMS }),
  ...battery({ class: KIND, name: 'as-root', pod: { as: 'root' }, items: ITEMS }),
  KILL_ALL,
  KILL_ALL_AS_ROOT,
  ...SERVICES,
];
