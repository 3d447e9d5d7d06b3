import type { Pressure } from '../../core/eviction/eviction-signal.ts';
import { describe, expect, test } from 'vitest';
import { nodeSettings } from '../../../test/support/node-parts.ts';
import { NodeHarness, readyOf, refusal } from '../../../test/support/node-harness.ts';

const MINUTE = 60_000;
const STATUS = 'PATCH /api/v1/nodes/n1/status';
const GET = 'GET /api/v1/nodes/n1';
const POST = 'POST /api/v1/nodes';

function isWrite(given: readonly string[]): readonly string[] {
  return given.filter((one) => !one.startsWith('GET'));
}

describe('registration', () => {
  test('creates the Node with its whole status, and records Events', async () => {
    const harness = new NodeHarness();
    const agent = await harness.run();
    await agent.registered;
    expect(harness.given()).toEqual([POST]);
    expect(readyOf(agent.node())).toMatchObject({ status: 'True', reason: 'KubeletReady' });
    expect(agent.allocatable()).toMatchObject({ cpu: '2', pods: '110' });
    expect(agent.capacity()).toMatchObject({ memory: '24684100Ki' });
    expect(agent.hostIPs()).toEqual(['192.0.2.5']);
    expect(harness.events).toEqual([
      'Normal Starting: Starting kubelet.',
      'Normal NodeHasSufficientMemory: Node n1 status is now: NodeHasSufficientMemory',
      'Normal NodeHasNoDiskPressure: Node n1 status is now: NodeHasNoDiskPressure',
      'Normal NodeHasSufficientPID: Node n1 status is now: NodeHasSufficientPID',
      'Normal NodeReady: Node n1 status is now: NodeReady',
    ]);
  });

  test('is tried again after 100 ms, doubled up to 7 s', async () => {
    const harness = new NodeHarness();
    harness.fault = () => new Error('connection refused');
    const agent = await harness.run();
    await harness.clock.pass(30_000);
    const times = harness.requests.map(({ atMs }) => atMs);
    expect(times).toEqual([0, 100, 300, 700, 1500, 3100, 6300, 12_700, 19_700, 26_700]);
    expect(harness.events).toEqual(['Normal Starting: Starting kubelet.']);
    harness.fault = () => null;
    await harness.clock.pass(7000);
    await agent.registered;
  });

  test('an existing Node is corrected, and keeps what others wrote', async () => {
    const harness = new NodeHarness();
    const labels = { 'kubernetes.io/hostname': 'old', team: 'a' };
    harness.change({ metadata: { name: 'n1', labels }, spec: { unschedulable: true } });
    const agent = await harness.run();
    expect(harness.given()).toEqual([POST, GET, STATUS, STATUS]);
    expect(agent.node()).toMatchObject({
      metadata: {
        labels: { 'kubernetes.io/hostname': 'n1', 'kubernetes.io/os': 'linux', team: 'a' },
        annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
      },
      spec: { unschedulable: true },
    });
    expect(readyOf(agent.node())).toMatchObject({ status: 'True' });
    expect(harness.events.at(-1)).toBe(
      'Normal NodeNotSchedulable: Node n1 status is now: NodeNotSchedulable',
    );
  });

  test('a kubelet that may not create Nodes uses the existing one, or else waits for it', async () => {
    const harness = new NodeHarness();
    harness.fault = ({ method }) => (method === 'POST' ? refusal(403, 'Forbidden') : null);
    const agent = await harness.run();
    expect(agent.node()).toBeNull();
    harness.change({ metadata: { name: 'n1' } });
    await harness.clock.pass(100);
    await agent.registered;
    expect(readyOf(agent.node())).toMatchObject({ status: 'True' });
  });

  test('a node that is not to register itself waits for its Node', async () => {
    const harness = new NodeHarness();
    const agent = await harness.run({ settings: nodeSettings({ registerNode: false }) });
    await harness.clock.pass(MINUTE);
    expect(isWrite(harness.given())).toEqual([]);
    harness.change({ metadata: { name: 'n1' } });
    harness.handlers.added?.(harness.node ?? {});
    await agent.registered;
    await harness.clock.pass(11_000);
    expect(readyOf(harness.node)).toMatchObject({ status: 'True' });
  });

  test('a deleted Node comes back, with a lease that it owns', async () => {
    const harness = new NodeHarness();
    const agent = await harness.run();
    await harness.clock.pass(1000);
    harness.given();
    const old = harness.node;
    harness.node = null;
    harness.handlers.deleted?.(old ?? {});
    await harness.clock.pass(1);
    expect(harness.given()).toEqual([GET, POST]);
    expect(agent.node()?.['metadata']).not.toMatchObject({ uid: old?.metadata['uid'] });
    await harness.clock.pass(11_000);
    expect(harness.lease).toMatchObject({
      metadata: {
        ownerReferences: [{ kind: 'Node', uid: harness.node?.['metadata'] && uid(harness) }],
      },
    });
  });

  test('an empty list from the watch is verified first', async () => {
    const harness = new NodeHarness();
    const agent = await harness.run();
    await harness.clock.pass(1000);
    harness.given();
    harness.handlers.listed?.([]);
    expect(agent.node()).not.toBeNull();
    await harness.clock.pass(1);
    expect(harness.given()).toEqual([GET]);
  });

  test('invalid settings are refused at once', () => {
    const harness = new NodeHarness();
    const agentWith = (settings: Parameters<typeof nodeSettings>[0]) => () =>
      harness.agent({ settings: nodeSettings(settings) });
    expect(agentWith({ evictionHard: { 'memory.available': 'x' } })).toThrow(
      'quantity "x" is not valid',
    );
    expect(agentWith({ systemReserved: { cpu: 'x' } })).toThrow('x');
  });
});

