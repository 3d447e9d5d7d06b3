import { describe, expect, test } from 'vitest';
import { QueryHarness, taken } from '../../../test/support/query-harness.ts';

describe('reading', () => {
  test('pods have their newest status here, and the list says at which revision', () => {
    const harness = new QueryHarness();
    harness.put('web', { app: 'web' });
    harness.setPhase('web', 'Running');
    const list = harness.query.pods();
    expect(list).toMatchObject({ kind: 'PodList', apiVersion: 'podkeep/v1', epoch: 'e1' });
    expect(list['items']).toMatchObject([
      { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'web' }, status: { phase: 'Running' } },
    ]);
    harness.remove('web');
    expect(harness.query.pods()['items']).toEqual([]);
    expect(Number(harness.query.pods()['revision'])).toBeGreaterThan(Number(list['revision']));
  });

  test('a pod is found by its name, and an unknown one is an error', () => {
    const harness = new QueryHarness();
    harness.put('web');
    const name = { namespace: 'default', name: 'web' };
    expect(harness.query.pod(name)).toMatchObject({ metadata: { uid: 'uid-web' } });
    expect(() => harness.query.pod({ ...name, name: 'db' })).toThrow(
      'pod default/db is not on this node',
    );
  });

  test('a timeline has what each decision says, with times in milliseconds', () => {
    const harness = new QueryHarness();
    harness.put('web');
    const now = harness.clock.now();
    const waits = { waitsFor: 'volume data', sinceMs: now, attempts: 2, nextAtMs: now + 1500 };
    harness.decide('web', 'created');
    harness.decide('web', 'mounting', waits);
    const at = '2030-01-02T03:04:05.000Z';
    expect(harness.query.timeline({ namespace: 'default', name: 'web' })).toMatchObject({
      kind: 'PodTimeline',
      pod: { namespace: 'default', name: 'web', uid: 'uid-web' },
      items: [
        { at, machine: 'pod-worker', from: 'a', to: 'b', why: 'created' },
        {
          why: 'mounting',
          waitsFor: 'volume data',
          since: at,
          attempts: 2,
          nextAt: '2030-01-02T03:04:06.500Z',
        },
      ],
    });
  });

  test('the timeline of a pod that is gone is there while its decisions are remembered', () => {
    const harness = new QueryHarness();
    harness.decide('gone', 'finished');
    const name = { namespace: 'default', name: 'gone' };
    expect(harness.query.timeline(name)).toMatchObject({ pod: { uid: 'uid-gone' } });
    expect(() => harness.query.timeline({ ...name, name: 'never' })).toThrow('is not on this node');
  });

  test('decisions are those since a time, and a limit says how many it left out', async () => {
    const harness = new QueryHarness();
    harness.decide('a', 'one');
    await harness.clock.pass(1000);
    harness.decide('b', 'two');
    harness.decide('a', 'three');
    const since = '2030-01-02T03:04:06Z';
    const whys = (list: ReturnType<typeof harness.query.decisions>) =>
      (list['items'] as readonly { why: string }[]).map(({ why }) => why);
    expect(whys(harness.query.decisions({ since }))).toEqual(['two', 'three']);
    expect(whys(harness.query.decisions({ fieldSelector: 'metadata.name=a' }))).toEqual([
      'one',
      'three',
    ]);
    const limited = harness.query.decisions({ limit: 1 });
    expect(limited).toMatchObject({ omitted: 2, items: [{ why: 'three' }] });
  });

  test('usage has units in its names; the first query waits for a second sample', async () => {
    const harness = new QueryHarness();
    harness.put('web', { app: 'web' });
    harness.put('db');
    const answers = Promise.all([
      harness.query.resources({ labelSelector: 'app=web' }),
      harness.query.resources(),
    ]);
    await harness.clock.pass(1000);
    const [web, all] = await answers;
    expect(web).toMatchObject({
      kind: 'ResourceUsage',
      node: { cpuCores: 0.5, cpuCapacityCores: 4, memoryWorkingSetBytes: 64 * 2 ** 20 },
      pods: [{ name: 'web', cpuCores: 0.5, memoryWorkingSetBytes: 32 * 2 ** 20 }],
    });
    expect(all['pods']).toHaveLength(2);
    expect(harness.readings).toBe(2);
    await harness.query.resources();
    expect(harness.readings).toBe(3);
  });

  test('the node says why it is not ready, and counts its pods', () => {
    const harness = new QueryHarness();
    harness.put('web');
    harness.setPhase('web', 'Running');
    expect(harness.query.node()).toMatchObject({
      name: 'node1',
      ready: false,
      notReadyReasons: ['PLEG is not healthy'],
      pods: { total: 1, ready: 0, byPhase: { Running: 1 } },
      node: null,
    });
  });

  test('alerts come from their source, and without one no rules are evaluated', () => {
    const alerts = { all: () => [{ name: 'DiskFull' }], subscribe: () => () => {} };
    expect(new QueryHarness({ alerts }).query.alerts()).toMatchObject({
      items: [{ name: 'DiskFull' }],
    });
    expect(() => new QueryHarness().query.alerts()).toThrow('no alert rules are evaluated');
  });

  test.each([
    [{ fieldSelector: 'spec.volumes=x' }, 'field label not supported: spec.volumes'],
    [{ fieldSelector: 'oops' }, 'fieldSelector: '],
    [{ labelSelector: '===' }, 'labelSelector: '],
  ])('a filter %j that cannot be used is refused', (filter, problem) => {
    const { query } = new QueryHarness();
    expect(() => query.pods(filter)).toThrow(problem);
    expect(() => query.watchPods(filter)).toThrow(problem);
  });

  test('a time that is none is refused', () => {
    const { query } = new QueryHarness();
    expect(() => query.decisions({ since: 'yesterday' })).toThrow('since: ');
  });
});

