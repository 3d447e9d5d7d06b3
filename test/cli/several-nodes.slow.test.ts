/** `podkeep up --nodes` and `podkeep node`, with simulated pods in a podkeep that runs as a process. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { CliHarness } from '../support/cli-harness.ts';
import { KubeconfigClient, PodkeepUp } from '../support/podkeep-up.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const TIMEOUT = 180_000;
const WAIT = { timeout: 90_000, interval: 100 };
const PODS = '/api/v1/namespaces/default/pods';

interface TestCluster {
  readonly up: PodkeepUp;
  readonly client: KubeconfigClient;
  readonly podkeep: (
    ...words: readonly string[]
  ) => Promise<{ code: number; out: string; err: string }>;
}

async function start(folder: string, ...args: readonly string[]): Promise<TestCluster> {
  const common = ['--data-dir', folder, '--port', '0', '--output', 'json', '--name', 'web'];
  const up = new PodkeepUp([...common, '--runtime', 'simulated', ...args]);
  await up.event('serving');
  const kubeconfig = path.join(folder, 'kubeconfig');
  const podkeep = async (...words: readonly string[]) => {
    const harness = new CliHarness({ KUBECONFIG: kubeconfig });
    const code = await harness.run(...words);
    return { code, out: harness.out, err: harness.err };
  };
  return { up, client: new KubeconfigClient(kubeconfig), podkeep };
}

function nodesOf(up: PodkeepUp): ReadonlySet<unknown> {
  return new Set(up.events().flatMap(({ event, name }) => (event === 'node' ? [name] : [])));
}

async function untilNodes(up: PodkeepUp, ...names: readonly string[]): Promise<void> {
  await up.until(() => (nodesOf(up).size === names.length ? true : undefined));
  expect(nodesOf(up)).toEqual(new Set(names));
}

async function stop({ up }: TestCluster): Promise<void> {
  up.child.kill('SIGTERM');
  expect(await up.ended).toEqual({ code: 0, signal: null });
}

function makeFolder(): string {
  const folder = makeTempFolder();
  onTestFinished(async () => {
    await new CliHarness(process.env).run('down', '--data-dir', folder);
  });
  return folder;
}

const LABELS = { app: 'web' };

function deployment(replicas: number): JsonObject {
  const spread = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: LABELS },
  };
  return {
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: {
          containers: [{ name: 'main', image: 'none' }],
          topologySpreadConstraints: [spread],
        },
      },
    },
  };
}

interface Seen {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly phase?: string; readonly podIP?: string };
}

async function podsOf(client: KubeconfigClient): Promise<readonly Seen[]> {
  const { text } = await client.send('GET', PODS);
  const { items }: { items: readonly Seen[] } = JSON.parse(text);
  return items;
}

async function untilRunning(client: KubeconfigClient, count: number): Promise<readonly Seen[]> {
  return vi.waitFor(async () => {
    const pods = await podsOf(client);
    expect(pods.filter(({ status }) => status.phase === 'Running')).toHaveLength(count);
    expect(pods).toHaveLength(count);
    return pods;
  }, WAIT);
}

test(
  'a Deployment spreads over the nodes of one podkeep, and each node answers for its own pods',
  async () => {
    const cluster = await start(makeFolder(), '--nodes', '3');
    const { up, client, podkeep } = cluster;
    await untilNodes(up, 'web', 'web-2', 'web-3');
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    expect(await client.send('POST', deployments, deployment(6))).toMatchObject({ code: 201 });
    const pods = await untilRunning(client, 6);
    const nodes = pods.map(({ spec }) => spec.nodeName ?? '').toSorted();
    expect(nodes).toEqual(['web', 'web', 'web-2', 'web-2', 'web-3', 'web-3']);
    expect(new Set(pods.map(({ status }) => status.podIP)).size).toBe(6);
    for (const { metadata } of pods) {
      expect(await podkeep('logs', metadata.name)).toMatchObject({ code: 0 });
    }
    for (const name of ['web', 'web-2', 'web-3']) {
      const served = await client.send('GET', `/api/v1/nodes/${name}/proxy/pods`);
      const list: { items: readonly Seen[] } = JSON.parse(served.text);
      expect(list.items.map(({ spec }) => spec.nodeName)).toEqual([name, name]);
      const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
      await vi.waitFor(async () => {
        const lease = await client.send('GET', `${leases}/${name}`);
        expect(lease.body).toMatchObject({ spec: { holderIdentity: name } });
      }, WAIT);
    }
    const status = await podkeep('status');
    expect(status.out.match(/^Node \S+: Ready$/gm)).toHaveLength(3);
    expect((await podkeep('top')).out.match(/^web(-\d)? /gm)).toHaveLength(3);
    const health = await client.send('GET', '/readyz?verbose');
    expect(health.text).toMatch(/^\[\+\]syncloop ok$/m);
    expect(health.text).toMatch(/^\[\+\]syncloop-web-3 ok$/m);
    await stop(cluster);
  },
  TIMEOUT,
);

test(
  'the nodes of a data folder come back without the flag, and fewer of them are refused',
  async () => {
    const folder = makeFolder();
    const first = await start(folder, '--nodes', '2');
    await untilNodes(first.up, 'web', 'web-2');
    expect(await first.podkeep('node', 'add', 'other')).toMatchObject({ code: 0 });
    await stop(first);
    const refused = new PodkeepUp([
      ...['--data-dir', folder, '--port', '0', '--name', 'web', '--runtime', 'simulated'],
      ...['--nodes', '2'],
    ]);
    expect(await refused.ended).toEqual({ code: 1, signal: null });
    expect(refused.err).toContain('NODES_RECORDED');
    expect(refused.err).toContain('podkeep node remove other');
    const again = await start(folder);
    await untilNodes(again.up, 'other', 'web', 'web-2');
    await stop(again);
  },
  TIMEOUT,
);

test(
  'a node is removed when its pods are gone, which a PodDisruptionBudget can delay',
  async () => {
    const folder = makeFolder();
    const cluster = await start(folder, '--nodes', '2');
    const { up, client, podkeep } = cluster;
    await untilNodes(up, 'web', 'web-2');
    expect(await podkeep('node', 'add', 'web-2')).toMatchObject({
      code: 1,
      err: expect.stringContaining('there is a node web-2 already'),
    });
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const whole = deployment(2);
    expect(await client.send('POST', deployments, whole)).toMatchObject({ code: 201 });
    await untilRunning(client, 2);
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    const budget = (minAvailable: number): JsonObject => ({
      metadata: { name: 'web' },
      spec: { minAvailable, selector: { matchLabels: LABELS } },
    });
    expect(await client.send('POST', budgets, budget(2))).toMatchObject({ code: 201 });
    await vi.waitFor(async () => {
      const { body } = await client.send('GET', `${budgets}/web`);
      expect(body).toMatchObject({ status: { currentHealthy: 2, disruptionsAllowed: 0 } });
    }, WAIT);
    const delayed = await podkeep('node', 'remove', 'web-2', '--timeout', '1s');
    expect(delayed).toMatchObject({ code: 1, err: expect.stringContaining('DRAIN_OVERDUE') });
    expect(delayed.err).toContain('disruption budget');
    expect(await podsOf(client)).toHaveLength(2);
    const held = await client.send('DELETE', '/podkeep/v1/nodes/web-2');
    expect(held).toMatchObject({ code: 409, text: expect.stringContaining('still runs') });

    expect(await client.send('DELETE', `${budgets}/web`)).toMatchObject({ code: 200 });
    expect(await client.send('POST', budgets, budget(1))).toMatchObject({ code: 201 });
    const removed = await podkeep('node', 'remove', 'web-2');
    expect(removed).toMatchObject({ code: 0, out: expect.stringContaining('node/web-2 removed') });
    expect(await client.send('GET', '/api/v1/nodes/web-2')).toMatchObject({ code: 404 });
    expect(existsSync(path.join(folder, 'nodes', 'web-2'))).toBe(false);
    expect(existsSync(path.join(folder, 'nodes.json'))).toBe(false);
    expect(await podkeep('node', 'remove', 'web')).toMatchObject({
      code: 1,
      err: expect.stringContaining('LAST_NODE'),
    });
    await stop(cluster);
  },
  TIMEOUT,
);

test(
  'the first node can be removed as well, and stays away',
  async () => {
    const folder = makeFolder();
    const cluster = await start(folder);
    await untilNodes(cluster.up, 'web');
    expect(existsSync(path.join(folder, 'nodes.json'))).toBe(false);
    expect(await cluster.podkeep('node', 'add')).toMatchObject({
      code: 0,
      out: 'node/web-2 added\n',
    });
    expect(await cluster.podkeep('node', 'remove', 'web')).toMatchObject({ code: 0 });
    const record: unknown = JSON.parse(readFileSync(path.join(folder, 'nodes.json'), 'utf8'));
    expect(record).toMatchObject({ nodes: [{ name: 'web-2', folder: 'nodes/web-2' }] });
    await stop(cluster);
    const again = await start(folder);
    await untilNodes(again.up, 'web-2');
    await stop(again);
  },
  TIMEOUT,
);

test('what cannot be is refused before anything is made', async () => {
  const folder = path.join(makeTempFolder(), 'data');
  const socket = path.join(makeTempFolder(), 'none.sock');
  const refusals: readonly (readonly [args: readonly string[], code: number, text: string])[] = [
    [['--nodes', '0'], 2, 'from 1 to 100'],
    [['--nodes', '101'], 2, 'from 1 to 100'],
    [['--nodes', '2', '--no-node'], 2, 'exclude each other'],
    [['--name', 'Not_A_Name'], 2, 'lowercase RFC 1123 subdomain'],
    [['--nodes', '2', '--runtime', `unix://${socket}`], 1, 'RUNTIME_SILENT'],
  ];
  for (const [args, code, text] of refusals) {
    const harness = new CliHarness();
    expect(await harness.run('up', '--data-dir', folder, ...args)).toBe(code);
    expect(harness.err).toContain(text);
  }
  expect(existsSync(folder)).toBe(false);
});
