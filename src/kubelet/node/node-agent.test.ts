import { describe, expect, test } from 'vitest';
import { nodeSettings } from '../../../test/support/node-parts.ts';
import { NodeStage, readyOf, refusal } from '../../../test/support/node-stage.ts';

const MINUTE = 60_000;
const STATUS = 'PATCH /api/v1/nodes/n1/status';
const GET = 'GET /api/v1/nodes/n1';
const POST = 'POST /api/v1/nodes';

function isWrite(said: readonly string[]): readonly string[] {
  return said.filter((one) => !one.startsWith('GET'));
}

describe('registration', () => {
  test('makes the Node with its whole status, and tells what is well', async () => {
    const stage = new NodeStage();
    const agent = await stage.run();
    await agent.registered;
    expect(stage.said()).toEqual([POST]);
    expect(readyOf(agent.node())).toMatchObject({ status: 'True', reason: 'KubeletReady' });
    expect(agent.allocatable()).toMatchObject({ cpu: '2', pods: '110' });
    expect(agent.capacity()).toMatchObject({ memory: '24684100Ki' });
    expect(agent.hostIPs()).toEqual(['192.0.2.5']);
    expect(stage.events).toEqual([
      'Normal Starting: Starting kubelet.',
      'Normal NodeHasSufficientMemory: Node n1 status is now: NodeHasSufficientMemory',
      'Normal NodeHasNoDiskPressure: Node n1 status is now: NodeHasNoDiskPressure',
      'Normal NodeHasSufficientPID: Node n1 status is now: NodeHasSufficientPID',
      'Normal NodeReady: Node n1 status is now: NodeReady',
    ]);
  });

  test('is tried again after 100 ms, doubled up to 7 s', async () => {
    const stage = new NodeStage();
    stage.fault = () => new Error('connection refused');
    const agent = await stage.run();
    await stage.clock.pass(30_000);
    const times = stage.requests.map(({ atMs }) => atMs);
    expect(times).toEqual([0, 100, 300, 700, 1500, 3100, 6300, 12_700, 19_700, 26_700]);
    expect(stage.events).toEqual(['Normal Starting: Starting kubelet.']);
    stage.fault = () => null;
    await stage.clock.pass(7000);
    await agent.registered;
  });

  test('an existing Node is set right, and keeps what others wrote', async () => {
    const stage = new NodeStage();
    const labels = { 'kubernetes.io/hostname': 'old', team: 'a' };
    stage.change({ metadata: { name: 'n1', labels }, spec: { unschedulable: true } });
    const agent = await stage.run();
    expect(stage.said()).toEqual([POST, GET, STATUS, STATUS]);
    expect(agent.node()).toMatchObject({
      metadata: {
        labels: { 'kubernetes.io/hostname': 'n1', 'kubernetes.io/os': 'linux', team: 'a' },
        annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
      },
      spec: { unschedulable: true },
    });
    expect(readyOf(agent.node())).toMatchObject({ status: 'True' });
    expect(stage.events.at(-1)).toBe(
      'Normal NodeNotSchedulable: Node n1 status is now: NodeNotSchedulable',
    );
  });

  test('who may not make Nodes uses the one that is there, and else waits for it', async () => {
    const stage = new NodeStage();
    stage.fault = ({ method }) => (method === 'POST' ? refusal(403, 'Forbidden') : null);
    const agent = await stage.run();
    expect(agent.node()).toBeNull();
    stage.change({ metadata: { name: 'n1' } });
    await stage.clock.pass(100);
    await agent.registered;
    expect(readyOf(agent.node())).toMatchObject({ status: 'True' });
  });

  test('a node that is not to register itself waits for its Node', async () => {
    const stage = new NodeStage();
    const agent = await stage.run({ settings: nodeSettings({ registerNode: false }) });
    await stage.clock.pass(MINUTE);
    expect(isWrite(stage.said())).toEqual([]);
    stage.change({ metadata: { name: 'n1' } });
    stage.handlers.added?.(stage.node ?? {});
    await agent.registered;
    await stage.clock.pass(11_000);
    expect(readyOf(stage.node)).toMatchObject({ status: 'True' });
  });

  test('a Node that is deleted comes back, with a lease that belongs to it', async () => {
    const stage = new NodeStage();
    const agent = await stage.run();
    await stage.clock.pass(1000);
    stage.said();
    const old = stage.node;
    stage.node = null;
    stage.handlers.deleted?.(old ?? {});
    await stage.clock.pass(1);
    expect(stage.said()).toEqual([GET, POST]);
    expect(agent.node()?.['metadata']).not.toMatchObject({ uid: old?.metadata['uid'] });
    await stage.clock.pass(11_000);
    expect(stage.lease).toMatchObject({
      metadata: {
        ownerReferences: [{ kind: 'Node', uid: stage.node?.['metadata'] && uid(stage) }],
      },
    });
  });

  test('news of an empty list are doubted, not believed', async () => {
    const stage = new NodeStage();
    const agent = await stage.run();
    await stage.clock.pass(1000);
    stage.said();
    stage.handlers.listed?.([]);
    expect(agent.node()).not.toBeNull();
    await stage.clock.pass(1);
    expect(stage.said()).toEqual([GET]);
  });

  test('settings that make no sense are refused at once', () => {
    const stage = new NodeStage();
    const agentWith = (settings: Parameters<typeof nodeSettings>[0]) => () =>
      stage.agent({ settings: nodeSettings(settings) });
    expect(agentWith({ evictionHard: { 'memory.available': 'x' } })).toThrow('eviction threshold');
    expect(agentWith({ systemReserved: { cpu: 'x' } })).toThrow('x');
  });
});