describe('watching', () => {
  test('the state comes first, then every change in order', () => {
    const harness = new QueryHarness();
    harness.put('web');
    const watch = harness.query.watchPods();
    harness.setPhase('web', 'Pending');
    harness.setPhase('web', 'Running');
    harness.put('db');
    harness.remove('web');
    expect(taken(watch)).toMatchInlineSnapshot(`
      [
        "e1-0 pod web -",
        "e1-2 synced 1 items",
        "e1-4 pod web Pending",
        "e1-6 pod web Running",
        "e1-7 pod db -",
        "e1-8 deleted web Running",
      ]
    `);
  });

  test('a watcher resumes after its last event, and gets nothing twice', () => {
    const harness = new QueryHarness();
    const watch = harness.query.watchPods();
    harness.put('web');
    const [, added = ''] = taken(watch);
    harness.setPhase('web', 'Running');
    watch.end();
    harness.put('db');
    const [lastEventId] = added.split(' ');
    const resumed = harness.query.watchPods({ lastEventId });
    expect(taken(resumed)).toEqual(['e1-4 pod web Running', 'e1-5 pod db -']);
  });

  test.each([
    ['e1-0', 'was not received to its end'],
    ['e0-3', 'podkeep was restarted'],
    ['e1-99', 'no such revision yet'],
    ['x', 'not one of this interface'],
    ['e1-2', 'no longer recorded'],
  ])('from %s the whole state is sent again, with the reason', (lastEventId, why) => {
    const harness = new QueryHarness({ limits: { entriesMax: 1 } });
    const first = harness.query.watchPods();
    for (const name of ['a', 'b', 'c']) harness.put(name);
    const [reset = '', ...rest] = taken(harness.query.watchPods({ lastEventId }));
    expect(reset).toContain('e1-0 reset ');
    expect(reset).toContain(why);
    expect(rest.map((each) => each.split(' ')[1])).toEqual(['pod', 'pod', 'pod', 'synced']);
    first.end();
  });

  test('a pod that the filter no longer matches is deleted for this watcher', () => {
    const harness = new QueryHarness();
    harness.put('web', { tier: 'front' });
    const front = harness.query.watchPods({ labelSelector: 'tier=front' });
    const running = harness.query.watchPods({ fieldSelector: 'status.phase=Running' });
    harness.setPhase('web', 'Running');
    harness.put('web', { tier: 'back' });
    harness.put('web', { tier: 'side' });
    expect(taken(front).map((each) => each.replace(/^\S+ /, ''))).toEqual([
      'pod web -',
      'synced 1 items',
      'pod web Running',
      'deleted web Running',
    ]);
    expect(taken(running).map((each) => each.replace(/^\S+ /, ''))).toEqual([
      'synced 0 items',
      'pod web Running',
      'pod web Running',
      'pod web Running',
    ]);
  });

  test('a watcher that does not take its events is cut, and the others are not', async () => {
    const harness = new QueryHarness({ limits: { unsentBytesMax: 2000 } });
    const slow = harness.query.watchPods();
    const fast = harness.query.watchPods();
    const cuts: Error[] = [];
    slow.onCut((error) => cuts.push(error));
    for (let count = 0; count < 30; count++) {
      harness.put(`pod-${count}`);
      taken(fast);
    }
    await expect(slow.next()).rejects.toThrow('the client fell more than 2000 bytes behind');
    expect(cuts).toHaveLength(1);
    harness.put('last');
    expect(taken(fast)).toHaveLength(1);
  });

  test('what a resuming watcher missed does not count against its limit', () => {
    const harness = new QueryHarness({ limits: { unsentBytesMax: 2000 } });
    const watch = harness.query.watchPods();
    const lastEventId = taken(watch)[0]?.split(' ')[0];
    watch.end();
    for (let count = 0; count < 30; count++) harness.put(`pod-${count}`);
    expect(taken(harness.query.watchPods({ lastEventId }))).toHaveLength(30);
  });

  test('changes are recorded for five minutes after the last watcher has left', async () => {
    const harness = new QueryHarness();
    const watch = harness.query.watchPods();
    const lastEventId = taken(watch)[0]?.split(' ')[0];
    watch.end();
    await harness.clock.pass(299_000);
    harness.put('web');
    const resumed = harness.query.watchPods({ lastEventId });
    expect(taken(resumed)).toEqual(['e1-2 pod web -']);
    resumed.end();
    await harness.clock.pass(301_000);
    harness.put('db');
    expect(taken(harness.query.watchPods({ lastEventId }))[0]).toContain('reset');
  });

  test('decisions are watched, all or those about one pod', () => {
    const harness = new QueryHarness();
    harness.decide('web', 'first');
    const all = harness.query.watchDecisions({ fieldSelector: 'machine=pod-worker' });
    const web = harness.query.watchTimeline({ namespace: 'default', name: 'web' });
    harness.decide('db', 'second');
    harness.decide('web', 'third');
    expect(taken(all).map((each) => each.replace(/^\S+ /, ''))).toEqual([
      'decision first',
      'synced 1 items',
      'decision second',
      'decision third',
    ]);
    expect(taken(web).map((each) => each.replace(/^\S+ /, ''))).toEqual([
      'decision first',
      'synced 1 items',
      'decision third',
    ]);
  });

  test('an iterator waits for the next event, and ends with the node', async () => {
    const harness = new QueryHarness();
    const watch = harness.query.watchPods();
    const types: string[] = [];
    const reading = (async () => {
      for await (const { type } of watch) types.push(type);
    })();
    await harness.clock.pass(0);
    harness.put('web');
    await harness.clock.pass(0);
    harness.query.close();
    await reading;
    expect(types).toEqual(['synced', 'pod']);
  });

  test('the number of watchers is limited, and an ended one counts no more', () => {
    const { query } = new QueryHarness({ limits: { watchersMax: 2 } });
    const first = query.watchPods();
    query.watchDecisions();
    expect(() => query.watchPods()).toThrow('2 clients watch this node already');
    first.end();
    first.end();
    expect(() => query.watchPods()).not.toThrow();
    expect(() => query.watchPods()).toThrow('2 clients');
  });
});
