import { describe, expect, test } from 'vitest';
import {
  bookmark,
  EXPIRED,
  InformerStage,
  listOf,
  NO_STREAM,
  pod,
} from '../../test/support/informer-stage.ts';
import { broken, Feed, feed, json } from '../../test/support/scripted-transport.ts';

describe('list, then watch', () => {
  test('the watch goes on from the version of the list', async () => {
    const stage = new InformerStage();
    const watch = new Feed();
    stage.transport.next(NO_STREAM, listOf('7', [pod('a', '3')]), feed(watch));
    const informer = stage.start({ fieldSelector: 'spec.nodeName=node1' });
    expect(informer.hasSynced).toBe(false);
    await stage.clock.pass(0);
    expect(stage.queries.slice(1)).toEqual([
      'fieldSelector=spec.nodeName=node1&resourceVersion=0&limit=500',
      'fieldSelector=spec.nodeName=node1&resourceVersion=7&watch=true',
    ]);
    watch.tell('ADDED', pod('b', '8'));
    watch.tell('MODIFIED', pod('a', '9'));
    watch.tell('DELETED', pod('b', '10'));
    await stage.clock.pass(0);
    expect(stage.told).toEqual(['added a', 'added b', 'updated a', 'deleted b']);
    expect(informer.hasSynced).toBe(true);
    expect(informer.get('n/a')).toMatchObject({ metadata: { resourceVersion: '9' } });
    expect(informer.list()).toHaveLength(1);
  });

  test('items of a list get the kind that the list says for all', async () => {
    const stage = new InformerStage();
    stage.transport.next(NO_STREAM, listOf('7', [pod('a', '3')]));
    const informer = stage.start();
    await stage.clock.pass(0);
    expect(informer.get('n/a')).toMatchObject({ kind: 'Pod', apiVersion: 'v1' });
  });

  test('a long list comes in pages', async () => {
    const stage = new InformerStage();
    stage.transport.next(
      NO_STREAM,
      listOf('7', [pod('a', '1')], 'more'),
      listOf('7', [pod('b', '2')]),
    );
    stage.start();
    await stage.clock.pass(0);
    expect(stage.queries[2]).toBe('limit=500&continue=more');
    expect(stage.told).toEqual(['added a', 'added b']);
  });

  test('pages that grew too old are given up for a whole list', async () => {
    const stage = new InformerStage();
    stage.transport.next(
      NO_STREAM,
      listOf('7', [pod('a', '1')], 'more'),
      json(410, EXPIRED),
      listOf('9', [pod('b', '2')]),
    );
    stage.start();
    await stage.clock.pass(0);
    expect(stage.queries.slice(2)).toEqual([
      'limit=500&continue=more',
      '',
      'resourceVersion=9&watch=true',
    ]);
    expect(stage.told).toEqual(['added b']);
  });

  test('a bookmark moves the place, and is told to nobody', async () => {
    const stage = new InformerStage();
    const [first, second] = [new Feed(), new Feed()];
    stage.transport.next(NO_STREAM, listOf('7', []), feed(first), feed(second));
    stage.start();
    await stage.clock.pass(0);
    first.tell('BOOKMARK', bookmark('40'));
    first.end();
    await stage.clock.pass(0);
    expect(stage.queries.at(-1)).toBe('resourceVersion=40&watch=true');
    expect(stage.told).toEqual([]);
  });

  test('one who asks for lists gets them whole, and changes one by one', async () => {
    const stage = new InformerStage();
    const watch = new Feed();
    stage.transport.next(NO_STREAM, listOf('7', [pod('a', '1')]), feed(watch));
    const lists: number[] = [];
    const added: object[] = [];
    stage.start({
      handlers: {
        listed: (objects) => lists.push(objects.length),
        added: (object) => added.push(object),
      },
    });
    await stage.clock.pass(0);
    watch.tell('ADDED', pod('b', '8'));
    await stage.clock.pass(0);
    expect([lists, added.length]).toEqual([[1], 1]);
  });
});

