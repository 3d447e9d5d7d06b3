import { describe, expect, test } from 'vitest';
import { bookmark, EXPIRED, InformerHarness, pod } from '../../test/support/informer-harness.ts';
import {
  broken,
  Feed,
  feed,
  json,
  silence,
  type Reply,
} from '../../test/support/scripted-transport.ts';

describe('a watch that fails', () => {
  /** Synced at version 5, with one pod, on `watch`. */
  async function inPlace(...more: readonly Reply[]) {
    const harness = new InformerHarness();
    const watch = new Feed();
    harness.transport.next(feed(watch), ...more);
    const informer = harness.start();
    watch.notify('ADDED', pod('a', '3'));
    watch.notify('BOOKMARK', bookmark('5', true));
    await harness.clock.pass(2000);
    harness.notified.length = 0;
    return { harness, watch, informer };
  }

  test('by its time being over is opened again immediately, from the last version', async () => {
    const again = new Feed();
    const { harness, watch } = await inPlace(feed(again));
    watch.notify('MODIFIED', pod('a', '6'));
    watch.end();
    await harness.clock.pass(0);
    expect(harness.queries[1]).toBe('resourceVersion=6&watch=true');
    again.notify('DELETED', pod('a', '7'));
    await harness.clock.pass(0);
    expect(harness.notified).toEqual(['updated a', 'deleted a']);
  });

  test('by a cut in the middle of a line loses nothing', async () => {
    const again = new Feed();
    const { harness, watch } = await inPlace(feed(again));
    watch.write('{"type":"MODIFIED","obj');
    watch.end();
    await harness.clock.pass(0);
    expect(harness.queries[1]).toBe('resourceVersion=5&watch=true');
    again.notify('MODIFIED', pod('a', '6'));
    await harness.clock.pass(0);
    expect(harness.notified).toEqual(['updated a']);
  });

  test('by a connection that breaks is opened again immediately, and later if that breaks too', async () => {
    const again = new Feed();
    const { harness, watch } = await inPlace(feed(again), silence);
    watch.fail(new Error('connection reset'));
    await harness.clock.pass(0);
    expect(harness.transport.requests).toHaveLength(2);
    again.fail(new Error('connection reset'));
    await harness.clock.pass(799);
    expect(harness.transport.requests).toHaveLength(2);
    await harness.clock.pass(1);
    expect(harness.queries[2]).toBe('resourceVersion=5&watch=true');
  });

  test('because the server cannot be reached is tried after 0.8, 1.6, 3.2 s, and keeps its version', async () => {
    const refused = broken(new Error('connect ECONNREFUSED'));
    const { harness, watch } = await inPlace(refused, refused, refused);
    watch.end();
    await harness.clock.pass(0);
    const startMs = harness.clock.monotonic();
    const at: number[] = [];
    while (harness.transport.requests.length < 5) {
      const before = harness.transport.requests.length;
      await harness.clock.pass(100);
      if (harness.transport.requests.length > before) at.push(harness.clock.monotonic() - startMs);
    }
    expect(at).toEqual([800, 2400, 5600]);
    expect(new Set(harness.queries.slice(1))).toEqual(new Set(['resourceVersion=5&watch=true']));
  });

  test('with 410 lists everything again, immediately the first time', async () => {
    const again = new Feed();
    const { harness, watch } = await inPlace(feed(again));
    watch.notify('ERROR', EXPIRED);
    await harness.clock.pass(0);
    expect(harness.queries[1]).toBe(
      'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=5&watch=true',
    );
    again.notify('ADDED', pod('b', '9'));
    again.notify('BOOKMARK', bookmark('9', true));
    await harness.clock.pass(0);
    expect(harness.notified).toEqual(['deleted a', 'added b']);
  });

  test('with 410 repeatedly waits longer and longer', async () => {
    const expired = json(410, EXPIRED);
    const { harness, watch } = await inPlace(expired, expired, expired);
    watch.notify('ERROR', EXPIRED);
    await harness.clock.pass(0);
    expect(harness.transport.requests).toHaveLength(2);
    await harness.clock.pass(800);
    expect(harness.transport.requests).toHaveLength(3);
    expect(harness.queries[2]).not.toContain('resourceVersion=5');
    await harness.clock.pass(1599);
    expect(harness.transport.requests).toHaveLength(3);
    await harness.clock.pass(1);
    expect(harness.transport.requests).toHaveLength(4);
  });

  test('with a version that the server never had lists the newest state', async () => {
    const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
    const tooLarge = {
      kind: 'Status',
      code: 504,
      reason: 'Timeout',
      message: 'x',
      details: { causes },
    };
    const again = new Feed();
    const { harness, watch } = await inPlace(json(504, tooLarge), feed(again));
    watch.end();
    await harness.clock.pass(800);
    expect(harness.queries[2]).toBe(
      'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&watch=true',
    );
  });

  test('with 429 is tried again when the server says so', async () => {
    const busy = { kind: 'Status', code: 429, reason: 'TooManyRequests', message: 'x' };
    const { harness, watch } = await inPlace(json(429, busy, { 'retry-after': '9' }), silence);
    watch.end();
    await harness.clock.pass(8999);
    expect(harness.transport.requests).toHaveLength(2);
    await harness.clock.pass(1);
    expect(harness.queries[2]).toBe('resourceVersion=5&watch=true');
  });

  test('by ending immediately without an event is not opened in a loop', async () => {
    const short = new Feed();
    short.end();
    const { harness, watch } = await inPlace(feed(short), silence);
    watch.end();
    await harness.clock.pass(799);
    expect(harness.transport.requests).toHaveLength(2);
    await harness.clock.pass(1);
    expect(harness.queries[2]).toContain('sendInitialEvents=true');
  });

  test('by silence beyond its time is given up: the connection is dead', async () => {
    const { harness, watch } = await inPlace(silence);
    await harness.clock.pass(330_000);
    expect(watch.isClosed).toBe(true);
    expect(harness.transport.requests).toHaveLength(2);
    expect(harness.queries[1]).toBe('resourceVersion=5&watch=true');
  });

  test('reports an object that took the name of another as two changes', async () => {
    const again = new Feed();
    const { harness, watch } = await inPlace(feed(again));
    watch.notify('ERROR', EXPIRED);
    again.notify('ADDED', pod('a', '9', 'another'));
    again.notify('BOOKMARK', bookmark('9', true));
    await harness.clock.pass(0);
    expect(harness.notified).toEqual(['deleted a', 'added a']);
  });
});
