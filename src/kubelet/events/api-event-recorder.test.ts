import { describe, expect, test } from 'vitest';
import {
  EventHarness,
  POD,
  refuse,
  silence,
  unreachable,
} from '../../../test/support/event-harness.ts';

const EVENTS = '/api/v1/namespaces/default/events';

describe('what is sent', () => {
  test('a new event is created in the namespace of its pod, as the kubelet writes it', async () => {
    const harness = new EventHarness({
      resourceVersionOf: (uid) => (uid === POD.uid ? '17' : '0'),
    });
    const container = { ...POD, fieldPath: 'spec.containers{main}' };
    harness.recorder.record(container, 'Normal', 'Started', 'Container started');
    await harness.clock.pass(0);
    const nanos = BigInt(harness.clock.now()) * 1_000_000n;
    expect(harness.requests).toEqual([
      {
        method: 'POST',
        path: EVENTS,
        body: {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: `web.${nanos.toString(16)}`, namespace: 'default' },
          involvedObject: {
            kind: 'Pod',
            namespace: 'default',
            name: 'web',
            uid: 'web-uid',
            apiVersion: 'v1',
            resourceVersion: '17',
            fieldPath: 'spec.containers{main}',
          },
          reason: 'Started',
          message: 'Container started',
          source: { component: 'kubelet', host: 'node1' },
          firstTimestamp: '2030-01-02T03:04:05Z',
          lastTimestamp: '2030-01-02T03:04:05Z',
          count: 1,
          type: 'Normal',
          reportingComponent: 'kubelet',
          reportingInstance: 'node1',
        },
      },
    ]);
  });

  test('one about the node is in the default namespace, under its name', async () => {
    const harness = new EventHarness();
    harness.recorder.recordNode('Normal', 'Starting', 'Starting kubelet.');
    await harness.clock.pass(0);
    expect(harness.requests[0]).toMatchObject({
      path: EVENTS,
      body: {
        metadata: { namespace: 'default' },
        involvedObject: { kind: 'Node', name: 'node1', uid: 'node1', apiVersion: 'v1' },
      },
    });
    expect(harness.requests[0]).not.toHaveProperty('body.involvedObject.namespace');
  });

  test('a repeated event is a strategic merge patch of the first', async () => {
    const harness = new EventHarness();
    harness.record();
    await harness.clock.pass(2000);
    harness.record();
    await harness.clock.pass(0);
    expect(harness.requests[1]).toEqual({
      method: 'PATCH',
      path: `${EVENTS}/${harness.nameOf(0)}`,
      contentType: 'application/strategic-merge-patch+json',
      body: { count: 2, lastTimestamp: '2030-01-02T03:04:07Z', message: 'said' },
    });
  });

  test('a patch of an event that has expired creates it again, with its count', async () => {
    const harness = new EventHarness();
    harness.next(() => ({}), refuse(404, 'NotFound'));
    harness.record();
    harness.record();
    await harness.clock.pass(1);
    expect(harness.story).toEqual(['POST said 1', 'PATCH said 2', 'POST said 2']);
    expect(harness.nameOf(2)).toBe(harness.nameOf(0));
    expect(harness.given).toEqual([]);
  });
});

describe('the caller', () => {
  test('never waits, and nothing is sent before it has returned', async () => {
    const harness = new EventHarness();
    harness.record();
    expect(harness.requests).toEqual([]);
    await harness.clock.pass(0);
    expect(harness.requests).toHaveLength(1);
  });

  test('never sees an error', () => {
    const harness = new EventHarness({
      resourceVersionOf: () => {
        throw new Error('no');
      },
    });
    expect(() => harness.record()).not.toThrow();
    expect(harness.given).toEqual(['error: Unable to record event (will not retry!)']);
  });
});

describe('order', () => {
  test('events of one pod go one after the other, in the order of their recording', async () => {
    const harness = new EventHarness();
    harness.usually(async () => {
      await new Promise<void>((resolve) => {
        harness.clock.after(10, resolve);
      });
      return {};
    });
    for (const message of ['a', 'b', 'a', 'c']) harness.record(message);
    await harness.clock.pass(100);
    expect(harness.story).toEqual(['POST a 1', 'POST b 1', 'PATCH a 2', 'POST c 1']);
    expect(harness.underWayMax).toBe(1);
  });

  test('at most four are in flight, and pods take turns', async () => {
    const harness = new EventHarness();
    const answers: (() => void)[] = [];
    harness.usually(() => new Promise((resolve) => answers.push(() => resolve({}))));
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      for (const message of ['1', '2']) harness.record(name + message, { ...POD, uid: name });
    }
    await harness.clock.pass(0);
    expect(harness.story).toEqual(['POST a1 1', 'POST b1 1', 'POST c1 1', 'POST d1 1']);
    while (answers.length > 0) {
      answers.shift()?.();
      await harness.clock.pass(0);
    }
    expect(harness.requests).toHaveLength(12);
    expect(harness.underWayMax).toBe(4);
    expect(harness.story.slice(4, 8)).toEqual(['POST e1 1', 'POST f1 1', 'POST a2 1', 'POST b2 1']);
  });
});