describe('list and watch in one', () => {
  test('all there is, the end of it, and the changes come on one connection', async () => {
    const stage = new InformerStage();
    const watch = new Feed();
    stage.transport.next(feed(watch));
    const informer = stage.start();
    watch.tell('ADDED', pod('a', '3'));
    watch.tell('ADDED', pod('b', '2'));
    watch.tell('DELETED', pod('b', '4'));
    await stage.clock.pass(0);
    expect([stage.told, informer.hasSynced]).toEqual([[], false]);
    watch.tell('BOOKMARK', bookmark('5', true));
    watch.tell('ADDED', pod('c', '6'));
    await stage.clock.pass(0);
    expect(stage.told).toEqual(['added a', 'added c']);
    expect(stage.queries).toEqual([
      'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&watch=true',
    ]);
  });

  test('a server that refuses it is listed at once, and not asked for it again', async () => {
    const stage = new InformerStage();
    const watch = new Feed();
    stage.transport.next(NO_STREAM, listOf('7', []), feed(watch), listOf('9', []));
    stage.start();
    await stage.clock.pass(0);
    watch.tell('ERROR', EXPIRED);
    await stage.clock.pass(0);
    expect(stage.queries.slice(1)).toEqual([
      'resourceVersion=0&limit=500',
      'resourceVersion=7&watch=true',
      'resourceVersion=7',
      'resourceVersion=9&watch=true',
    ]);
  });

  test('a server that cannot do it, and says so late and as an error, is listed at once', async () => {
    const stage = new InformerStage();
    const watch = new Feed();
    stage.transport.next(feed(watch), listOf('7', [pod('a', '1')]));
    stage.start();
    watch.tell('ERROR', { kind: 'Status', code: 500, message: 'RequestWatchProgress is disabled' });
    await stage.clock.pass(0);
    expect(stage.told).toEqual(['added a']);
  });

  test('a server that is busy is asked for it again', async () => {
    const stage = new InformerStage();
    stage.transport.next(json(429, { kind: 'Status', code: 429 }));
    stage.start();
    await stage.clock.pass(800);
    expect(stage.queries[1]).toBe(stage.queries[0]);
  });

  test('a server that never says that this was all is listed after a minute', async () => {
    const stage = new InformerStage();
    const watch = new Feed();
    stage.transport.next(feed(watch), listOf('7', [pod('a', '1')]));
    stage.start();
    watch.tell('ADDED', pod('a', '1'));
    await stage.clock.pass(59_999);
    expect(stage.told).toEqual([]);
    await stage.clock.pass(1);
    expect(stage.told).toEqual(['added a']);
    expect(watch.isClosed).toBe(true);
  });
});

describe('an informer', () => {
  test('is not stopped by a handler that throws', async () => {
    const stage = new InformerStage();
    const watch = new Feed();
    stage.transport.next(feed(watch));
    const informer = stage.start({
      handlers: {
        added: () => {
          throw new Error('my mistake');
        },
      },
    });
    watch.tell('ADDED', pod('a', '3'));
    watch.tell('BOOKMARK', bookmark('5', true));
    watch.tell('ADDED', pod('b', '6'));
    await stage.clock.pass(0);
    expect(informer.list()).toHaveLength(2);
  });

  test('that is stopped calls nobody, and leaves no timer and no connection', async () => {
    const stage = new InformerStage();
    const watch = new Feed();
    stage.transport.next(feed(watch));
    const informer = stage.start();
    watch.tell('BOOKMARK', bookmark('5', true));
    await stage.clock.pass(0);
    watch.tell('ADDED', pod('b', '6'));
    informer.stop();
    await stage.clock.pass(600_000);
    expect([stage.told, stage.clock.pending, watch.isClosed]).toEqual([[], 0, true]);
    expect(stage.transport.requests).toHaveLength(1);
  });

  test('that a handler stops tells nothing more, and keeps its copy as it is', async () => {
    const stage = new InformerStage();
    const watch = new Feed();
    stage.transport.next(feed(watch));
    const seen: object[] = [];
    const informer = stage.start({
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
    await stage.clock.pass(0);
    expect([seen.length, informer.list().length]).toEqual([3, 3]);
  });

  test('that a handler stops in the middle of a list tells no more of it', async () => {
    const stage = new InformerStage();
    stage.transport.next(NO_STREAM, listOf('7', [pod('a', '1'), pod('b', '2')]));
    const seen: object[] = [];
    const informer = stage.start({
      handlers: {
        added: (object) => {
          seen.push(object);
          informer.stop();
        },
      },
    });
    await stage.clock.pass(0);
    expect(seen).toHaveLength(1);
  });

  test('that is stopped while it waits to try again tries no more', async () => {
    const stage = new InformerStage();
    stage.transport.next(broken(new Error('no')));
    const informer = stage.start();
    await stage.clock.pass(100);
    informer.stop();
    await stage.clock.pass(600_000);
    expect([stage.clock.pending, stage.transport.requests.length]).toEqual([0, 1]);
  });
});
