/**
 * Nodes of one `podkeep up` as root, with processes: pods of different nodes reach each other, outlive a podkeep
 * that is killed, and leave nothing behind. It runs in a network namespace of the test.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/lib/json.ts';
import { labObstacle, NetworkLab, OUTSIDE } from '../support/network-lab.ts';
import { bundlePodkeep } from '../support/podkeep-bundle.ts';
import type { PodkeepUp } from '../support/podkeep-up.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const obstacle = labObstacle();
if (obstacle !== undefined) console.log(`several nodes are not tried as root: ${obstacle}`);
// The import bundles podkeep into the checkout, which only its owner may write.
const program = obstacle === undefined ? await import('../support/podkeep-up.ts') : undefined;
const bundle = obstacle === undefined ? await bundlePodkeep('up') : '';
const WAIT = { timeout: 120_000, interval: 500 };
const PODS = '/api/v1/namespaces/default/pods';
const NODE = process.execPath;

/** Sends one request, and prints the answer. */
const REQUEST = `
const [file, method, path, body] = process.argv.slice(2);
const { server, ...tls } = JSON.parse(require('node:fs').readFileSync(file, 'utf8'));
const { hostname: host, port } = new URL(server);
const headers = { 'content-type': 'application/json' };
require('node:https').request({ ...tls, host, port, method, path, headers }, (answer) => answer.pipe(process.stdout)).end(body);`;

/** Greets each client with its address. */
const SERVER = `require('node:net').createServer((c) => c.on('error', () => {}).end('hello ' + c.remoteAddress))
  .listen(8080, '0.0.0.0', () => console.log('listening'))`;

/** Prints the greeting of a server, or that there is none. */
const CLIENT = `const [host, port] = process.argv.slice(1);
const c = require('node:net').connect({ host, port });
const end = (text) => { console.log(text); process.exit(0); };
c.on('data', (bytes) => end(String(bytes))).on('error', () => end('no answer'));
setTimeout(() => end('no answer'), 3000);`;

interface Seen {
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly containerStatuses?: readonly {
      readonly containerID?: string;
      readonly restartCount?: number;
    }[];
  };
}

class Machine {
  readonly lab = new NetworkLab();
  readonly folder = makeTempFolder();
  readonly #scripts = makeTempFolder();

  async up(...args: readonly string[]): Promise<PodkeepUp> {
    if (!program) throw new Error(obstacle);
    const common = ['--data-dir', this.folder, '--port', '0', '--output', 'json', '--name', 'web'];
    const up = new program.PodkeepUp([...common, ...args], process.env, this.lab.launcher);
    await up.until(() => {
      const nodes = up.events().filter(({ event }) => event === 'node');
      return nodes.length === 2 ? true : undefined;
    });
    return up;
  }

  send(method: string, target: string, body?: JsonObject): string {
    const config = parse(readFileSync(path.join(this.folder, 'kubeconfig'), 'utf8'));
    const { cluster } = config.clusters[0];
    const { user } = config.users[0];
    const decode = (text: string): string => Buffer.from(text, 'base64').toString();
    const access = {
      server: cluster.server,
      ca: decode(cluster['certificate-authority-data']),
      cert: decode(user['client-certificate-data']),
      key: decode(user['client-key-data']),
    };
    const file = path.join(this.#scripts, 'access.json');
    const script = path.join(this.#scripts, 'request.cjs');
    writeFileSync(file, JSON.stringify(access));
    writeFileSync(script, REQUEST);
    const words = body === undefined ? [] : [JSON.stringify(body)];
    return this.lab.run(NODE, script, file, method, target, ...words);
  }

  podkeep(...words: readonly string[]): string {
    const kubeconfig = path.join(this.folder, 'kubeconfig');
    return this.lab.run('env', `KUBECONFIG=${kubeconfig}`, NODE, bundle, ...words);
  }

  create(name: string, nodeName: string): void {
    const containers = [{ name: 'main', image: 'none', command: [NODE, '-e', SERVER] }];
    const spec = { nodeName, terminationGracePeriodSeconds: 1, containers };
    this.send('POST', PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
  }

  async running(): Promise<readonly Seen[]> {
    return vi.waitFor(() => {
      const { items }: { items: readonly Seen[] } = JSON.parse(this.send('GET', PODS));
      const running = items.filter(({ status }) => status.phase === 'Running');
      if (running.length === 2) return running;
      throw new Error(`${running.length} pods run`);
    }, WAIT);
  }

  ask(pod: string, host: string, port: number): string {
    return this.podkeep('exec', pod, '--', NODE, '-e', CLIENT, host, String(port)).trim();
  }

  /** All that podkeep may change and has to restore. */
  settings(): string {
    return `${this.lab.settings()}${this.lab.run('ip', 'rule')}`;
  }
}

function lives(pods: readonly Seen[]): readonly unknown[] {
  return pods.map(({ metadata, status }) => [
    metadata.name,
    status.podIP,
    status.containerStatuses?.map(({ containerID, restartCount }) => [containerID, restartCount]),
  ]);
}

test.skipIf(obstacle !== undefined).each([
  { title: 'and no other network', flags: [], outside: 'no answer' },
  {
    title: 'and others, masqueraded',
    flags: ['--pod-masquerade'],
    outside: /^hello 192\.0\.2\.1$/,
  },
])(
  'pods of two nodes reach each other with their own addresses, $title',
  async ({ flags, outside }) => {
    const machine = new Machine();
    const { lab } = machine;
    const before = machine.settings();
    await lab.serve('outside', 80, OUTSIDE);
    const first = await machine.up('--nodes', '2', ...flags);
    machine.create('a', 'web');
    machine.create('b', 'web-2');
    const pods = await machine.running();
    const [a = '', b = ''] = pods.map(({ status }) => status.podIP ?? '');
    expect(a.split('.').slice(0, 3)).not.toEqual(b.split('.').slice(0, 3));
    for (const name of ['a', 'b']) expect(machine.podkeep('logs', name)).toBe('listening\n');
    const expectReachable = async (): Promise<void> => {
      await vi.waitFor(() => expect(machine.ask('a', b, 8080)).toContain(`hello ${a}`), WAIT);
      await vi.waitFor(() => expect(machine.ask('b', a, 8080)).toContain(`hello ${b}`), WAIT);
      expect(machine.ask('b', OUTSIDE, 80)).toMatch(outside);
    };
    await expectReachable();

    first.child.kill('SIGKILL');
    await first.ended;
    const second = await machine.up(...flags);
    await expectReachable();
    expect(lives(await machine.running())).toEqual(lives(pods));

    const removed = machine.podkeep('node', 'remove', 'web-2', '--force');
    expect(removed).toContain('node/web-2 removed');
    second.child.kill('SIGTERM');
    expect(await second.ended).toEqual({ code: 0, signal: null });
    expect(machine.settings()).toBe(before);
  },
  400_000,
);
