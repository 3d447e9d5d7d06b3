/** Masquerading, tried from inside pods of a `podkeep up` that runs in a network namespace of the test. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  labObstacle,
  logsBelow,
  MACHINE,
  METADATA,
  NetworkLab,
  OUTSIDE,
} from '../support/network-lab.ts';
import type { PodkeepUp } from '../support/podkeep-up.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const obstacle = labObstacle();
if (obstacle !== undefined) console.log(`masquerading is not tried: ${obstacle}`);
// The import bundles podkeep into the checkout, which only its owner may write.
const program = obstacle === undefined ? await import('../support/podkeep-up.ts') : undefined;
const SECONDS_MAX = 60;
/** An address that is neither the pod's nor its machine's. */
const SPOOFED = '198.51.100.7';

/** Prints for each target whether it answers, and then `done`. */
const PROBE = `
probe() {
  if answer=$(timeout 3 bash -c "exec 3<>/dev/tcp/$2/$3 && cat <&3" 2>/dev/null); then
    echo "$1: $answer"
  else
    echo "$1: no answer"
  fi
}
gateway=$(ip route show default | cut -d' ' -f3)
probe outside ${OUTSIDE} 80
probe metadata ${METADATA} 80
probe machine $gateway 82
probe loopback-by-gateway $gateway 81
probe loopback-by-uplink ${MACHINE} 81
# A pod that may change its own network sends packets for 127.0.0.1 to the machine.
ip address flush dev lo
ip route add 127.0.0.1/32 via $gateway
probe loopback-by-route 127.0.0.1 81
# And packets whose source is an address that is not its own.
ip address add ${SPOOFED}/32 dev eth0
ip route replace ${OUTSIDE}/32 via $gateway src ${SPOOFED}
probe spoofed ${OUTSIDE} 80
echo done
sleep 1000
`;

class Machine {
  readonly lab = new NetworkLab();
  readonly #folder = makeTempFolder();

  constructor() {
    const manifest = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'probe' },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'probe',
            image: 'shell',
            command: ['bash', '-c', PROBE],
            securityContext: { runAsUser: 0, capabilities: { add: ['NET_ADMIN'] } },
          },
        ],
      },
    };
    writeFileSync(this.#manifest, JSON.stringify(manifest));
  }

  get #manifest(): string {
    return path.join(this.#folder, 'pod.json');
  }

  async serve(): Promise<void> {
    // The lab's machine accepts packets for its loopback addresses from anywhere, as some machines do.
    this.lab.run('sh', '-c', 'echo 1 > /proc/sys/net/ipv4/conf/default/route_localnet');
    this.lab.watchOutside(SPOOFED);
    await this.lab.serve('outside', 80, '::');
    await this.lab.serve('machine', 81, '127.0.0.1');
    await this.lab.serve('machine', 82, '0.0.0.0');
  }

  up(...args: readonly string[]): PodkeepUp {
    const data = ['--data-dir', path.join(this.#folder, 'data'), '--port', '0', '--output', 'json'];
    const manifests = ['--manifests', this.#manifest];
    if (!program) throw new Error(obstacle);
    return new program.PodkeepUp([...data, ...manifests, ...args], process.env, this.lab.launcher);
  }

  /** What the pod has found, by target. */
  async found(podkeep: PodkeepUp): Promise<Record<string, string>> {
    await podkeep.event('node');
    for (let tries = 0; tries < SECONDS_MAX * 5; tries++) {
      const lines = logsBelow(path.join(this.#folder, 'data', 'node', 'logs')).split('\n');
      const texts = lines.map((line) => line.split(' ').slice(3).join(' '));
      if (texts.includes('done')) {
        return Object.fromEntries(
          texts.filter((text) => text.includes(': ')).map((text) => text.split(': ')),
        );
      }
      await delay(200);
    }
    throw new Error(`the pod did not end: ${podkeep.out}${podkeep.err}`);
  }
}

test.skipIf(obstacle !== undefined)(
  'without masquerading a pod reaches its machine and no other network',
  async () => {
    const machine = new Machine();
    await machine.serve();
    const before = machine.lab.settings();
    const podkeep = machine.up();
    const found = await machine.found(podkeep);
    expect(found).toMatchObject({ outside: 'no answer', metadata: 'no answer' });
    expect(found['machine']).toMatch(/^hello 10\./);
    const message = expect.stringContaining('--pod-masquerade');
    expect(podkeep.events()).toContainEqual(expect.objectContaining({ level: 'warn', message }));
    podkeep.child.kill('SIGTERM');
    await podkeep.ended;
    expect(machine.lab.settings()).toBe(before);
  },
  SECONDS_MAX * 1000,
);

test.skipIf(obstacle !== undefined)(
  'with masquerading it reaches others behind the address of its machine, and nothing that is not for it',
  async () => {
    const machine = new Machine();
    await machine.serve();
    const before = machine.lab.settings();
    const podkeep = machine.up('--pod-masquerade');
    const found = await machine.found(podkeep);
    expect(found).toEqual({
      outside: `hello ${MACHINE}`,
      metadata: 'no answer',
      machine: expect.stringMatching(/^hello 10\./),
      'loopback-by-gateway': 'no answer',
      'loopback-by-uplink': 'no answer',
      'loopback-by-route': 'no answer',
      spoofed: 'no answer',
    });
    expect(machine.lab.seenOutside()).toBe(0);
    expect(machine.lab.run('cat', '/proc/sys/net/ipv4/ip_forward').trim()).toBe('0');
    podkeep.child.kill('SIGTERM');
    await podkeep.ended;
    expect(machine.lab.settings()).toBe(before);
  },
  SECONDS_MAX * 1000,
);

test.skipIf(obstacle !== undefined)(
  'what a killed podkeep has left is removed by the next one over the same folder',
  async () => {
    const machine = new Machine();
    const before = machine.lab.settings();
    const killed = machine.up('--pod-masquerade');
    await killed.event('node');
    expect(machine.lab.settings()).toContain('masquerade');
    killed.child.kill('SIGKILL');
    await killed.ended;
    const next = machine.up();
    await next.event('node');
    expect(machine.lab.settings()).not.toContain('masquerade');
    next.child.kill('SIGTERM');
    await next.ended;
    expect(machine.lab.settings()).toBe(before);
  },
  SECONDS_MAX * 1000,
);
