import { describe, expect, test } from 'vitest';
import {
  bookmark,
  EXPIRED,
  InformerHarness,
  listOf,
  NO_STREAM,
  pod,
} from '../../test/support/informer-harness.ts';
import { broken, Feed, feed, json } from '../../test/support/scripted-transport.ts';

describe('list, then watch', () => {
  test('the watch starts from the version of the list', async () => {
    const harness = new InformerHarness();
    const watch = new Feed();
    harness.transport.next(NO_STREAM, listOf('7', [pod('a', '3')]), feed(watch));
    const informer = harness.start({ fieldSelector: 'spec.nodeName=node1' });
    expect(informer.hasSynced).toBe(false);
    await harness.clock.pass(0);
    expect(harness.queries.slice(1)).toEqual([
      'fieldSelector=spec.nodeName=node1&resourceVersion=0&limit=500',
      'fieldSelector=spec.nodeName=node1&resourceVersion=7&watch=true',
    ]);
    watch.notify('ADDED', pod('b', '8'));
    watch.notify('MODIFIED', pod('a', '9'));
    watch.notify('DELETED', pod('b', '10'));
    await harness.clock.pass(0);
    expect(harness.notified).toEqual(['added a', 'added b', 'updated a', 'deleted b']);
    expect(informer.hasSynced).toBe(true);
    expect(informer.get('n/a')).toMatchObject({ metadata: { resourceVersion: '9' } });
    expect(informer.list()).toHaveLength(1);
  });

  test('items of a list get the kind of the list', async () => {
    const harness = new InformerHarness();
    harness.transport.next(NO_STREAM, listOf('7', [pod('a', '3')]));
    const informer = harness.start();
    await harness.clock.pass(0);
    expect(informer.get('n/a')).toMatchObject({ kind: 'Pod', apiVersion: 'v1' });
  });

  test('a long list comes in pages', async () => {
    const harness = new InformerHarness();
    harness.transport.next(
      NO_STREAM,
      listOf('7', [pod('a', '1')], 'more'),
      listOf('7', [pod('b', '2')]),
    );
    harness.start();
    await harness.clock.pass(0);
    expect(harness.queries[2]).toBe('limit=500&continue=more');
    expect(harness.notified).toEqual(['added a', 'added b']);
  });

  test('pages that grew too old are replaced by one whole list', async () => {
    const harness = new InformerHarness();
    harness.transport.next(
      NO_STREAM,
      listOf('7', [pod('a', '1')], 'more'),
      json(410, EXPIRED),
      listOf('9', [pod('b', '2')]),
    );
    harness.start();
    await harness.clock.pass(0);
    expect(harness.queries.slice(2)).toEqual([
      'limit=500&continue=more',
      '',
      'resourceVersion=9&watch=true',
    ]);
    expect(harness.notified).toEqual(['added b']);
  });

  test('a bookmark moves the version, and no handler is called', async () => {
    const harness = new InformerHarness();
    const [first, second] = [new Feed(), new Feed()];
    harness.transport.next(NO_STREAM, listOf('7', []), feed(first), feed(second));
    harness.start();
    await harness.clock.pass(0);
    first.notify('BOOKMARK', bookmark('40'));
    first.end();
    await harness.clock.pass(0);
    expect(harness.queries.at(-1)).toBe('resourceVersion=40&watch=true');
    expect(harness.notified).toEqual([]);
  });

  test('a subscriber to lists gets them whole, and changes one by one', async () => {
    const harness = new InformerHarness();
    const watch = new Feed();
    harness.transport.next(NO_STREAM, listOf('7', [pod('a', '1')]), feed(watch));
    const lists: number[] = [];
    const added: object[] = [];
    harness.start({
      handlers: {
        listed: (objects) => lists.push(objects.length),
        added: (object) => added.push(object),
      },
    });
    await harness.clock.pass(0);
    watch.notify('ADDED', pod('b', '8'));
    await harness.clock.pass(0);
    expect([lists, added.length]).toEqual([[1], 1]);
  });
});