function uid(stage: NodeStage): unknown {
  return stage.node?.metadata['uid'];
}

describe('status (KL-105)', () => {
  test('nothing is sent while nothing changes, until the report is due', async () => {
    const stage = new NodeStage();
    const agent = await stage.run();
    stage.said();
    await stage.clock.pass(299_000);
    expect(stage.said()).toEqual([]);
    await stage.clock.pass(12_000);
    expect(stage.said()).toEqual([STATUS]);
    await stage.clock.pass(298_000);
    expect(stage.said()).toEqual([]);
    await stage.clock.pass(14_000);
    expect(stage.said()).toEqual([STATUS]);
    expect(readyOf(agent.node())?.['lastHeartbeatTime']).not.toEqual(
      readyOf(agent.node())?.['lastTransitionTime'],
    );
  });

  test('a change that is told is sent at once', async () => {
    const stage = new NodeStage();
    const agent = await stage.run();
    await stage.clock.pass(5000);
    stage.said();
    stage.reasons = ['PLEG is not healthy: it is late'];
    agent.changed();
    agent.changed();
    await stage.clock.pass(1);
    expect(stage.said()).toEqual([STATUS]);
    expect(readyOf(stage.node)).toMatchObject({
      status: 'False',
      reason: 'KubeletNotReady',
      message: 'PLEG is not healthy: it is late',
    });
    expect(stage.events.at(-1)).toBe('Normal NodeNotReady: Node n1 status is now: NodeNotReady');
  });

  test('a change that nobody told is found within ten seconds', async () => {
    const stage = new NodeStage();
    await stage.run();
    await stage.clock.pass(1000);
    stage.reasons = ['x'];
    await stage.clock.pass(10_300);
    expect(readyOf(stage.node)).toMatchObject({ status: 'False' });
  });

  test('the Node that the watch shows is what the next patch builds on', async () => {
    const stage = new NodeStage();
    const agent = await stage.run();
    const before = stage.node;
    stage.change({ metadata: { ...stage.node?.metadata, labels: { team: 'b' } } });
    stage.handlers.updated?.(before ?? {}, stage.node ?? {});
    expect(agent.node()).toMatchObject({ metadata: { labels: { team: 'b' } } });
    stage.handlers.updated?.(before ?? {}, before ?? {});
    expect(agent.node()).toMatchObject({ metadata: { labels: { team: 'b' } } });
    await stage.clock.pass(10_400);
    expect(stage.node?.metadata['labels']).toEqual({
      team: 'b',
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
    });
  });

  test('a refused write is tried five times, from the second on with a read', async () => {
    const stage = new NodeStage();
    const agent = await stage.run();
    await stage.clock.pass(1000);
    stage.said();
    stage.reasons = ['x'];
    stage.fault = ({ method }) => (method === 'PATCH' ? refusal(409, 'Conflict') : null);
    agent.changed();
    await stage.clock.pass(1);
    expect(stage.said()).toEqual([STATUS, GET, STATUS, GET, STATUS, GET, STATUS, GET, STATUS]);
    stage.fault = () => null;
    await stage.clock.pass(11_000);
    expect(stage.said()).toEqual([STATUS]);
  });

  test('a server that asks for patience gets it', async () => {
    const stage = new NodeStage();
    const agent = await stage.run();
    await stage.clock.pass(1000);
    stage.said();
    stage.reasons = ['x'];
    stage.fault = () => refusal(429, 'TooManyRequests', 1000);
    agent.changed();
    await stage.clock.pass(1);
    expect(stage.said()).toEqual([STATUS]);
  });

  test('a minute without an API server is survived', async () => {
    const stage = new NodeStage();
    await stage.run();
    await stage.clock.pass(20_000);
    stage.fault = () => new Error('connection refused');
    stage.reasons = ['x'];
    await stage.clock.pass(MINUTE);
    stage.fault = () => null;
    await stage.clock.pass(11_000);
    expect(readyOf(stage.node)).toMatchObject({ status: 'False', message: 'x' });
    const age = stage.clock.now() - Date.parse(String(renewTime(stage)));
    expect(age).toBeLessThanOrEqual(11_000);
  });

  test('a request that is never answered is given up after ten seconds (KL-107)', async () => {
    const stage = new NodeStage();
    const agent = await stage.run();
    await stage.clock.pass(1000);
    stage.said();
    stage.reasons = ['x'];
    stage.fault = ({ method }) => (method === 'PATCH' ? new Promise(() => {}) : null);
    agent.changed();
    await stage.clock.pass(9999);
    expect(stage.said()).toEqual([STATUS]);
    await stage.clock.pass(2);
    expect(stage.said()).toEqual([GET, STATUS]);
  });
});