describe('a server that cannot be reached', () => {
  test('is tried twelve times, ten seconds apart but for the first pause', async () => {
    const harness = new EventHarness();
    harness.usually(unreachable);
    harness.record();
    await harness.clock.pass(600_000);
    const [, firstPause = 0, ...pauses] = harness.times.map(
      (time, index) => time - (harness.times[index - 1] ?? 0),
    );
    expect(harness.times).toHaveLength(12);
    expect(firstPause).toBeLessThan(10_000);
    expect(pauses.every((pause) => pause === 10_000)).toBe(true);
    expect(harness.given).toEqual([
      'warn: Unable to write event (may retry after sleeping)',
      'error: Unable to write event (will not retry!)',
    ]);
  });

  test('gets the event when it is back, and the queued ones', async () => {
    const harness = new EventHarness();
    harness.next(unreachable, unreachable);
    harness.record('a');
    harness.record('b');
    await harness.clock.pass(60_000);
    expect(harness.story).toEqual(['POST a 1', 'POST a 1', 'POST a 1', 'POST b 1']);
  });

  test('that had written it before the connection broke answers AlreadyExists, which is no error', async () => {
    const harness = new EventHarness();
    harness.next(unreachable, refuse(409, 'AlreadyExists'));
    harness.record();
    await harness.clock.pass(60_000);
    expect(harness.requests).toHaveLength(2);
    expect(harness.given).toEqual(['warn: Unable to write event (may retry after sleeping)']);
  });

  test('a patch that fails before the event is found missing is patched again first', async () => {
    const harness = new EventHarness();
    harness.next(() => ({}), refuse(404, 'NotFound'), unreachable);
    harness.record();
    harness.record();
    await harness.clock.pass(60_000);
    expect(harness.story).toEqual(['POST said 1', 'PATCH said 2', 'POST said 2', 'PATCH said 2']);
  });
});

describe('an event that is refused', () => {
  test.each([
    [403, 'Forbidden'],
    [404, 'NotFound'],
    [422, 'Invalid'],
  ])('with %i is given up, with one line in the log', async (code, reason) => {
    const harness = new EventHarness();
    harness.next(refuse(code, reason));
    harness.record('a');
    harness.record('b');
    await harness.clock.pass(60_000);
    expect(harness.story).toEqual(['POST a 1', 'POST b 1']);
    expect(harness.given).toEqual(['error: Unable to write event (will not retry!)']);
  });

  test('because its namespace is being deleted is given up silently', async () => {
    const harness = new EventHarness();
    harness.next(refuse(403, 'Forbidden', [{ reason: 'NamespaceTerminating' }]));
    harness.record();
    await harness.clock.pass(60_000);
    expect(harness.requests).toHaveLength(1);
    expect(harness.given).toEqual([]);
  });
});

describe('limits', () => {
  test('requests keep to the rate, after a burst', async () => {
    const harness = new EventHarness({ qps: 2, burst: 3 });
    for (let index = 0; index < 7; index++) harness.record('x', { ...POD, uid: `${index}` });
    await harness.clock.pass(10_000);
    expect(harness.times).toEqual([0, 0, 0, 500, 1000, 1500, 2000]);
  });

  test('a rate of 0 is no limit, as in KubeletConfiguration', async () => {
    const harness = new EventHarness({ qps: 0, burst: 1 });
    for (let index = 0; index < 50; index++) harness.record('x', { ...POD, uid: `${index}` });
    await harness.clock.pass(0);
    expect(harness.requests).toHaveLength(50);
  });

  test('the first thousand wait; further ones are dropped, counted and logged once', async () => {
    const harness = new EventHarness();
    for (let index = 0; index < 1500; index++) harness.record('x', { ...POD, uid: `${index}` });
    expect(harness.given).toEqual([
      'warn: Unable to record event: too many queued events, dropped event',
    ]);
    await harness.clock.pass(0);
    expect(harness.requests).toHaveLength(1001);
    expect(harness.given.slice(1)).toEqual(['warn: Dropped events: too many queued events']);
    expect(harness.story.at(-1)).toBe(
      'POST Dropped 500 events: too many were queued (Normal Pulled 500) 1',
    );
  });

  test('a pod with too many events is filtered as spam, and others are not', async () => {
    const harness = new EventHarness();
    for (let index = 0; index < 40; index++) harness.record('x');
    harness.record('y', { ...POD, uid: 'other' });
    await harness.clock.pass(0);
    expect(harness.requests).toHaveLength(26);
    expect(harness.story).toContain('POST y 1');
  });
});

