/** The full pass of every ten seconds, and the watch events between two of them. */
import { describe, expect, test } from 'vitest';
import { condition, container, podOf } from '../support/pod-parts.ts';
import { StatusHarness, statusOf } from './status-harness.ts';

/** So many running pods, all of them written. */
async function writtenHarness(count: number): Promise<StatusHarness> {
  const harness = new StatusHarness({ window: 1000 });
  harness.manager.start();
  for (const { metadata } of harness.createMany(count)) {
    harness.running.add(metadata.uid ?? '');
    harness.say(metadata.uid ?? '', statusOf('Running', { ready: true }));
  }
  await harness.settle();
  harness.takeSent();
  return harness;
}

describe('another client writes', () => {
  test('over our status: it is written again when the watch shows it', async () => {
    const harness = await writtenHarness(1);
    harness.api.put({ ...harness.get('p0'), status: { phase: 'Pending' } });
    await harness.settle();
    expect(harness.takeSent()).toEqual(['patch p0']);
    expect(harness.get('p0').status?.phase).toBe('Running');
  });

  test('a condition of their own: it stays, and nothing is sent', async () => {
    const harness = await writtenHarness(1);
    const pod = harness.get('p0');
    const conditions = [...(pod.status?.conditions ?? []), condition('example.com/gate')];
    harness.api.put({ ...pod, status: { ...pod.status, conditions } });
    await harness.clock.pass(30_000);
    expect(harness.takeSent()).toEqual([]);
    harness.say('p0', statusOf('Running', { restarts: 1 }));
    await harness.settle();
    expect(harness.get('p0').status?.conditions?.map(({ type }) => type)).toContain(
      'example.com/gate',
    );
  });

  test('a condition of their own that we have not seen yet: it survives our next write', async () => {
    const harness = await writtenHarness(1);
    harness.lag();
    const pod = harness.get('p0');
    const conditions = [...(pod.status?.conditions ?? []), condition('example.com/gate')];
    harness.api.put({ ...pod, status: { ...pod.status, conditions } });
    harness.say('p0', { phase: 'Running', conditions: [] });
    await harness.settle();
    expect(harness.get('p0').status?.conditions).toEqual([condition('example.com/gate')]);
  });

  test('a label: nothing is sent', async () => {
    const harness = await writtenHarness(1);
    const pod = harness.get('p0');
    harness.api.put({ ...pod, metadata: { ...pod.metadata, labels: { a: 'b' } } });
    await harness.clock.pass(30_000);
    expect(harness.takeSent()).toEqual([]);
  });
});

describe('deletion', () => {
  test('that is requested after the final status follows immediately when the watch shows it', async () => {
    const harness = await writtenHarness(1);
    harness.running.clear();
    harness.manager.terminatePod(harness.get('p0'));
    await harness.settle();
    expect(harness.takeSent()).toEqual(['patch p0']);
    harness.requestDeletion('p0');
    await harness.settle();
    expect(harness.takeSent()).toEqual(['delete p0']);
  });

  test('that failed is retried (SM-79)', async () => {
    const harness = await writtenHarness(1);
    harness.running.clear();
    harness.requestDeletion('p0');
    harness.fault = ({ verb }) => (verb === 'delete' ? { refuse: 500 } : undefined);
    harness.manager.terminatePod(harness.get('p0'));
    await harness.settle();
    expect(harness.manager.getPodStatus('p0'), 'the record stays').toBeDefined();
    harness.fault = () => undefined;
    await harness.clock.pass(2000);
    expect(harness.api.pods()).toEqual([]);
    expect(harness.manager.getPodStatus('p0')).toBeUndefined();
  });

  test('waits until nothing of the pod may run any more (SM-84)', async () => {
    const harness = await writtenHarness(1);
    harness.requestDeletion('p0');
    harness.manager.terminatePod(harness.get('p0'));
    await harness.clock.pass(30_000);
    expect(harness.get('p0').status?.phase).toBe('Running');
    harness.running.clear();
    await harness.clock.pass(10_000);
    expect(harness.api.pods()).toEqual([]);
  });
});

describe('statuses that change on the way are written once', () => {
  test('V-5: one whose messages had to be cut in the middle of a text', async () => {
    const harness = new StatusHarness();
    harness.manager.start();
    const names = ['a', 'b', 'c'];
    const pod = harness.api.put(podOf({ containers: names.map((each) => container(each)) }));
    harness.manager.setPodStatus(pod, {
      phase: 'Running',
      containerStatuses: names.map((each) => ({
        name: each,
        state: { terminated: { exitCode: 1, message: '漢'.repeat(5000) } },
      })),
    });
    await harness.clock.pass(60_000);
    expect(harness.takeSent()).toEqual(['patch web']);
  });

  test('V-8: one that ended while it was ready', async () => {
    const harness = await writtenHarness(1);
    harness.running.clear();
    harness.say('p0', { ...statusOf('Failed'), conditions: [condition('Ready', 'True')] });
    await harness.clock.pass(60_000);
    expect(harness.takeSent()).toEqual(['patch p0']);
    const [ready] = harness.get('p0').status?.conditions ?? [];
    expect(ready).toMatchObject({ status: 'False', reason: 'PodFailed' });
  });

  test('SM-84: one whose end is held back', async () => {
    const harness = await writtenHarness(1);
    harness.say('p0', statusOf('Failed', { ready: true }));
    await harness.clock.pass(60_000);
    expect(harness.takeSent()).toEqual(['patch p0']);
    expect(harness.get('p0').status?.phase).toBe('Running');
  });
});

describe('1000 pods', () => {
  test('that are all up to date cost no request', async () => {
    const harness = await writtenHarness(1000);
    await harness.clock.pass(60_000);
    expect(harness.takeSent()).toEqual([]);
  });

  test('whose containers stopped unnoticed are all written within two periods, a few at a time', async () => {
    const harness = await writtenHarness(1000);
    for (let index = 0; index < 1000; index++) harness.say(`p${index}`, statusOf('Failed'));
    await harness.clock.pass(1000);
    harness.takeSent();
    harness.running.clear();
    await harness.clock.pass(19_000);
    const times = harness.sent.map(({ atMs }) => atMs);
    expect(times).toHaveLength(1000);
    const moments = [...new Set(times)];
    expect(moments).toHaveLength(20);
    for (const moment of moments) expect(times.filter((atMs) => atMs === moment)).toHaveLength(50);
    expect(harness.api.pods().every(({ status }) => status?.phase === 'Failed')).toBe(true);
  });
});

describe('work follows what changed', () => {
  test('one change among 1000 pods is one turn', async () => {
    const harness = await writtenHarness(1000);
    harness.decisions.length = 0;
    harness.say('p500', statusOf('Running', { ready: true, restarts: 1 }));
    await harness.settle();
    expect(harness.takeSent()).toEqual(['patch p500']);
    expect(new Set(harness.decisions.map(({ pod }) => pod.uid))).toEqual(new Set(['p500']));
  });

  test('a pod that the watch shows and that has no status costs nothing', async () => {
    const harness = new StatusHarness();
    harness.manager.start();
    harness.createMany(10);
    await harness.clock.pass(60_000);
    expect(harness.sent).toEqual([]);
    expect(harness.decisions).toEqual([]);
  });
});