describe('list and watch in one', () => {
  test('initial objects, the end of them, and changes come on one connection', async () => {
    const harness = new InformerHarness();
    const watch = new Feed();
    harness.transport.next(feed(watch));
    const informer = harness.start();
    watch.notify('ADDED', pod('a', '3'));
    watch.notify('ADDED', pod('b', '2'));
    watch.notify('DELETED', pod('b', '4'));
    await harness.clock.pass(0);
    expect([harness.notified, informer.hasSynced]).toEqual([[], false]);
    watch.notify('BOOKMARK', bookmark('5', true));
    watch.notify('ADDED', pod('c', '6'));
    await harness.clock.pass(0);
    expect(harness.notified).toEqual(['added a', 'added c']);
    expect(harness.queries).toEqual([
      'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&watch=true',
    ]);
  });

  test('a server that refuses to stream is listed immediately, and not asked to stream again', async () => {
    const harness = new InformerHarness();
    const watch = new Feed();
    harness.transport.next(NO_STREAM, listOf('7', []), feed(watch), listOf('9', []));
    harness.start();
    await harness.clock.pass(0);
    watch.notify('ERROR', EXPIRED);
    await harness.clock.pass(0);
    expect(harness.queries.slice(1)).toEqual([
      'resourceVersion=0&limit=500',
      'resourceVersion=7&watch=true',
      'resourceVersion=7',
      'resourceVersion=9&watch=true',
    ]);
  });

  test('a server that cannot stream, and says so late and as an error, is listed immediately', async () => {
    const harness = new InformerHarness();
    const watch = new Feed();
    harness.transport.next(feed(watch), listOf('7', [pod('a', '1')]));
    harness.start();
    watch.notify('ERROR', {
      kind: 'Status',
      code: 500,
      message: 'RequestWatchProgress is disabled',
    });
    await harness.clock.pass(0);
    expect(harness.notified).toEqual(['added a']);
  });

  test('a busy server is asked to stream again', async () => {
    const harness = new InformerHarness();
    harness.transport.next(json(429, { kind: 'Status', code: 429 }));
    harness.start();
    await harness.clock.pass(800);
    expect(harness.queries[1]).toBe(harness.queries[0]);
  });

  test('a server that never ends the initial objects is listed after a minute', async () => {
    const harness = new InformerHarness();
    const watch = new Feed();
    harness.transport.next(feed(watch), listOf('7', [pod('a', '1')]));
    harness.start();
    watch.notify('ADDED', pod('a', '1'));
    await harness.clock.pass(59_999);
    expect(harness.notified).toEqual([]);
    await harness.clock.pass(1);
    expect(harness.notified).toEqual(['added a']);
    expect(watch.isClosed).toBe(true);
  });
});

describe('an informer', () => {
  test('is not stopped by a handler that throws', async () => {
    const harness = new InformerHarness();
    const watch = new Feed();
    harness.transport.next(feed(watch));
    const informer = harness.start({
      handlers: {
        added: () => {
          throw new Error('my mistake');
        },
      },
    });
    watch.notify('ADDED', pod('a', '3'));
    watch.notify('BOOKMARK', bookmark('5', true));
    watch.notify('ADDED', pod('b', '6'));
    await harness.clock.pass(0);
    expect(informer.list()).toHaveLength(2);
  });

  test('that is stopped calls no handler, and leaves no timer and no connection', async () => {
    const harness = new InformerHarness();
    const watch = new Feed();
    harness.transport.next(feed(watch));
    const informer = harness.start();
    watch.notify('BOOKMARK', bookmark('5', true));
    await harness.clock.pass(0);
    watch.notify('ADDED', pod('b', '6'));
    informer.stop();
    await harness.clock.pass(600_000);
    expect([harness.notified, harness.clock.pending, watch.isClosed]).toEqual([[], 0, true]);
    expect(harness.transport.requests).toHaveLength(1);
  });

  test('that a handler stops calls no handler again, and keeps its copy as it is', async () => {
    const harness = new InformerHarness();
    const watch = new Feed();
    harness.transport.next(feed(watch));
    const seen: object[] = [];
    const informer = harness.start({
      handlers: {
        added: (object) => {
          if (seen.push(object) === 3) informer.stop();
        },
      },
    });
    const lines = [
      { type: 'ADDED', object: pod('a', '1') },
      { type: 'BOOKMARK', object: bookmark('5', true) },
      ...['b', 'c', 'd'].map((name) => ({ type: 'ADDED', object: pod(name, '6') })),
    ];
    watch.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await harness.clock.pass(0);
    expect([seen.length, informer.list().length]).toEqual([3, 3]);
  });

  test('that a handler stops in the middle of a list reports no more of it', async () => {
    const harness = new InformerHarness();
    harness.transport.next(NO_STREAM, listOf('7', [pod('a', '1'), pod('b', '2')]));
    const seen: object[] = [];
    const informer = harness.start({
      handlers: {
        added: (object) => {
          seen.push(object);
          informer.stop();
        },
      },
    });
    await harness.clock.pass(0);
    expect(seen).toHaveLength(1);
  });

  test('that is stopped while it waits to try again does not try again', async () => {
    const harness = new InformerHarness();
    harness.transport.next(broken(new Error('no')));
    const informer = harness.start();
    await harness.clock.pass(100);
    informer.stop();
    await harness.clock.pass(600_000);
    expect([harness.clock.pending, harness.transport.requests.length]).toEqual([0, 1]);
  });
});
