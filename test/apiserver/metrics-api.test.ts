import { describe, expect, test } from 'vitest';
import { ApiServer } from '../../src/apiserver/http/api-server.ts';
import { builtInKinds } from '../../src/apiserver/kinds/built-in-kinds.ts';
import { MetricsCollector } from '../../src/apiserver/metrics-api/metrics-collector.ts';
import { metricsKinds } from '../../src/apiserver/metrics-api/metrics-kinds.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import type { KubeletDialer } from '../../src/ports/api/kubelet-dialer.ts';
import { silentLog } from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const ROOT = '/apis/metrics.k8s.io/v1beta1';
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

/** An API server whose kubelets answer with what a test writes into `usage`, by node. */
class MetricsHarness {
  readonly clock = new VirtualClock();
  readonly store = openMemoryStore({ clock: this.clock, log: silentLog });
  /** Cores by pod: constant from the start on. */
  readonly usage = new Map<string, Record<string, number>>();
  readonly scrapes: string[] = [];
  answers: (node: string) => Awaited<ReturnType<KubeletDialer['fetch']>> | 'never' = (node) => ({
    status: 200,
    headers: [],
    body: this.#text(node),
  });
  readonly collector = new MetricsCollector({
    store: this.store,
    clock: this.clock,
    log: silentLog,
    dialer: {
      connect: () => Promise.reject(new Error('not used')),
      fetch: (backend, { url }) => {
        const node = backend.type === 'kubelet' ? nameOf(backend.node) : '';
        this.scrapes.push(`${node} ${new URL(url).pathname}`);
        const answer = this.answers(node);
        return answer === 'never' ? new Promise(() => {}) : Promise.resolve(answer);
      },
    },
  });
  readonly server = new ApiServer({
    store: this.store,
    clock: this.clock,
    random: seededRandom(1),
    log: silentLog,
    kinds: [
      ...builtInKinds,
      ...metricsKinds({ store: this.store, clock: this.clock, collector: this.collector }),
    ],
    version: {},
  });

  #text(node: string): string {
    const ms = this.clock.now();
    const seconds = this.clock.monotonic() / 1000 + 100;
    const lines = Object.entries(this.usage.get(node) ?? {}).flatMap(([pod, cores]) => {
      const labels = `{container="main",namespace="default",pod="${pod}"}`;
      return [
        `container_cpu_usage_seconds_total${labels} ${cores * seconds} ${ms}`,
        `container_memory_working_set_bytes${labels} 2097152 ${ms}`,
        `container_start_time_seconds${labels} 1`,
      ];
    });
    const own = [
      `node_cpu_usage_seconds_total ${1.5 * seconds} ${ms}`,
      `node_memory_working_set_bytes 1073741824 ${ms}`,
    ];
    return [...own, ...lines, ''].join('\n');
  }

  async create(path: string, body: JsonObject): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const { status } = await this.server.fetch(new Request(`http://podkeep${path}`, init));
    if (status !== 201) throw new Error(`${path} was answered with ${status}`);
  }

  /** Lets time pass until the answer is there. */
  async get(path: string, headers: Record<string, string> = {}): Promise<JsonObject> {
    const request = new Request(`http://podkeep${ROOT}${path}`, { headers });
    const answer = this.server.fetch(request);
    await this.clock.pass(20_000);
    return (await (await answer).json()) as JsonObject;
  }

  static async open(): Promise<MetricsHarness> {
    const harness = new MetricsHarness();
    await harness.create('/api/v1/namespaces', { metadata: { name: 'default' } });
    await harness.create('/api/v1/namespaces', { metadata: { name: 'other' } });
    const account = { metadata: { name: 'default' } };
    await harness.create('/api/v1/namespaces/default/serviceaccounts', account);
    for (const name of ['a', 'b']) await harness.create('/api/v1/nodes', { metadata: { name } });
    await harness.pod('web', 'a');
    await harness.pod('idle', 'b');
    harness.usage.set('a', { web: 0.3 });
    harness.usage.set('b', { idle: 0.001 });
    return harness;
  }

  async pod(name: string, nodeName: string): Promise<void> {
    await this.create('/api/v1/namespaces/default/pods', {
      metadata: { name, labels: { app: name } },
      spec: { nodeName, containers: [{ name: 'main', image: 'sh' }] },
    });
  }
}

function nameOf(object: JsonObject): string {
  const { metadata } = object as { metadata: { name: string } };
  return metadata.name;
}

function namesIn({ items }: JsonObject): readonly string[] {
  return (items as JsonObject[]).map(nameOf);
}

