/** Who writes when: coalescing, the window, the two lanes and the client limit, end to end. */
import { describe, expect, test } from 'vitest';
import { StatusStage, statusOf, type Sent } from './stage.ts';

function startedStage(options: ConstructorParameters<typeof StatusStage>[0] = {}): StatusStage {
  const stage = new StatusStage(options);
  stage.manager.start();
  return stage;
}

/** How many requests were under way at once, at the most. */
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

function restartsInApi(stage: StatusStage, name: string): number | undefined {
  return stage.get(name).status?.containerStatuses?.[0]?.restartCount;
}

describe('coalescing', () => {
  test('what changes in one go is one write, of the last version (SM-3)', async () => {
    const stage = startedStage();
    stage.create('web');
    for (let restarts = 1; restarts <= 50; restarts++) {
      stage.say('web', statusOf('Running', { restarts }));
    }
    await stage.settle();
    expect(stage.takeSent()).toEqual(['patch web']);
    expect(restartsInApi(stage, 'web')).toBe(50);
  });

  test('F-4, SM-63: what changes during a write is one more write, right after it', async () => {
    const stage = startedStage();
    stage.create('web');
    stage.fault = () => ({ latencyMs: 100 });
    stage.say('web', statusOf('Running'));
    await stage.clock.pass(10);
    for (let restarts = 1; restarts <= 50; restarts++) {
      stage.say('web', statusOf('Running', { restarts }));
      await stage.clock.pass(1);
    }
    await stage.clock.pass(1000);
    expect(stage.sent.map(({ atMs }) => atMs)).toEqual([0, 100]);
    expect(restartsInApi(stage, 'web')).toBe(50);
  });

  test('a status that went and came back during a write needs no second one', async () => {
    const stage = startedStage();
    stage.create('web');
    stage.running.add('web');
    stage.fault = () => ({ latencyMs: 100 });
    stage.say('web', statusOf('Running', { restarts: 1 }));
    await stage.clock.pass(10);
    stage.say('web', statusOf('Running', { restarts: 2 }));
    stage.say('web', statusOf('Running', { restarts: 1 }));
    await stage.clock.pass(1000);
    expect(stage.takeSent()).toEqual(['patch web']);
    expect(stage.manager.records.get('web')?.version).toBe(3);
  });

  test('each pod has one request under way at most', async () => {
    const stage = startedStage();
    stage.createMany(5);
    stage.fault = ({ name }) => ({ latencyMs: 7 * (1 + Number(name.slice(1))) });
    for (let restarts = 0; restarts < 40; restarts++) {
      for (let index = 0; index < 5; index++)
        stage.say(`p${index}`, statusOf('Running', { restarts }));
      await stage.clock.pass(3);
    }
    await stage.clock.pass(1000);
    for (let index = 0; index < 5; index++) {
      const own = stage.sent.filter(({ name }) => name === `p${index}`);
      expect(mostAtOnce(own)).toBe(1);
      expect(restartsInApi(stage, `p${index}`)).toBe(39);
    }
  });
});

describe('F-1: many pods at once', () => {
  test('they are written side by side, within the window', async () => {
    const stage = startedStage({ window: 8 });
    const pods = stage.createMany(100);
    stage.fault = () => ({ latencyMs: 10 });
    for (const { metadata } of pods) stage.say(metadata.uid ?? '', statusOf('Running'));
    await stage.clock.pass(10_000);
    expect(stage.sent).toHaveLength(100);
    expect(mostAtOnce(stage.sent)).toBe(8);
    const lastMs = Math.max(...stage.sent.map(({ endedMs }) => endedMs ?? Infinity));
    expect(lastMs, '100 pods, 8 at a time, 10 ms each').toBe(130);
  });

  test('one that hangs takes one place, and the others go on', async () => {
    const stage = startedStage({ window: 2 });
    stage.createMany(10);
    stage.fault = ({ name }) => ({ latencyMs: name === 'p0' ? 1e9 : 10 });
    for (let index = 0; index < 10; index++) stage.say(`p${index}`, statusOf('Running'));
    await stage.clock.pass(100);
    expect(stage.busy).toBe(1);
    expect(stage.sent.filter(({ endedMs }) => endedMs !== null)).toHaveLength(9);
  });

  test('F-2: no GET comes before a write', async () => {
    const stage = startedStage();
    const pods = stage.createMany(50);
    for (let restarts = 0; restarts < 3; restarts++) {
      for (const { metadata } of pods)
        stage.say(metadata.uid ?? '', statusOf('Running', { restarts }));
      await stage.settle();
    }
    expect(stage.sent).toHaveLength(150);
    expect(stage.sent.every(({ verb }) => verb === 'patch')).toBe(true);
  });
});