function uid(harness: NodeHarness): unknown {
  return harness.node?.metadata['uid'];
}

describe('status (KL-105)', () => {
  test('nothing is sent while nothing changes, until the report is due', async () => {
    const harness = new NodeHarness();
    const agent = await harness.run();
    harness.given();
    await harness.clock.pass(299_000);
    expect(harness.given()).toEqual([]);
    await harness.clock.pass(12_000);
    expect(harness.given()).toEqual([STATUS]);
    await harness.clock.pass(298_000);
    expect(harness.given()).toEqual([]);
    await harness.clock.pass(14_000);
    expect(harness.given()).toEqual([STATUS]);
    expect(readyOf(agent.node())?.['lastHeartbeatTime']).not.toEqual(
      readyOf(agent.node())?.['lastTransitionTime'],
    );
  });

  test('a reported change is sent at once', async () => {
    const harness = new NodeHarness();
    const agent = await harness.run();
    await harness.clock.pass(5000);
    harness.given();
    harness.reasons = ['PLEG is not healthy: it is late'];
    agent.changed();
    agent.changed();
    await harness.clock.pass(1);
    expect(harness.given()).toEqual([STATUS]);
    expect(readyOf(harness.node)).toMatchObject({
      status: 'False',
      reason: 'KubeletNotReady',
      message: 'PLEG is not healthy: it is late',
    });
    expect(harness.events.at(-1)).toBe('Normal NodeNotReady: Node n1 status is now: NodeNotReady');
  });

  test('a change that is not reported is found within ten seconds', async () => {
    const harness = new NodeHarness();
    await harness.run();
    await harness.clock.pass(1000);
    harness.reasons = ['x'];
    await harness.clock.pass(10_300);
    expect(readyOf(harness.node)).toMatchObject({ status: 'False' });
  });

  test('the next patch builds on the Node from the watch', async () => {
    const harness = new NodeHarness();
    const agent = await harness.run();
    const before = harness.node;
    harness.change({ metadata: { ...harness.node?.metadata, labels: { team: 'b' } } });
    harness.handlers.updated?.(before ?? {}, harness.node ?? {});
    expect(agent.node()).toMatchObject({ metadata: { labels: { team: 'b' } } });
    harness.handlers.updated?.(before ?? {}, before ?? {});
    expect(agent.node()).toMatchObject({ metadata: { labels: { team: 'b' } } });
    await harness.clock.pass(10_400);
    expect(harness.node?.metadata['labels']).toEqual({
      team: 'b',
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
    });
  });

  test('a refused write is tried five times, from the second on with a read', async () => {
    const harness = new NodeHarness();
    const agent = await harness.run();
    await harness.clock.pass(1000);
    harness.given();
    harness.reasons = ['x'];
    harness.fault = ({ method }) => (method === 'PATCH' ? refusal(409, 'Conflict') : null);
    agent.changed();
    await harness.clock.pass(1);
    expect(harness.given()).toEqual([STATUS, GET, STATUS, GET, STATUS, GET, STATUS, GET, STATUS]);
    harness.fault = () => null;
    await harness.clock.pass(11_000);
    expect(harness.given()).toEqual([STATUS]);
  });

  test('a Retry-After of the server is respected', async () => {
    const harness = new NodeHarness();
    const agent = await harness.run();
    await harness.clock.pass(1000);
    harness.given();
    harness.reasons = ['x'];
    harness.fault = () => refusal(429, 'TooManyRequests', 1000);
    agent.changed();
    await harness.clock.pass(1);
    expect(harness.given()).toEqual([STATUS]);
  });

  test('a minute without an API server is survived', async () => {
    const harness = new NodeHarness();
    await harness.run();
    await harness.clock.pass(20_000);
    harness.fault = () => new Error('connection refused');
    harness.reasons = ['x'];
    await harness.clock.pass(MINUTE);
    harness.fault = () => null;
    await harness.clock.pass(11_000);
    expect(readyOf(harness.node)).toMatchObject({ status: 'False', message: 'x' });
    const age = harness.clock.now() - Date.parse(String(renewTime(harness)));
    expect(age).toBeLessThanOrEqual(11_000);
  });

  test('a request that is never answered is given up after ten seconds (KL-107)', async () => {
    const harness = new NodeHarness();
    const agent = await harness.run();
    await harness.clock.pass(1000);
    harness.given();
    harness.reasons = ['x'];
    harness.fault = ({ method }) => (method === 'PATCH' ? new Promise(() => {}) : null);
    agent.changed();
    await harness.clock.pass(9999);
    expect(harness.given()).toEqual([STATUS]);
    await harness.clock.pass(2);
    expect(harness.given()).toEqual([GET, STATUS]);
  });
});