describe('answers', () => {
  test('the usage of a pod, from its kubelet', async () => {
    const harness = await MetricsHarness.open();
    const answer = await harness.get('/namespaces/default/pods/web');
    expect(answer).toEqual({
      kind: 'PodMetrics',
      apiVersion: 'metrics.k8s.io/v1beta1',
      metadata: {
        name: 'web',
        namespace: 'default',
        creationTimestamp: '2030-01-02T03:04:08Z',
        labels: { app: 'web' },
      },
      timestamp: '2030-01-02T03:04:08Z',
      window: '3s',
      containers: [{ name: 'main', usage: { cpu: '300m', memory: '2Mi' } }],
    });
    expect(harness.scrapes.slice(0, 2)).toEqual(['a /metrics/resource', 'b /metrics/resource']);
  });

  test('the usage of nodes', async () => {
    const harness = await MetricsHarness.open();
    expect(await harness.get('/nodes')).toMatchObject({
      kind: 'NodeMetricsList',
      metadata: {},
      items: [
        { metadata: { name: 'a' }, window: '3s', usage: { cpu: '1500m', memory: '1Gi' } },
        { metadata: { name: 'b' } },
      ],
    });
  });

  test.each([
    ['/pods', ['idle', 'web']],
    ['/namespaces/other/pods', []],
    ['/pods?labelSelector=app%3Dweb', ['web']],
    ['/namespaces/default/pods?fieldSelector=metadata.name%3Didle', ['idle']],
  ])('lists %s', async (path, names) => {
    const harness = await MetricsHarness.open();
    expect(namesIn(await harness.get(path))).toEqual(names);
  });

  test('a table as metrics-server prints it', async () => {
    const harness = await MetricsHarness.open();
    const { columnDefinitions, rows } = await harness.get('/namespaces/default/pods', TABLE);
    const columns = (columnDefinitions as JsonObject[]).map(({ name }) => name);
    expect(columns).toEqual(['Name', 'cpu', 'memory', 'Window']);
    const cells = (rows as JsonObject[]).map((row) => row['cells']);
    expect(cells).toEqual([
      ['idle', '1m', '2Mi', '3s'],
      ['web', '300m', '2Mi', '3s'],
    ]);
  });

  test('that a pod or node does not exist, or has no metrics yet', async () => {
    const harness = await MetricsHarness.open();
    await harness.pod('late', 'a');
    const messageOf = async (path: string) => (await harness.get(path))['message'];
    expect(await messageOf('/namespaces/default/pods/none')).toBe('pods "none" not found');
    expect(await messageOf('/namespaces/default/pods/late')).toBe(
      'podmetrics.metrics.k8s.io "default/late" not found',
    );
    harness.answers = () => ({ status: 500, headers: [], body: '' });
    await harness.clock.pass(20_000);
    expect(await messageOf('/nodes/a')).toBe('nodemetrics.metrics.k8s.io "a" not found');
  });

  test('in discovery and OpenAPI', async () => {
    const harness = await MetricsHarness.open();
    const resources = (await harness.get(''))['resources'] as JsonObject[];
    expect(resources.map(({ name, kind, verbs }) => [name, kind, verbs])).toEqual([
      ['nodes', 'NodeMetrics', ['get', 'list']],
      ['pods', 'PodMetrics', ['get', 'list']],
    ]);
    expect(harness.scrapes).toEqual([]);
  });
});

describe('kubelets', () => {
  test('are asked every 15 s while a client asks, and not at all a minute later', async () => {
    const harness = await MetricsHarness.open();
    await harness.clock.pass(600_000);
    expect(harness.scrapes).toEqual([]);
    await harness.get('/nodes');
    // Two at once, and one after 15 s.
    expect(harness.scrapes).toHaveLength(6);
    await harness.clock.pass(600_000);
    const count = harness.scrapes.length;
    expect(count).toBeLessThanOrEqual(14);
    await harness.clock.pass(600_000);
    expect(harness.scrapes).toHaveLength(count);
    expect(harness.clock.pending).toBe(0);
  });

  test('are measured over 15 s once the collector runs', async () => {
    const harness = await MetricsHarness.open();
    await harness.get('/nodes');
    expect(await harness.get('/namespaces/default/pods/web')).toMatchObject({ window: '15s' });
  });

  test('that do not answer hold up no other', async () => {
    const harness = await MetricsHarness.open();
    const { answers } = harness;
    harness.answers = (node) => (node === 'b' ? 'never' : answers(node));
    expect(namesIn(await harness.get('/nodes'))).toEqual(['a']);
  });

  test('report the usage of their own pods only', async () => {
    const harness = await MetricsHarness.open();
    harness.usage.set('b', { web: 64, idle: 0.001 });
    const { containers } = await harness.get('/namespaces/default/pods/web');
    expect(containers).toMatchObject([{ usage: { cpu: '300m' } }]);
  });

  test('cannot fill the memory of the API server', async () => {
    const harness = await MetricsHarness.open();
    let sent = 0;
    const chunk = new Uint8Array(1024 * 1024);
    harness.answers = () => ({
      status: 200,
      headers: [],
      body: new ReadableStream({
        pull: (controller) => {
          sent += 1;
          controller.enqueue(chunk);
        },
      }),
    });
    expect(namesIn(await harness.get('/nodes'))).toEqual([]);
    expect(sent).toBeLessThan(200);
  });

  test('are not waited for when the server stops', async () => {
    const harness = await MetricsHarness.open();
    const answer = harness.server.fetch(new Request(`http://podkeep${ROOT}/nodes`));
    await harness.clock.pass(1000);
    harness.collector.stop();
    expect((await answer).status).toBe(200);
    const count = harness.scrapes.length;
    await harness.clock.pass(60_000);
    expect(harness.scrapes).toHaveLength(count);
  });
});
