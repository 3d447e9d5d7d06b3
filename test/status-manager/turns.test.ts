/** The order of writes: coalescing, the window, the two lanes and the client limit, end to end. */
import { describe, expect, test } from 'vitest';
import { StatusHarness, statusOf, type Sent } from './status-harness.ts';

function startedHarness(
  options: ConstructorParameters<typeof StatusHarness>[0] = {},
): StatusHarness {
  const harness = new StatusHarness(options);
  harness.manager.start();
  return harness;
}

/** The most requests that were under way at once. */
function mostAtOnce(sent: readonly Sent[]): number {
  const steps = sent
    .flatMap(({ atMs, endedMs }) => [
      { atMs, by: 1 },
      { atMs: endedMs ?? Infinity, by: -1 },
    ])
    .toSorted((a, b) => a.atMs - b.atMs || a.by - b.by);
  let [now, most] = [0, 0];
  for (const { by } of steps) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

function restartsInApi(harness: StatusHarness, name: string): number | undefined {
  return harness.get(name).status?.containerStatuses?.[0]?.restartCount;
}

describe('coalescing', () => {
  test('changes in one go are one write, of the last version (SM-3)', async () => {
    const harness = startedHarness();
    harness.create('web');
    for (let restarts = 1; restarts <= 50; restarts++) {
      harness.say('web', statusOf('Running', { restarts }));
    }
    await harness.settle();
    expect(harness.takeSent()).toEqual(['patch web']);
    expect(restartsInApi(harness, 'web')).toBe(50);
  });

  test('F-4, SM-63: changes during a write are one more write, right after it', async () => {
    const harness = startedHarness();
    harness.create('web');
    harness.fault = () => ({ latencyMs: 100 });
    harness.say('web', statusOf('Running'));
    await harness.clock.pass(10);
    for (let restarts = 1; restarts <= 50; restarts++) {
      harness.say('web', statusOf('Running', { restarts }));
      await harness.clock.pass(1);
    }
    await harness.clock.pass(1000);
    expect(harness.sent.map(({ atMs }) => atMs)).toEqual([0, 100]);
    expect(restartsInApi(harness, 'web')).toBe(50);
  });

  test('a status that changed and changed back during a write needs no second one', async () => {
    const harness = startedHarness();
    harness.create('web');
    harness.running.add('web');
    harness.fault = () => ({ latencyMs: 100 });
    harness.say('web', statusOf('Running', { restarts: 1 }));
    await harness.clock.pass(10);
    harness.say('web', statusOf('Running', { restarts: 2 }));
    harness.say('web', statusOf('Running', { restarts: 1 }));
    await harness.clock.pass(1000);
    expect(harness.takeSent()).toEqual(['patch web']);
    expect(harness.manager.records.get('web')?.version).toBe(3);
  });

  test('each pod has one request under way at most', async () => {
    const harness = startedHarness();
    harness.createMany(5);
    harness.fault = ({ name }) => ({ latencyMs: 7 * (1 + Number(name.slice(1))) });
    for (let restarts = 0; restarts < 40; restarts++) {
      for (let index = 0; index < 5; index++)
        harness.say(`p${index}`, statusOf('Running', { restarts }));
      await harness.clock.pass(3);
    }
    await harness.clock.pass(1000);
    for (let index = 0; index < 5; index++) {
      const own = harness.sent.filter(({ name }) => name === `p${index}`);
      expect(mostAtOnce(own)).toBe(1);
      expect(restartsInApi(harness, `p${index}`)).toBe(39);
    }
  });
});

describe('F-1: many pods at once', () => {
  test('they are written side by side, within the window', async () => {
    const harness = startedHarness({ window: 8 });
    const pods = harness.createMany(100);
    harness.fault = () => ({ latencyMs: 10 });
    for (const { metadata } of pods) harness.say(metadata.uid ?? '', statusOf('Running'));
    await harness.clock.pass(10_000);
    expect(harness.sent).toHaveLength(100);
    expect(mostAtOnce(harness.sent)).toBe(8);
    const lastMs = Math.max(...harness.sent.map(({ endedMs }) => endedMs ?? Infinity));
    expect(lastMs, '100 pods, 8 at a time, 10 ms each').toBe(130);
  });

  test('one that hangs takes one slot, and the others go on', async () => {
    const harness = startedHarness({ window: 2 });
    harness.createMany(10);
    harness.fault = ({ name }) => ({ latencyMs: name === 'p0' ? 1e9 : 10 });
    for (let index = 0; index < 10; index++) harness.say(`p${index}`, statusOf('Running'));
    await harness.clock.pass(100);
    expect(harness.busy).toBe(1);
    expect(harness.sent.filter(({ endedMs }) => endedMs !== null)).toHaveLength(9);
  });

  test('F-2: no GET comes before a write', async () => {
    const harness = startedHarness();
    const pods = harness.createMany(50);
    for (let restarts = 0; restarts < 3; restarts++) {
      for (const { metadata } of pods)
        harness.say(metadata.uid ?? '', statusOf('Running', { restarts }));
      await harness.settle();
    }
    expect(harness.sent).toHaveLength(150);
    expect(harness.sent.every(({ verb }) => verb === 'patch')).toBe(true);
  });
});

describe('F-5: two lanes', () => {
  /** Five pods run and are ready, and all have a status change that can wait. */
  async function busyHarness(): Promise<StatusHarness> {
    const harness = startedHarness({ window: 1 });
    harness.createMany(5);
    for (let index = 0; index < 5; index++) {
      harness.running.add(`p${index}`);
      harness.say(`p${index}`, statusOf('Running', { ready: true }));
    }
    await harness.settle();
    harness.fault = () => ({ latencyMs: 10 });
    harness.takeSent();
    for (let index = 0; index < 5; index++) {
      harness.say(`p${index}`, statusOf('Running', { ready: true, restarts: 1 }));
    }
    await harness.clock.pass(5);
    return harness;
  }

  test('lost readiness goes before changes that can wait', async () => {
    const harness = await busyHarness();
    harness.manager.setContainerReadiness('p3', 'test://any', false);
    await harness.clock.pass(100);
    expect(harness.takeSent().slice(0, 5)).toEqual([
      'patch p0',
      'patch p3',
      'patch p1',
      'patch p2',
      'patch p4',
    ]);
  });

  test('so do the end of a pod and its final status', async () => {
    const harness = await busyHarness();
    harness.say('p4', statusOf('Failed'));
    harness.manager.terminatePod(harness.get('p2'));
    await harness.clock.pass(100);
    expect(harness.takeSent().slice(0, 5)).toEqual([
      'patch p0',
      'patch p4',
      'patch p2',
      'patch p1',
      'patch p3',
    ]);
  });

  test('one that became urgent stays so, though it is ready again before its turn', async () => {
    const harness = await busyHarness();
    harness.manager.setContainerReadiness('p3', 'test://any', false);
    harness.manager.setContainerReadiness('p3', 'test://any', true);
    await harness.clock.pass(100);
    expect(harness.takeSent()[1]).toBe('patch p3');
  });
});

describe('KL-107, F-6: the client limit', () => {
  test.each([
    { qps: 50, burst: 100, pods: 110 },
    { qps: 10, burst: 5, pods: 30 },
    { qps: 5, burst: 1, pods: 12 },
  ])('$qps a second, $burst at once, for $pods pods', async ({ qps, burst, pods }) => {
    const harness = startedHarness({ qps, burst, window: 1000 });
    for (const { metadata } of harness.createMany(pods))
      harness.say(metadata.uid ?? '', statusOf('Running'));
    await harness.clock.pass(60_000);
    const times = harness.sent.map(({ atMs }) => atMs);
    expect(times).toHaveLength(pods);
    expect(times.filter((atMs) => atMs === 0)).toHaveLength(burst);
    for (const [index, atMs] of times.entries()) {
      expect(index + 1, `until ${atMs} ms`).toBeLessThanOrEqual(burst + (atMs / 1000) * qps + 1e-6);
    }
    // Rounding may cost a millisecond for each turn, no more.
    const idealMs = ((pods - burst) / qps) * 1000;
    expect(times.at(-1)).toBeLessThanOrEqual(idealMs + pods);
  });

  test('-1 is no limit: only the window applies', async () => {
    const harness = startedHarness({ qps: -1, burst: 1, window: 500 });
    for (const { metadata } of harness.createMany(500))
      harness.say(metadata.uid ?? '', statusOf('Running'));
    await harness.settle();
    expect(harness.sent).toHaveLength(500);
  });

  test('a pod that waits for it sends its current status when its turn comes', async () => {
    const harness = startedHarness({ qps: 1, burst: 1 });
    harness.createMany(2);
    harness.say('p0', statusOf('Running'));
    harness.say('p1', statusOf('Running', { restarts: 1 }));
    await harness.clock.pass(999);
    harness.say('p1', statusOf('Running', { restarts: 2 }));
    await harness.clock.pass(1);
    expect(restartsInApi(harness, 'p1')).toBe(2);
    expect(harness.sent).toHaveLength(2);
  });

  test('reads and retries count too', async () => {
    const harness = startedHarness({ qps: 1, burst: 1 });
    harness.create('web');
    harness.fault = ({ verb }) => (verb === 'patch' ? { refuse: 409 } : undefined);
    harness.say('web', statusOf('Running'));
    await harness.clock.pass(10_000);
    const times = harness.sent.map(({ atMs }) => atMs);
    expect(times.length).toBeGreaterThan(3);
    for (const [index, atMs] of times.entries()) {
      expect(index + 1).toBeLessThanOrEqual(1 + atMs / 1000 + 1e-6);
    }
  });
});

describe('a wrapper of the requests, such as a trace', () => {
  test('is called for each, with its pod', async () => {
    const heard: string[] = [];
    const harness = startedHarness({
      aroundWrite: async ({ uid, namespace, name }, write) => {
        heard.push(`${uid} ${namespace}/${name} begins`);
        await write();
        heard.push('ends');
      },
    });
    harness.create('web', { uid: 'one' });
    harness.say('one', statusOf('Running'));
    await harness.settle();
    expect(heard).toEqual(['one default/web begins', 'ends']);
    expect(harness.takeSent()).toEqual(['patch web']);
  });

  test('may fail itself: then the request has failed, and is retried', async () => {
    let failures = 2;
    const harness = startedHarness({
      aroundWrite: async (_pod, write) => {
        if (failures-- > 0) throw new Error('the trace is broken');
        await write();
      },
    });
    harness.create('web');
    harness.say('web', statusOf('Running'));
    await harness.clock.pass(2999);
    expect(harness.sent).toEqual([]);
    await harness.clock.pass(1);
    expect(harness.takeSent()).toEqual(['patch web']);
  });
});
