/** Clients of a pod who try to reach what listens on the machine, by way of the pod's address. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Target } from '../harness/target.ts';
import { breached, held, MODES, unproven } from '../harness/types.ts';
import type { Attack, Outcome } from '../harness/types.ts';

const KIND = 'machine-ports';
const PODS = '/api/v1/namespaces/default/pods';
const POD_PORT = 18_391;
const WORD = 'this-is-the-machine';
const START_SECONDS = 60;

export const MACHINE_PORTS: readonly Attack[] = [
  {
    id: `${KIND}/pod-proxy`,
    class: KIND,
    tries: 'A proxy request to a pod reaches a port on which a program of the machine listens.',
    modes: MODES,
    isHeavy: false,
    run: reachMachine,
  },
];

async function reachMachine(target: Target): Promise<Outcome> {
  const machine = createServer((_request, response) => response.end(WORD));
  machine.listen(0, '0.0.0.0');
  await once(machine, 'listening');
  const address = machine.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const name = target.newName(KIND);
  try {
    const refusal = await target.create(podThatListens(name));
    if (refusal !== null) return unproven(refusal);
    await target.logWith(name, 'main', /listening/, START_SECONDS);
    const own = await target.api.get(`${PODS}/${name}:${POD_PORT}/proxy/`);
    if (!own.text.includes('this-is-the-pod')) return unproven(`the pod answered ${own.text}`);
    const { text } = await target.api.get(`${PODS}/${name}:${port}/proxy/`);
    if (text.includes(WORD)) return breached(`port ${port} of the machine answered`);
    return /refused/i.test(text) ? held() : unproven(text);
  } finally {
    machine.close();
    await target.delete(name);
  }
}

function podThatListens(name: string): JsonObject {
  const script = `use IO::Socket::INET; $| = 1;
    my $listener = IO::Socket::INET->new(LocalPort => ${POD_PORT}, Listen => 5, ReuseAddr => 1) or die $!;
    print "listening\\n";
    while (my $client = $listener->accept) {
      sysread($client, my $request, 4096);
      print $client "HTTP/1.0 200 OK\\r\\n\\r\\nthis-is-the-pod";
      close $client;
    }`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'main', image: 'sh', command: ['perl', '-e', script] }] },
  };
}