function renewTime(stage: NodeStage): unknown {
  const { renewTime } = (stage.lease?.['spec'] ?? {}) as { renewTime?: unknown };
  return renewTime;
}

describe('the start (KL-108)', () => {
  test('a node that becomes ready says so within 100 ms', async () => {
    const stage = new NodeStage();
    stage.reasons = ['container runtime status check may not have completed yet'];
    let checks = 0;
    await stage.run({ checkRuntime: () => Promise.resolve(void (checks += 1)) });
    await stage.clock.pass(950);
    expect(checks).toBeGreaterThan(5);
    stage.said();
    stage.reasons = [];
    await stage.clock.pass(100);
    expect(stage.said()).toEqual([STATUS]);
    expect(readyOf(stage.node)).toMatchObject({ status: 'True' });
    const before = checks;
    await stage.clock.pass(5000);
    expect(checks).toBe(before);
  });

  test('after two minutes it is polled as seldom as any other node', async () => {
    const stage = new NodeStage();
    stage.reasons = ['x'];
    await stage.run();
    await stage.clock.pass(121_000);
    await stage.clock.pass(1000);
    stage.said();
    stage.reasons = [];
    let waitedMs = 0;
    for (; stage.said().length === 0 && waitedMs < MINUTE; waitedMs += 100) {
      await stage.clock.pass(100);
    }
    expect(waitedMs).toBeGreaterThan(200);
    expect(waitedMs).toBeLessThan(11_000);
  });
});

describe('pressure', () => {
  test('comes within ten seconds, and goes five minutes after it was last seen', async () => {
    const stage = new NodeStage();
    const agent = await stage.run();
    stage.freeBytes = 1;
    await stage.clock.pass(10_200);
    expect([...agent.pressures()]).toEqual(['DiskPressure']);
    expect(stage.events.at(-1)).toContain('NodeHasDiskPressure');
    stage.freeBytes = 50 * 1024 ** 3;
    await stage.clock.pass(4 * MINUTE);
    expect([...agent.pressures()]).toEqual(['DiskPressure']);
    await stage.clock.pass(MINUTE + 11_000);
    expect([...agent.pressures()]).toEqual([]);
    expect(stage.events.at(-1)).toContain('NodeHasNoDiskPressure');
  });

  test('a node that starts in trouble says so from the start', async () => {
    const stage = new NodeStage();
    stage.freeBytes = 1;
    await stage.run();
    expect(stage.events.join()).toContain('NodeHasDiskPressure');
    expect(stage.events.join()).not.toContain('NodeHasNoDiskPressure');
  });
});

describe('what hangs or fails', () => {
  test('a machine that does not answer does not keep the node from registering', async () => {
    const stage = new NodeStage();
    const never = () => new Promise<never>(() => {});
    const machine = { info: never, usage: never, fileSystem: never };
    const agent = await stage.run({ machine });
    await stage.clock.pass(2500);
    await agent.registered;
    expect(readyOf(stage.node)).toMatchObject({
      status: 'False',
      message: 'missing node capacity for resources: ephemeral-storage',
    });
  });

  test('limits that cannot be set yet are tried again every minute', async () => {
    const stage = new NodeStage();
    const limits: unknown[] = [];
    await stage.run({
      enforceAllocatable: (allocatable) => {
        limits.push(allocatable['pods']);
        return limits.length < 2 ? Promise.reject(new Error('busy')) : Promise.resolve();
      },
    });
    await stage.clock.pass(2 * MINUTE);
    expect(limits).toEqual(['110', '110']);
    expect(stage.events.filter((one) => one.includes('Enforce'))).toEqual([
      'Warning FailedNodeAllocatableEnforcement: Failed to update Node Allocatable Limits: busy',
      'Normal NodeAllocatableEnforced: Updated Node Allocatable limit across pods',
    ]);
  });

  test.each([0, 50, 500, 20_000])('after a stop at %d ms nothing happens', async (ms) => {
    const stage = new NodeStage();
    if (ms === 50) stage.fault = () => new Error('connection refused');
    const agent = await stage.run();
    await stage.clock.pass(ms);
    await agent.stop();
    stage.requests.length = 0;
    expect(stage.clock.pending).toBe(0);
    agent.changed();
    agent.start();
    await stage.clock.pass(10 * MINUTE);
    expect(stage.requests).toEqual([]);
  });
});
