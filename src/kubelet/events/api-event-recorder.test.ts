import { describe, expect, test } from 'vitest';
import {
  EventStage,
  POD,
  refuse,
  silence,
  unreachable,
} from '../../../test/support/event-stage.ts';

const EVENTS = '/api/v1/namespaces/default/events';

describe('what is sent', () => {
  test('a new event is created in the namespace of its pod, as the kubelet writes it', async () => {
    const stage = new EventStage({ resourceVersionOf: (uid) => (uid === POD.uid ? '17' : '0') });
    const container = { ...POD, fieldPath: 'spec.containers{main}' };
    stage.recorder.record(container, 'Normal', 'Started', 'Container started');
    await stage.clock.pass(0);
    const nanos = BigInt(stage.clock.now()) * 1_000_000n;
    expect(stage.requests).toEqual([
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

  test('one about the node stands in the default namespace, under its name', async () => {
    const stage = new EventStage();
    stage.recorder.recordNode('Normal', 'Starting', 'Starting kubelet.');
    await stage.clock.pass(0);
    expect(stage.requests[0]).toMatchObject({
      path: EVENTS,
      body: {
        metadata: { namespace: 'default' },
        involvedObject: { kind: 'Node', name: 'node1', uid: 'node1', apiVersion: 'v1' },
      },
    });
    expect(stage.requests[0]).not.toHaveProperty('body.involvedObject.namespace');
  });

  test('one that is told again is a strategic merge patch of the first', async () => {
    const stage = new EventStage();
    stage.tell();
    await stage.clock.pass(2000);
    stage.tell();
    await stage.clock.pass(0);
    expect(stage.requests[1]).toEqual({
      method: 'PATCH',
      path: `${EVENTS}/${stage.nameOf(0)}`,
      contentType: 'application/strategic-merge-patch+json',
      body: { count: 2, lastTimestamp: '2030-01-02T03:04:07Z', message: 'said' },
    });
  });

  test('a patch of an event that has expired creates it again, with its count', async () => {
    const stage = new EventStage();
    stage.next(() => ({}), refuse(404, 'NotFound'));
    stage.tell();
    stage.tell();
    await stage.clock.pass(1);
    expect(stage.story).toEqual(['POST said 1', 'PATCH said 2', 'POST said 2']);
    expect(stage.nameOf(2)).toBe(stage.nameOf(0));
    expect(stage.said).toEqual([]);
  });
});

describe('who calls', () => {
  test('waits for nothing, and nothing is sent before they are done', async () => {
    const stage = new EventStage();
    stage.tell();
    expect(stage.requests).toEqual([]);
    await stage.clock.pass(0);
    expect(stage.requests).toHaveLength(1);
  });

  test('never sees an error', () => {
    const stage = new EventStage({
      resourceVersionOf: () => {
        throw new Error('no');
      },
    });
    expect(() => stage.tell()).not.toThrow();
    expect(stage.said).toEqual(['error: An event could not be recorded']);
  });
});

describe('order', () => {
  test('events of one pod go one after the other, in the order of their telling', async () => {
    const stage = new EventStage();
    stage.usually(async () => {
      await new Promise<void>((resolve) => {
        stage.clock.after(10, resolve);
      });
      return {};
    });
    for (const message of ['a', 'b', 'a', 'c']) stage.tell(message);
    await stage.clock.pass(100);
    expect(stage.story).toEqual(['POST a 1', 'POST b 1', 'PATCH a 2', 'POST c 1']);
    expect(stage.underWayMax).toBe(1);
  });

  test('at most four are under way, and pods take turns', async () => {
    const stage = new EventStage();
    const answers: (() => void)[] = [];
    stage.usually(() => new Promise((resolve) => answers.push(() => resolve({}))));
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      for (const message of ['1', '2']) stage.tell(name + message, { ...POD, uid: name });
    }
    await stage.clock.pass(0);
    expect(stage.story).toEqual(['POST a1 1', 'POST b1 1', 'POST c1 1', 'POST d1 1']);
    while (answers.length > 0) {
      answers.shift()?.();
      await stage.clock.pass(0);
    }
    expect(stage.requests).toHaveLength(12);
    expect(stage.underWayMax).toBe(4);
    expect(stage.story.slice(4, 8)).toEqual(['POST e1 1', 'POST f1 1', 'POST a2 1', 'POST b2 1']);
  });
});

describe('a server that cannot be reached', () => {
  test('is tried twelve times, ten seconds apart but for the first pause', async () => {
    const stage = new EventStage();
    stage.usually(unreachable);
    stage.tell();
    await stage.clock.pass(600_000);
    const [, firstPause = 0, ...pauses] = stage.times.map(
      (time, index) => time - (stage.times[index - 1] ?? 0),
    );
    expect(stage.times).toHaveLength(12);
    expect(firstPause).toBeLessThan(10_000);
    expect(pauses.every((pause) => pause === 10_000)).toBe(true);
    expect(stage.said).toEqual([
      'warn: An event could not be written; it is tried again',
      'error: An event could not be written and is given up',
    ]);
  });

  test('gets the event when it is back, and those behind it', async () => {
    const stage = new EventStage();
    stage.next(unreachable, unreachable);
    stage.tell('a');
    stage.tell('b');
    await stage.clock.pass(60_000);
    expect(stage.story).toEqual(['POST a 1', 'POST a 1', 'POST a 1', 'POST b 1']);
  });

  test('that had written it before the line broke says so, and nobody needs to know', async () => {
    const stage = new EventStage();
    stage.next(unreachable, refuse(409, 'AlreadyExists'));
    stage.tell();
    await stage.clock.pass(60_000);
    expect(stage.requests).toHaveLength(2);
    expect(stage.said).toEqual(['warn: An event could not be written; it is tried again']);
  });

  test('a patch that fails before it is found missing is patched again first', async () => {
    const stage = new EventStage();
    stage.next(() => ({}), refuse(404, 'NotFound'), unreachable);
    stage.tell();
    stage.tell();
    await stage.clock.pass(60_000);
    expect(stage.story).toEqual(['POST said 1', 'PATCH said 2', 'POST said 2', 'PATCH said 2']);
  });
});

describe('an event that is refused', () => {
  test.each([
    [403, 'Forbidden'],
    [404, 'NotFound'],
    [422, 'Invalid'],
  ])('with %i is given up, with one line in the log', async (code, reason) => {
    const stage = new EventStage();
    stage.next(refuse(code, reason));
    stage.tell('a');
    stage.tell('b');
    await stage.clock.pass(60_000);
    expect(stage.story).toEqual(['POST a 1', 'POST b 1']);
    expect(stage.said).toEqual(['error: An event could not be written and is given up']);
  });

  test('because its namespace goes is given up in silence', async () => {
    const stage = new EventStage();
    stage.next(refuse(403, 'Forbidden', [{ reason: 'NamespaceTerminating' }]));
    stage.tell();
    await stage.clock.pass(60_000);
    expect(stage.requests).toHaveLength(1);
    expect(stage.said).toEqual([]);
  });
});

describe('limits', () => {
  test('requests keep to the rate, after a burst', async () => {
    const stage = new EventStage({ qps: 2, burst: 3 });
    for (let index = 0; index < 7; index++) stage.tell('x', { ...POD, uid: `${index}` });
    await stage.clock.pass(10_000);
    expect(stage.times).toEqual([0, 0, 0, 500, 1000, 1500, 2000]);
  });

  test('a rate of 0 is no limit, as in KubeletConfiguration', async () => {
    const stage = new EventStage({ qps: 0, burst: 1 });
    for (let index = 0; index < 50; index++) stage.tell('x', { ...POD, uid: `${index}` });
    await stage.clock.pass(0);
    expect(stage.requests).toHaveLength(50);
  });

  test('the first thousand wait; what comes then is dropped, counted and said once', async () => {
    const stage = new EventStage();
    for (let index = 0; index < 1500; index++) stage.tell('x', { ...POD, uid: `${index}` });
    expect(stage.said).toEqual(['warn: Too many events wait to be written; new ones are dropped']);
    await stage.clock.pass(0);
    expect(stage.requests).toHaveLength(1000);
    expect(stage.said.slice(1)).toEqual(['warn: Events were dropped because too many waited']);
  });

  test('a pod that says too much is held back, and others are not', async () => {
    const stage = new EventStage();
    for (let index = 0; index < 40; index++) stage.tell('x');
    stage.tell('y', { ...POD, uid: 'other' });
    await stage.clock.pass(0);
    expect(stage.requests).toHaveLength(26);
    expect(stage.story).toContain('POST y 1');
  });
});

describe('flush', () => {
  async function isDone(promise: Promise<void>): Promise<boolean> {
    const pending = Symbol('pending');
    return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
  }

  test('is done at once when nothing waits', async () => {
    expect(await isDone(new EventStage().recorder.flush())).toBe(true);
  });

  test('waits until everything is written or given up', async () => {
    const stage = new EventStage();
    stage.next(unreachable, refuse(403, 'Forbidden'));
    stage.tell('a');
    stage.tell('b');
    const flushed = stage.recorder.flush();
    await stage.clock.pass(0);
    expect(await isDone(flushed)).toBe(false);
    await stage.clock.pass(10_000);
    expect(stage.story).toEqual(['POST a 1', 'POST a 1', 'POST b 1']);
    await flushed;
  });

  test('is done when all that is left is held back', async () => {
    const stage = new EventStage();
    for (let index = 0; index < 30; index++) stage.tell('x');
    const flushed = stage.recorder.flush();
    await stage.clock.pass(0);
    await flushed;
    expect(stage.requests).toHaveLength(25);
  });

  test('ends with its signal, and sending goes on', async () => {
    const stage = new EventStage();
    stage.next(unreachable);
    stage.tell();
    const enough = new AbortController();
    const flushed = stage.recorder.flush(enough.signal);
    await stage.clock.pass(0);
    enough.abort();
    await flushed;
    await stage.clock.pass(10_000);
    expect(stage.requests).toHaveLength(2);
  });
});

describe('stop', () => {
  test('ends what is under way and what waits, and says how much that was', async () => {
    const stage = new EventStage();
    stage.usually(silence);
    for (let index = 0; index < 9; index++) stage.tell('x', { ...POD, uid: `${index}` });
    await stage.clock.pass(0);
    const flushed = stage.recorder.flush();
    stage.recorder.stop();
    await flushed;
    await stage.clock.pass(600_000);
    expect(stage.requests).toHaveLength(4);
    expect(stage.underWay).toBe(0);
    expect(stage.clock.pending).toBe(0);
    expect(stage.said).toEqual(['warn: Some events were not written']);
  });

  test('cuts short a pause between two tries', async () => {
    const stage = new EventStage();
    stage.usually(unreachable);
    stage.tell();
    await stage.clock.pass(0);
    stage.recorder.stop();
    await stage.clock.pass(0);
    expect(stage.clock.pending).toBe(0);
  });

  test('is for good, and may be said twice', async () => {
    const stage = new EventStage();
    stage.recorder.stop();
    stage.recorder.stop();
    stage.tell();
    await stage.recorder.flush();
    await stage.clock.pass(10_000);
    expect(stage.requests).toEqual([]);
    expect(stage.said).toEqual([]);
  });
});

describe('while something more important is to be done', () => {
  test('events wait, and go when it is over', async () => {
    let isBusy = true;
    const stage = new EventStage({ isBusy: () => isBusy });
    stage.tell();
    await stage.clock.pass(500);
    expect(stage.requests).toEqual([]);
    isBusy = false;
    await stage.clock.pass(50);
    expect(stage.requests).toHaveLength(1);
  });

  test('they do not wait for ever', async () => {
    const stage = new EventStage({ isBusy: () => true });
    stage.tell('one');
    await stage.clock.pass(1100);
    stage.tell('two');
    await stage.clock.pass(0);
    expect(stage.requests).toHaveLength(2);
  });

  test('nor when somebody waits for them', async () => {
    const stage = new EventStage({ isBusy: () => true });
    stage.tell();
    const flushed = stage.recorder.flush();
    await stage.clock.pass(50);
    await flushed;
    expect(stage.requests).toHaveLength(1);
  });
});
