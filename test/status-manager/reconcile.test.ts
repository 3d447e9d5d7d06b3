/** The full pass of every ten seconds, and what the watch brings between two of them. */
import { describe, expect, test } from 'vitest';
import { condition, container, podOf } from '../support/pod-parts.ts';
import { StatusStage, statusOf } from './stage.ts';

/** So many pods that run, all of them written. */
async function writtenStage(count: number): Promise<StatusStage> {
  const stage = new StatusStage({ window: 1000 });
  stage.manager.start();
  for (const { metadata } of stage.createMany(count)) {
    stage.running.add(metadata.uid ?? '');
    stage.say(metadata.uid ?? '', statusOf('Running', { ready: true }));
  }
  await stage.settle();
  stage.takeSent();
  return stage;
}

describe('somebody else writes', () => {
  test('over our status: it is written again when the watch shows it', async () => {
    const stage = await writtenStage(1);
    stage.api.put({ ...stage.get('p0'), status: { phase: 'Pending' } });
    await stage.settle();
    expect(stage.takeSent()).toEqual(['patch p0']);
    expect(stage.get('p0').status?.phase).toBe('Running');
  });

  test('a condition of their own: it stays, and nothing is sent', async () => {
    const stage = await writtenStage(1);
    const pod = stage.get('p0');
    const conditions = [...(pod.status?.conditions ?? []), condition('example.com/gate')];
    stage.api.put({ ...pod, status: { ...pod.status, conditions } });
    await stage.clock.pass(30_000);
    expect(stage.takeSent()).toEqual([]);
    stage.say('p0', statusOf('Running', { restarts: 1 }));
    await stage.settle();
    expect(stage.get('p0').status?.conditions?.map(({ type }) => type)).toContain(
      'example.com/gate',
    );
  });

  test('a condition of their own that we have not seen yet: it survives our next write', async () => {
    const stage = await writtenStage(1);
    stage.lag();
    const pod = stage.get('p0');
    const conditions = [...(pod.status?.conditions ?? []), condition('example.com/gate')];
    stage.api.put({ ...pod, status: { ...pod.status, conditions } });
    stage.say('p0', { phase: 'Running', conditions: [] });
    await stage.settle();
    expect(stage.get('p0').status?.conditions).toEqual([condition('example.com/gate')]);
  });

  test('a label: nothing is sent', async () => {
    const stage = await writtenStage(1);
    const pod = stage.get('p0');
    stage.api.put({ ...pod, metadata: { ...pod.metadata, labels: { a: 'b' } } });
    await stage.clock.pass(30_000);
    expect(stage.takeSent()).toEqual([]);
  });
});

describe('deletion', () => {
  test('that is asked for after the last word follows at once when the watch shows it', async () => {
    const stage = await writtenStage(1);
    stage.running.clear();
    stage.manager.terminatePod(stage.get('p0'));
    await stage.settle();
    expect(stage.takeSent()).toEqual(['patch p0']);
    stage.requestDeletion('p0');
    await stage.settle();
    expect(stage.takeSent()).toEqual(['delete p0']);
  });

  test('that failed is tried again (SM-79)', async () => {
    const stage = await writtenStage(1);
    stage.running.clear();
    stage.requestDeletion('p0');
    stage.fault = ({ verb }) => (verb === 'delete' ? { refuse: 500 } : undefined);
    stage.manager.terminatePod(stage.get('p0'));
    await stage.settle();
    expect(stage.manager.getPodStatus('p0'), 'the record stays').toBeDefined();
    stage.fault = () => undefined;
    await stage.clock.pass(2000);
    expect(stage.api.pods()).toEqual([]);
    expect(stage.manager.getPodStatus('p0')).toBeUndefined();
  });

  test('waits until nothing of the pod may run any more (SM-84)', async () => {
    const stage = await writtenStage(1);
    stage.requestDeletion('p0');
    stage.manager.terminatePod(stage.get('p0'));
    await stage.clock.pass(30_000);
    expect(stage.get('p0').status?.phase).toBe('Running');
    stage.running.clear();
    await stage.clock.pass(10_000);
    expect(stage.api.pods()).toEqual([]);
  });
});

describe('statuses that change on the way are written once', () => {
  test('V-5: one whose messages had to be cut in the middle of a text', async () => {
    const stage = new StatusStage();
    stage.manager.start();
    const names = ['a', 'b', 'c'];
    const pod = stage.api.put(podOf({ containers: names.map((each) => container(each)) }));
    stage.manager.setPodStatus(pod, {
      phase: 'Running',
      containerStatuses: names.map((each) => ({
        name: each,
        state: { terminated: { exitCode: 1, message: '漢'.repeat(5000) } },
      })),
    });
    await stage.clock.pass(60_000);
    expect(stage.takeSent()).toEqual(['patch web']);
  });

  test('V-8: one that ended while it was ready', async () => {
    const stage = await writtenStage(1);
    stage.running.clear();
    stage.say('p0', { ...statusOf('Failed'), conditions: [condition('Ready', 'True')] });
    await stage.clock.pass(60_000);
    expect(stage.takeSent()).toEqual(['patch p0']);
    const [ready] = stage.get('p0').status?.conditions ?? [];
    expect(ready).toMatchObject({ status: 'False', reason: 'PodFailed' });
  });

  test('SM-84: one whose end is held back', async () => {
    const stage = await writtenStage(1);
    stage.say('p0', statusOf('Failed', { ready: true }));
    await stage.clock.pass(60_000);
    expect(stage.takeSent()).toEqual(['patch p0']);
    expect(stage.get('p0').status?.phase).toBe('Running');
  });
});

describe('1000 pods', () => {
  test('that are all as they should be cost no request', async () => {
    const stage = await writtenStage(1000);
    await stage.clock.pass(60_000);
    expect(stage.takeSent()).toEqual([]);
  });

  test('whose containers stopped unnoticed are all told within two periods, a few at a time', async () => {
    const stage = await writtenStage(1000);
    for (let index = 0; index < 1000; index++) stage.say(`p${index}`, statusOf('Failed'));
    await stage.clock.pass(1000);
    stage.takeSent();
    stage.running.clear();
    await stage.clock.pass(19_000);
    const times = stage.sent.map(({ atMs }) => atMs);
    expect(times).toHaveLength(1000);
    const moments = [...new Set(times)];
    expect(moments).toHaveLength(20);
    for (const moment of moments) expect(times.filter((atMs) => atMs === moment)).toHaveLength(50);
    expect(stage.api.pods().every(({ status }) => status?.phase === 'Failed')).toBe(true);
  });
});

describe('work follows what changed', () => {
  test('one change among 1000 pods is one turn', async () => {
    const stage = await writtenStage(1000);
    stage.decisions.length = 0;
    stage.say('p500', statusOf('Running', { ready: true, restarts: 1 }));
    await stage.settle();
    expect(stage.takeSent()).toEqual(['patch p500']);
    expect(new Set(stage.decisions.map(({ pod }) => pod.uid))).toEqual(new Set(['p500']));
  });

  test('a pod that the watch shows and nobody spoke of costs nothing', async () => {
    const stage = new StatusStage();
    stage.manager.start();
    stage.createMany(10);
    await stage.clock.pass(60_000);
    expect(stage.sent).toEqual([]);
    expect(stage.decisions).toEqual([]);
  });
});