describe('F-5: two lanes', () => {
  /** Five pods run and are ready, and all have news that can wait. */
  async function busyStage(): Promise<StatusStage> {
    const stage = startedStage({ window: 1 });
    stage.createMany(5);
    for (let index = 0; index < 5; index++) {
      stage.running.add(`p${index}`);
      stage.say(`p${index}`, statusOf('Running', { ready: true }));
    }
    await stage.settle();
    stage.fault = () => ({ latencyMs: 10 });
    stage.takeSent();
    for (let index = 0; index < 5; index++) {
      stage.say(`p${index}`, statusOf('Running', { ready: true, restarts: 1 }));
    }
    await stage.clock.pass(5);
    return stage;
  }

  test('lost readiness goes before news that can wait', async () => {
    const stage = await busyStage();
    stage.manager.setContainerReadiness('p3', 'test://any', false);
    await stage.clock.pass(100);
    expect(stage.takeSent().slice(0, 5)).toEqual([
      'patch p0',
      'patch p3',
      'patch p1',
      'patch p2',
      'patch p4',
    ]);
  });

  test('so do the end of a pod and its last word', async () => {
    const stage = await busyStage();
    stage.say('p4', statusOf('Failed'));
    stage.manager.terminatePod(stage.get('p2'));
    await stage.clock.pass(100);
    expect(stage.takeSent().slice(0, 5)).toEqual([
      'patch p0',
      'patch p4',
      'patch p2',
      'patch p1',
      'patch p3',
    ]);
  });

  test('one that became urgent stays so, though it is ready again before its turn', async () => {
    const stage = await busyStage();
    stage.manager.setContainerReadiness('p3', 'test://any', false);
    stage.manager.setContainerReadiness('p3', 'test://any', true);
    await stage.clock.pass(100);
    expect(stage.takeSent()[1]).toBe('patch p3');
  });
});

describe('KL-107, F-6: the client limit', () => {
  test.each([
    { qps: 50, burst: 100, pods: 110 },
    { qps: 10, burst: 5, pods: 30 },
    { qps: 5, burst: 1, pods: 12 },
  ])('$qps a second, $burst at once, for $pods pods', async ({ qps, burst, pods }) => {
    const stage = startedStage({ qps, burst, window: 1000 });
    for (const { metadata } of stage.createMany(pods))
      stage.say(metadata.uid ?? '', statusOf('Running'));
    await stage.clock.pass(60_000);
    const times = stage.sent.map(({ atMs }) => atMs);
    expect(times).toHaveLength(pods);
    expect(times.filter((atMs) => atMs === 0)).toHaveLength(burst);
    for (const [index, atMs] of times.entries()) {
      expect(index + 1, `until ${atMs} ms`).toBeLessThanOrEqual(burst + (atMs / 1000) * qps + 1e-6);
    }
    // Rounding may cost a millisecond for each turn, no more.
    const idealMs = ((pods - burst) / qps) * 1000;
    expect(times.at(-1)).toBeLessThanOrEqual(idealMs + pods);
  });

  test('-1 is no limit: only the window holds', async () => {
    const stage = startedStage({ qps: -1, burst: 1, window: 500 });
    for (const { metadata } of stage.createMany(500))
      stage.say(metadata.uid ?? '', statusOf('Running'));
    await stage.settle();
    expect(stage.sent).toHaveLength(500);
  });

  test('whoever waits for it sends what is true when its turn comes', async () => {
    const stage = startedStage({ qps: 1, burst: 1 });
    stage.createMany(2);
    stage.say('p0', statusOf('Running'));
    stage.say('p1', statusOf('Running', { restarts: 1 }));
    await stage.clock.pass(999);
    stage.say('p1', statusOf('Running', { restarts: 2 }));
    await stage.clock.pass(1);
    expect(restartsInApi(stage, 'p1')).toBe(2);
    expect(stage.sent).toHaveLength(2);
  });

  test('reads and tries after a failure count too', async () => {
    const stage = startedStage({ qps: 1, burst: 1 });
    stage.create('web');
    stage.fault = ({ verb }) => (verb === 'patch' ? { refuse: 409 } : undefined);
    stage.say('web', statusOf('Running'));
    await stage.clock.pass(10_000);
    const times = stage.sent.map(({ atMs }) => atMs);
    expect(times.length).toBeGreaterThan(3);
    for (const [index, atMs] of times.entries()) {
      expect(index + 1).toBeLessThanOrEqual(1 + atMs / 1000 + 1e-6);
    }
  });
});

describe('whoever stands around the requests, such as a trace', () => {
  test('hears of each, with the pod it is for', async () => {
    const heard: string[] = [];
    const stage = startedStage({
      aroundWrite: async ({ uid, namespace, name }, write) => {
        heard.push(`${uid} ${namespace}/${name} begins`);
        await write();
        heard.push('ends');
      },
    });
    stage.create('web', { uid: 'one' });
    stage.say('one', statusOf('Running'));
    await stage.settle();
    expect(heard).toEqual(['one default/web begins', 'ends']);
    expect(stage.takeSent()).toEqual(['patch web']);
  });

  test('may fail itself: then the request has failed, and is tried again', async () => {
    let failures = 2;
    const stage = startedStage({
      aroundWrite: async (_pod, write) => {
        if (failures-- > 0) throw new Error('the trace is broken');
        await write();
      },
    });
    stage.create('web');
    stage.say('web', statusOf('Running'));
    await stage.clock.pass(2999);
    expect(stage.sent).toEqual([]);
    await stage.clock.pass(1);
    expect(stage.takeSent()).toEqual(['patch web']);
  });
});