describe('flush', () => {
  async function isDone(promise: Promise<void>): Promise<boolean> {
    const pending = Symbol('pending');
    return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
  }

  test('is done at once when nothing waits', async () => {
    expect(await isDone(new EventHarness().recorder.flush())).toBe(true);
  });

  test('waits until everything is written or given up', async () => {
    const harness = new EventHarness();
    harness.next(unreachable, refuse(403, 'Forbidden'));
    harness.record('a');
    harness.record('b');
    const flushed = harness.recorder.flush();
    await harness.clock.pass(0);
    expect(await isDone(flushed)).toBe(false);
    await harness.clock.pass(10_000);
    expect(harness.story).toEqual(['POST a 1', 'POST a 1', 'POST b 1']);
    await flushed;
  });

  test('is done when all that is left was filtered as spam', async () => {
    const harness = new EventHarness();
    for (let index = 0; index < 30; index++) harness.record('x');
    const flushed = harness.recorder.flush();
    await harness.clock.pass(0);
    await flushed;
    expect(harness.requests).toHaveLength(25);
  });

  test('ends with its signal, and sending continues', async () => {
    const harness = new EventHarness();
    harness.next(unreachable);
    harness.record();
    const enough = new AbortController();
    const flushed = harness.recorder.flush(enough.signal);
    await harness.clock.pass(0);
    enough.abort();
    await flushed;
    await harness.clock.pass(10_000);
    expect(harness.requests).toHaveLength(2);
  });
});

describe('stop', () => {
  test('ends requests in flight and queued events, and logs how many', async () => {
    const harness = new EventHarness();
    harness.usually(silence);
    for (let index = 0; index < 9; index++) harness.record('x', { ...POD, uid: `${index}` });
    await harness.clock.pass(0);
    const flushed = harness.recorder.flush();
    harness.recorder.stop();
    await flushed;
    await harness.clock.pass(600_000);
    expect(harness.requests).toHaveLength(4);
    expect(harness.underWay).toBe(0);
    expect(harness.clock.pending).toBe(0);
    expect(harness.given).toEqual(['warn: Shut down with unsent events']);
  });

  test('cuts short a pause between two tries', async () => {
    const harness = new EventHarness();
    harness.usually(unreachable);
    harness.record();
    await harness.clock.pass(0);
    harness.recorder.stop();
    await harness.clock.pass(0);
    expect(harness.clock.pending).toBe(0);
  });

  test('is final, and may be called twice', async () => {
    const harness = new EventHarness();
    harness.recorder.stop();
    harness.recorder.stop();
    harness.record();
    await harness.recorder.flush();
    await harness.clock.pass(10_000);
    expect(harness.requests).toEqual([]);
    expect(harness.given).toEqual([]);
  });
});

describe('while pods are queued to start', () => {
  test('events wait, and go when it is over', async () => {
    let isBusy = true;
    const harness = new EventHarness({ isBusy: () => isBusy });
    harness.record();
    await harness.clock.pass(500);
    expect(harness.requests).toEqual([]);
    isBusy = false;
    await harness.clock.pass(50);
    expect(harness.requests).toHaveLength(1);
  });

  test('they do not wait forever', async () => {
    const harness = new EventHarness({ isBusy: () => true });
    harness.record('one');
    await harness.clock.pass(1100);
    harness.record('two');
    await harness.clock.pass(0);
    expect(harness.requests).toHaveLength(2);
  });

  test('nor during a flush', async () => {
    const harness = new EventHarness({ isBusy: () => true });
    harness.record();
    const flushed = harness.recorder.flush();
    await harness.clock.pass(50);
    await flushed;
    expect(harness.requests).toHaveLength(1);
  });
});
