/**
 * The pod that attackers must not reach: with the user ID that they have, a Secret in a volume and in its
 * environment, files in an emptyDir and in /dev/shm, System V shared memory, a message queue, keys, and
 * services on its loopback interface and on an abstract socket. All of them hold canaries.
 */
import type { JsonObject } from '../../../src/lib/json.ts';
import { isReady } from '../../e2e/support/pod-view.ts';
import { perl } from './perl.ts';
import { podOf } from './pods.ts';
import type { Target } from './target.ts';

export const NEIGHBOUR = 'neighbour';
export const ABSTRACT_SOCKET = 'podkeep-attack-neighbour';
export const LOOPBACK_PORT = 47_113;
export const QUEUE = 'podkeep-attack';
export const SHM_KEY = 0x706b_6174;

const SCRIPT = `
echo "$CANARY_VOLUME" >/work/file; chmod 666 /work/file
echo "$CANARY_SHM" >/dev/shm/podkeep-attack
${perl(`
  my $id = shmget(${SHM_KEY}, 4096, 01666);
  shmwrite($id, $ENV{CANARY_SHM}, 0, length $ENV{CANARY_SHM}) if defined $id;
  my $attr = pack('q8', 0, 4, 200, 0, 0, 0, 0, 0);
  my $queue = '${QUEUE}'; my $text = $ENV{CANARY_SHM};
  my $q = sys('mq_open', $queue, 0102, 0666, $attr);
  sys('mq_send', $q, $text, length $text, 0, 0) if $q >= 0;
  my ($type, $name, $key) = ('user', 'podkeep-attack', $ENV{CANARY_KEY});
  my $serial = sys('add_key', $type, $name, $key, length $key, -4);
  sys('keyctl', 5, $serial + 0, 0x3f3f3f3f) if $serial > 0;
  socket(my $tcp, AF_INET, SOCK_STREAM, 0); setsockopt($tcp, SOL_SOCKET, SO_REUSEADDR, 1);
  bind($tcp, pack_sockaddr_in(${LOOPBACK_PORT}, inet_aton('127.0.0.1'))); listen($tcp, 5);
  socket(my $unix, AF_UNIX, SOCK_STREAM, 0);
  bind($unix, pack('S a*', AF_UNIX, "\\0${ABSTRACT_SOCKET}")); listen($unix, 5);
  print "READY\\n";
  while (1) {
    my $ready = ''; vec($ready, fileno $_, 1) = 1 for $tcp, $unix;
    select($ready, undef, undef, undef);
    for my $each ($tcp, $unix) {
      next unless vec($ready, fileno $each, 1);
      accept(my $peer, $each) or next;
      syswrite($peer, "$ENV{CANARY_NET}\\n"); close $peer;
    }
  }
`)}`;

export async function startNeighbour(target: Target): Promise<void> {
  const { canaries } = target;
  const secret: JsonObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: NEIGHBOUR },
    stringData: { word: canaries.value('a Secret of another pod') },
  };
  await target.create(secret, '/api/v1/namespaces/default/secrets');
  const env = {
    CANARY_VOLUME: canaries.value('a volume of another pod'),
    CANARY_SHM: canaries.value('shared memory of another pod'),
    CANARY_KEY: canaries.value('a key of another pod'),
    CANARY_NET: canaries.value('a service on the loopback of another pod'),
  };
  const reference = { secretKeyRef: { name: NEIGHBOUR, key: 'word' } };
  const shape = {
    volumes: { work: '/work' },
    spec: { volumes: [{ name: 'secret', secret: { secretName: NEIGHBOUR } }] },
    container: {
      env: [{ name: 'CANARY_SECRET', valueFrom: reference }],
      volumeMounts: [{ name: 'secret', mountPath: '/secret' }],
    },
  };
  const refused = await target.create(podOf({ name: NEIGHBOUR, shape, script: SCRIPT, env }));
  if (refused !== null) throw new Error(`the neighbour was refused: ${refused}`);
  const ready = await target.podWhen(NEIGHBOUR, isReady, 30);
  if (!ready) throw new Error(`the neighbour is not ready\n${target.tail}`);
}