function renewTime(harness: NodeHarness): unknown {
  const { renewTime } = (harness.lease?.['spec'] ?? {}) as { renewTime?: unknown };
  return renewTime;
}

describe('the start (KL-108)', () => {
  test('a node that becomes ready reports it within 100 ms', async () => {
    const harness = new NodeHarness();
    harness.reasons = ['container runtime status check may not have completed yet'];
    let checks = 0;
    await harness.run({ checkRuntime: () => Promise.resolve(void (checks += 1)) });
    await harness.clock.pass(950);
    expect(checks).toBeGreaterThan(5);
    harness.given();
    harness.reasons = [];
    await harness.clock.pass(100);
    expect(harness.given()).toEqual([STATUS]);
    expect(readyOf(harness.node)).toMatchObject({ status: 'True' });
    const before = checks;
    await harness.clock.pass(5000);
    expect(checks).toBe(before);
  });

  test('after two minutes a node that is not ready is checked at the normal interval', async () => {
    const harness = new NodeHarness();
    harness.reasons = ['x'];
    await harness.run();
    await harness.clock.pass(121_000);
    await harness.clock.pass(1000);
    harness.given();
    harness.reasons = [];
    let waitedMs = 0;
    for (; harness.given().length === 0 && waitedMs < MINUTE; waitedMs += 100) {
      await harness.clock.pass(100);
    }
    expect(waitedMs).toBeGreaterThan(200);
    expect(waitedMs).toBeLessThan(11_000);
  });
});

describe('pressure', () => {
  test('is reported as soon as the eviction manager has it', async () => {
    const harness = new NodeHarness();
    const agent = await harness.run();
    await harness.clock.pass(1000);
    harness.pressures = new Set(['DiskPressure']);
    agent.changed();
    await harness.clock.pass(200);
    expect([...agent.pressures()]).toEqual(['DiskPressure']);
    expect(harness.events.at(-1)).toContain('NodeHasDiskPressure');
    harness.pressures = new Set();
    agent.changed();
    await harness.clock.pass(200);
    expect(harness.events.at(-1)).toContain('NodeHasNoDiskPressure');
  });

  test('a node that starts under pressure reports it from the start', async () => {
    const harness = new NodeHarness();
    const pressures = (): ReadonlySet<Pressure> => harness.pressures;
    const observe = async (): Promise<void> => {
      harness.pressures = new Set(['DiskPressure']);
    };
    await harness.run({ eviction: { pressures, observe } });
    expect(harness.events.join()).toContain('NodeHasDiskPressure');
    expect(harness.events.join()).not.toContain('NodeHasNoDiskPressure');
  });
});

describe('dependencies that hang or fail', () => {
  test('a machine that does not answer does not stop the node from registering', async () => {
    const harness = new NodeHarness();
    const never = () => new Promise<never>(() => {});
    const machine = { info: never, usage: never, fileSystem: never };
    const agent = await harness.run({ machine });
    await harness.clock.pass(2500);
    await agent.registered;
    expect(readyOf(harness.node)).toMatchObject({
      status: 'False',
      message: 'missing node capacity for resources: ephemeral-storage',
    });
  });

  test('limits that cannot be set yet are tried again every minute', async () => {
    const harness = new NodeHarness();
    const limits: unknown[] = [];
    await harness.run({
      enforceAllocatable: (allocatable) => {
        limits.push(allocatable['pods']);
        return limits.length < 2 ? Promise.reject(new Error('busy')) : Promise.resolve();
      },
    });
    await harness.clock.pass(2 * MINUTE);
    expect(limits).toEqual(['110', '110']);
    expect(harness.events.filter((one) => one.includes('Enforce'))).toEqual([
      'Warning FailedNodeAllocatableEnforcement: Failed to update Node Allocatable Limits: busy',
      'Normal NodeAllocatableEnforced: Updated Node Allocatable limit across pods',
    ]);
  });

  test.each([0, 50, 500, 20_000])('after a stop at %d ms nothing happens', async (ms) => {
    const harness = new NodeHarness();
    if (ms === 50) harness.fault = () => new Error('connection refused');
    const agent = await harness.run();
    await harness.clock.pass(ms);
    await agent.stop();
    harness.requests.length = 0;
    expect(harness.clock.pending).toBe(0);
    agent.changed();
    agent.start();
    await harness.clock.pass(10 * MINUTE);
    expect(harness.requests).toEqual([]);
  });
});
