import { describe, expect, test } from 'vitest';
import { bookmark, EXPIRED, InformerStage, pod } from '../../test/support/informer-stage.ts';
import {
  broken,
  Feed,
  feed,
  json,
  silence,
  type Reply,
} from '../../test/support/scripted-transport.ts';

describe('a watch that fails', () => {
  /** In place at version 5, with one pod, on `watch`. */
  async function inPlace(...more: readonly Reply[]) {
    const stage = new InformerStage();
    const watch = new Feed();
    stage.transport.next(feed(watch), ...more);
    const informer = stage.start();
    watch.tell('ADDED', pod('a', '3'));
    watch.tell('BOOKMARK', bookmark('5', true));
    await stage.clock.pass(2000);
    stage.told.length = 0;
    return { stage, watch, informer };
  }

  test('by its time being over is opened again at once, from the last version', async () => {
    const again = new Feed();
    const { stage, watch } = await inPlace(feed(again));
    watch.tell('MODIFIED', pod('a', '6'));
    watch.end();
    await stage.clock.pass(0);
    expect(stage.queries[1]).toBe('resourceVersion=6&watch=true');
    again.tell('DELETED', pod('a', '7'));
    await stage.clock.pass(0);
    expect(stage.told).toEqual(['updated a', 'deleted a']);
  });

  test('by a cut in the middle of a line loses nothing', async () => {
    const again = new Feed();
    const { stage, watch } = await inPlace(feed(again));
    watch.write('{"type":"MODIFIED","obj');
    watch.end();
    await stage.clock.pass(0);
    expect(stage.queries[1]).toBe('resourceVersion=5&watch=true');
    again.tell('MODIFIED', pod('a', '6'));
    await stage.clock.pass(0);
    expect(stage.told).toEqual(['updated a']);
  });

  test('by a connection that breaks is opened again at once, and later if that breaks too', async () => {
    const again = new Feed();
    const { stage, watch } = await inPlace(feed(again), silence);
    watch.fail(new Error('connection reset'));
    await stage.clock.pass(0);
    expect(stage.transport.requests).toHaveLength(2);
    again.fail(new Error('connection reset'));
    await stage.clock.pass(799);
    expect(stage.transport.requests).toHaveLength(2);
    await stage.clock.pass(1);
    expect(stage.queries[2]).toBe('resourceVersion=5&watch=true');
  });

  test('because nobody is there is tried after 0.8, 1.6, 3.2 s, and keeps its place', async () => {
    const refused = broken(new Error('connect ECONNREFUSED'));
    const { stage, watch } = await inPlace(refused, refused, refused);
    watch.end();
    await stage.clock.pass(0);
    const startMs = stage.clock.monotonic();
    const at: number[] = [];
    while (stage.transport.requests.length < 5) {
      const before = stage.transport.requests.length;
      await stage.clock.pass(100);
      if (stage.transport.requests.length > before) at.push(stage.clock.monotonic() - startMs);
    }
    expect(at).toEqual([800, 2400, 5600]);
    expect(new Set(stage.queries.slice(1))).toEqual(new Set(['resourceVersion=5&watch=true']));
  });

  test('with 410 reads everything anew, at once the first time', async () => {
    const again = new Feed();
    const { stage, watch } = await inPlace(feed(again));
    watch.tell('ERROR', EXPIRED);
    await stage.clock.pass(0);
    expect(stage.queries[1]).toBe(
      'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=5&watch=true',
    );
    again.tell('ADDED', pod('b', '9'));
    again.tell('BOOKMARK', bookmark('9', true));
    await stage.clock.pass(0);
    expect(stage.told).toEqual(['deleted a', 'added b']);
  });

  test('with 410 again and again waits longer and longer', async () => {
    const expired = json(410, EXPIRED);
    const { stage, watch } = await inPlace(expired, expired, expired);
    watch.tell('ERROR', EXPIRED);
    await stage.clock.pass(0);
    expect(stage.transport.requests).toHaveLength(2);
    await stage.clock.pass(800);
    expect(stage.transport.requests).toHaveLength(3);
    expect(stage.queries[2]).not.toContain('resourceVersion=5');
    await stage.clock.pass(1599);
    expect(stage.transport.requests).toHaveLength(3);
    await stage.clock.pass(1);
    expect(stage.transport.requests).toHaveLength(4);
  });

  test('with a version that the server never had asks for whatever there is now', async () => {
    const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
    const tooLarge = {
      kind: 'Status',
      code: 504,
      reason: 'Timeout',
      message: 'x',
      details: { causes },
    };
    const again = new Feed();
    const { stage, watch } = await inPlace(json(504, tooLarge), feed(again));
    watch.end();
    await stage.clock.pass(800);
    expect(stage.queries[2]).toBe(
      'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&watch=true',
    );
  });

  test('with 429 comes back when the server says so', async () => {
    const busy = { kind: 'Status', code: 429, reason: 'TooManyRequests', message: 'x' };
    const { stage, watch } = await inPlace(json(429, busy, { 'retry-after': '9' }), silence);
    watch.end();
    await stage.clock.pass(8999);
    expect(stage.transport.requests).toHaveLength(2);
    await stage.clock.pass(1);
    expect(stage.queries[2]).toBe('resourceVersion=5&watch=true');
  });

  test('by ending at once without a word is not opened in a loop', async () => {
    const short = new Feed();
    short.end();
    const { stage, watch } = await inPlace(feed(short), silence);
    watch.end();
    await stage.clock.pass(799);
    expect(stage.transport.requests).toHaveLength(2);
    await stage.clock.pass(1);
    expect(stage.queries[2]).toContain('sendInitialEvents=true');
  });

  test('by silence beyond its time is given up: the connection is dead', async () => {
    const { stage, watch } = await inPlace(silence);
    await stage.clock.pass(330_000);
    expect(watch.isClosed).toBe(true);
    expect(stage.transport.requests).toHaveLength(2);
    expect(stage.queries[1]).toBe('resourceVersion=5&watch=true');
  });

  test('tells of an object that took the name of another as two', async () => {
    const again = new Feed();
    const { stage, watch } = await inPlace(feed(again));
    watch.tell('ERROR', EXPIRED);
    again.tell('ADDED', pod('a', '9', 'another'));
    again.tell('BOOKMARK', bookmark('9', true));
    await stage.clock.pass(0);
    expect(stage.told).toEqual(['deleted a', 'added a']);
  });
});
