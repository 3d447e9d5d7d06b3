/** `podkeep kubelet` as a whole, on a private bus: an announced shutdown, a drain, and a plain stop. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startCluster } from '../../src/cli/cluster.ts';
import { readKubeletConfig, type KubeletConfig } from '../../src/cli/config/kubelet-config.ts';
import { locateDataFolder } from '../../src/cli/data-folder.ts';
import { startJoinedNode } from '../../src/cli/node/joined-node.ts';
import { createKubeApi } from '../../src/client/kube-api.ts';
import { loadKubeconfig } from '../../src/client/kubeconfig/kubeconfig.ts';
import { createHttpsTransport } from '../../src/client/transport/https-transport.ts';
import type { Pod } from '../../src/api/pod.ts';
import { systemClock as clock } from '../../src/platform/system-clock.ts';
import { silentLog } from '../support/silent-ports.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { LogindHarness, MISSING } from './logind-harness.ts';

const version = '0.0.0';
const LOCK = 'inhibit shutdown kubelet delay';
const PATIENCE = { timeout: 40_000, interval: 50 };
const PODS = '/api/v1/namespaces/default/pods';
const CLASSES = '/apis/scheduling.k8s.io/v1/priorityclasses';
const PRIORITIES = { low: 100, middle: 1000, high: 100_000 };

async function openCluster(overrides: Partial<KubeletConfig>) {
  const root = makeTempFolder();
  const folder = locateDataFolder(path.join(root, 'cluster'), {});
  const cluster = await startCluster({
    folder,
    port: 0,
    authorizationMode: 'RBAC',
    controllers: '*',
    version,
    log: silentLog,
    out: () => {},
    onOpened: () => {},
  });
  onTestFinished(() => cluster.close());
  const ports = { clock, log: silentLog, environment: {} };
  const transport = createHttpsTransport(await loadKubeconfig(folder.kubeconfig), ports);
  onTestFinished(() => transport.close());
  const api = createKubeApi(transport, { clock, version });
  const config = await readKubeletConfig(null, { port: 0, healthzPort: 0, ...overrides });
  const nodeFolder = locateDataFolder(path.join(root, 'node'), {});
  const startNode = (environment: Readonly<Record<string, string>>) =>
    startJoinedNode({
      name: 'n1',
      kubeconfig: folder.kubeconfig,
      runtime: 'simulated',
      folder: nodeFolder,
      config,
      version,
      searchPath: '',
      environment,
      log: silentLog,
    });
  for (const [name, value] of Object.entries(PRIORITIES)) {
    const body = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name } };
    await api.send({ method: 'POST', path: CLASSES, body: { ...body, value } });
  }
  const create = (name: string, priorityClassName: string) => {
    const lifecycle = { preStop: { sleep: { seconds: 1 } } };
    const containers = [{ name: 'main', image: 'busy:1', lifecycle }];
    const spec = { nodeName: 'n1', priorityClassName, containers };
    const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
    return api.send({ method: 'POST', path: PODS, body });
  };
  const pods = async (): Promise<readonly Pod[]> => {
    const { items } = await api.send({ method: 'GET', path: PODS });
    return items as unknown as readonly Pod[];
  };
  const phases = async (phase: string): Promise<number> =>
    (await pods()).filter(({ status }) => status?.phase === phase).length;
  return { api, startNode, create, pods, phases, nodeFolder };
}

function endedAtMs({ status }: Pod): number {
  return Date.parse(status?.containerStatuses?.[0]?.state?.terminated?.finishedAt ?? '');
}

describe.skipIf(MISSING.length > 0)('on a private bus', { timeout: 120_000 }, () => {
  test('at an announced shutdown twenty pods end by priority before the lock is released', async () => {
    const harness = await LogindHarness.start(60);
    const { startNode, create, pods, phases, nodeFolder } = await openCluster({
      shutdownGracePeriodByPodPriority: [
        { priority: 0, shutdownGracePeriodSeconds: 10 },
        { priority: 1000, shutdownGracePeriodSeconds: 10 },
        { priority: 100_000, shutdownGracePeriodSeconds: 10 },
      ],
    });
    const node = await startNode({ DBUS_SYSTEM_BUS_ADDRESS: harness.address });
    onTestFinished(() => node.close());
    await harness.sees(LOCK);
    const classes = Object.keys(PRIORITIES);
    for (let index = 0; index < 20; index++) await create(`p${index}`, classes[index % 3] ?? '');
    await expect.poll(() => phases('Running'), PATIENCE).toBe(20);
    harness.say('announce');
    await harness.sees('released');
    const ended = await pods();
    expect(ended).toHaveLength(20);
    for (const { status } of ended) {
      expect(status).toMatchObject({ phase: 'Failed', reason: 'Terminated' });
    }
    const times = classes.map((name) =>
      ended.filter(({ spec }) => 'priorityClassName' in spec && spec.priorityClassName === name),
    );
    const [low = [], middle = [], high = []] = times.map((group) => group.map(endedAtMs));
    expect(Math.min(...middle)).toBeGreaterThanOrEqual(Math.max(...low));
    expect(Math.min(...high)).toBeGreaterThanOrEqual(Math.max(...middle));
    const file = path.join(nodeFolder.node, 'graceful_node_shutdown_state');
    expect(readFileSync(file, 'utf8')).toMatch(/^\{"startTime":"2\S+","endTime":"2\S+"\}$/);
  });
});

test(
  'a plain stop leaves pods as they are, and a drain ends them',
  { timeout: 120_000 },
  async () => {
    const { startNode, create, pods, phases } = await openCluster({});
    const node = await startNode({});
    await create('low', 'low');
    await create('high', 'high');
    await expect.poll(() => phases('Running'), PATIENCE).toBe(2);
    await node.stop();
    expect(await phases('Running')).toBe(2);
    await node.close();
    const next = await startNode({});
    await expect.poll(() => next.runningPods().length, PATIENCE).toBe(2);
    await next.drain();
    const reasons = (await pods()).map(({ status }) => `${status?.phase} ${status?.reason}`);
    expect(reasons).toEqual(['Failed Terminated', 'Failed Terminated']);
    await next.stop();
    await next.close();
  },
);
