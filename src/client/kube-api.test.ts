import { getEventListeners } from 'node:events';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  broken,
  Feed,
  feed,
  json,
  ScriptedTransport,
  silence,
  text,
} from '../../test/support/scripted-transport.ts';
import { promisesSettled, VirtualClock } from '../../test/support/virtual-clock.ts';
import type { KubeWatchEvent } from '../ports/api/kube-api.ts';
import { createKubeApi, type KubeApiOptions } from './kube-api.ts';

function harness(options: Partial<KubeApiOptions> = {}) {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport();
  const api = createKubeApi(transport, { clock, version: '1.2.3', ...options });
  return { clock, transport, api };
}

const PODS = '/api/v1/namespaces/default/pods';
const never = (): AbortSignal => new AbortController().signal;

describe('a request', () => {
  test('carries its query, its body as JSON, and credentials', async () => {
    const { api, transport } = harness();
    transport.next(json(201, { kind: 'Pod' }));
    const request = { method: 'POST', path: PODS, query: { dryRun: 'All', a: 'b c&d' } } as const;
    await expect(api.send({ ...request, body: { kind: 'Pod' } })).resolves.toEqual({ kind: 'Pod' });
    expect(transport.requests).toEqual([
      {
        method: 'POST',
        target: `${PODS}?dryRun=All&a=b+c%26d`,
        headers: {
          accept: 'application/json',
          'user-agent': 'podkeep/1.2.3',
          'content-type': 'application/json',
        },
        body: { kind: 'Pod' },
      },
    ]);
  });

  test('is answered with every digit of an integer', async () => {
    const { api, transport } = harness();
    transport.next(text(200, '{"spec":{"seconds":9223372036854775807}}'));
    const answer = await api.send({ method: 'GET', path: PODS });
    expect(answer).toEqual({ spec: { seconds: 9223372036854775807n } });
  });

  test('that patches names the type of the patch', async () => {
    const { api, transport } = harness();
    transport.next(json(200, {}));
    const contentType = 'application/merge-patch+json';
    await api.send({ method: 'PATCH', path: PODS, body: {}, contentType });
    expect(transport.requests[0]?.headers).toMatchObject({ 'content-type': contentType });
  });

  test('that gets no answer ends after its timeout, and leaves no timer', async () => {
    const { api, transport, clock } = harness({ requestTimeoutMs: 5000 });
    transport.next(silence);
    const sent = api.send({ method: 'GET', path: PODS }).catch((error: unknown) => error);
    await clock.pass(5000);
    expect(await sent).toMatchObject({
      code: 'API_TIMED_OUT',
      message: `GET ${PODS} was not answered within 5 s`,
    });
    expect(clock.pending).toBe(0);
  });

  test('ends with the reason of its signal, even in the middle of the answer', async () => {
    const { api, transport, clock } = harness();
    const body = new Feed();
    transport.next(feed(body));
    const abort = new AbortController();
    const sent = api.send({ method: 'GET', path: PODS }, abort.signal);
    body.write('{"kind":');
    await promisesSettled();
    const reason = new Error('the pod is gone');
    abort.abort(reason);
    await expect(sent).rejects.toBe(reason);
    await promisesSettled();
    expect([clock.pending, body.isClosed]).toEqual([0, true]);
  });

  test('leaves nothing behind on the signal of its caller', async () => {
    const { api, transport } = harness();
    transport.next(json(200, {}));
    const { signal } = new AbortController();
    await api.send({ method: 'GET', path: PODS }, signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('is not sent with a signal that is aborted already', async () => {
    const { api, transport } = harness();
    const reason = new Error('too late');
    const request = { method: 'GET', path: PODS } as const;
    await expect(api.send(request, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(transport.requests).toEqual([]);
  });

  test('passes on the error of the transport for an unreachable server', async () => {
    const { api, transport } = harness();
    const refused = new Error('connect ECONNREFUSED');
    transport.next(broken(refused));
    await expect(api.send({ method: 'GET', path: PODS })).rejects.toBe(refused);
  });

  test.each([
    ['[]', 'it is not an object'],
    ['<html>', 'it is not JSON'],
  ])('answered with %s cannot be used', async (body, problem) => {
    const { api, transport } = harness();
    transport.next(text(200, body));
    await expect(api.send({ method: 'GET', path: PODS })).rejects.toMatchObject({
      code: 'API_ANSWER_BROKEN',
      message: `the answer to GET ${PODS} cannot be used: ${problem}`,
    });
  });

  test('waits for its turn where the rate is limited (KL-107)', async () => {
    const { api, transport, clock } = harness({ rateLimit: { qps: 2, burst: 3 } });
    transport.next(...Array.from({ length: 5 }, () => json(200, {})));
    const sent = Array.from({ length: 5 }, () => api.send({ method: 'GET', path: PODS }));
    await promisesSettled();
    expect(transport.requests).toHaveLength(3);
    await clock.pass(499);
    expect(transport.requests).toHaveLength(3);
    await clock.pass(1);
    expect(transport.requests).toHaveLength(4);
    await clock.pass(500);
    await Promise.all(sent);
  });
});

describe('a refusal', () => {
  const refusal = async (...answer: Parameters<typeof json>): Promise<unknown> => {
    const { api, transport } = harness();
    transport.next(json(...answer));
    return api.send({ method: 'GET', path: PODS }).catch((error: unknown) => error);
  };

  test('keeps the message, the reason and the causes of the API', async () => {
    const causes = [{ field: 'metadata.uid', reason: 'FieldValueInvalid', message: 'immutable' }];
    const status = {
      kind: 'Status',
      code: 422,
      reason: 'Invalid',
      message: 'no',
      details: { causes },
    };
    expect(await refusal(422, status)).toMatchObject({
      code: 'API_REFUSED',
      message: 'no',
      statusCode: 422,
      reason: 'Invalid',
      causes,
      retryAfterMs: null,
    });
  });

  test.each([
    ['seconds', { 'retry-after': '7' }, {}, 7000],
    ['a date', { 'retry-after': 'Wed, 02 Jan 2030 03:04:15 GMT' }, {}, 10_000],
    ['a date that is over', { 'retry-after': 'Wed, 02 Jan 2030 03:00:00 GMT' }, {}, 0],
    ['the details', {}, { retryAfterSeconds: 3 }, 3000],
    ['nobody', { 'retry-after': 'soon' }, {}, null],
  ])('says when to try again: by %s', async (_by, headers, details, retryAfterMs) => {
    const status = {
      kind: 'Status',
      code: 429,
      reason: 'TooManyRequests',
      message: 'later',
      details,
    };
    expect(await refusal(429, status, headers)).toMatchObject({ statusCode: 429, retryAfterMs });
  });

  test('by a proxy in front of the API is known by its status code', async () => {
    const { api, transport } = harness();
    transport.next(text(503, '<h1>no backend</h1>\n'));
    await expect(api.send({ method: 'GET', path: PODS })).rejects.toMatchObject({
      statusCode: 503,
      reason: 'ServiceUnavailable',
      retry: 'backoff',
      message: `GET ${PODS} was answered with 503: <h1>no backend</h1>`,
    });
  });

  test('that redirects is not followed', async () => {
    expect(await refusal(302, {}, { location: 'http://elsewhere' })).toMatchObject({
      statusCode: 302,
      reason: 'Unknown',
    });
  });
});

describe('a watch', () => {
  const read = async (events: AsyncIterable<KubeWatchEvent>): Promise<KubeWatchEvent[]> => {
    const list: KubeWatchEvent[] = [];
    for await (const event of events) list.push(event);
    return list;
  };

  test('yields each event when its line is complete, an ERROR event too', async () => {
    const { api, transport } = harness();
    const body = new Feed();
    transport.next(feed(body));
    const watch = api.watch(PODS, { resourceVersion: '5' }, never())[Symbol.asyncIterator]();
    const first = watch.next();
    body.write('{"type":"ADDED","object":{"a"');
    body.write(':1}}\n\n{"type":"ERROR","object":{}}\n');
    expect((await first).value).toEqual({ type: 'ADDED', object: { a: 1 } });
    expect((await watch.next()).value).toEqual({ type: 'ERROR', object: {} });
    body.end();
    expect((await watch.next()).done).toBe(true);
    expect(transport.requests[0]?.target).toBe(`${PODS}?resourceVersion=5&watch=true`);
  });

  test('yields the same events wherever the network cuts its bytes', async () => {
    const object = { name: 'zażółć 🐢', nested: { list: ['\n', 'é'] } };
    const events = [1, 2, 3].map((index) => ({ type: 'ADDED', object: { ...object, index } }));
    const bytes = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const { api, transport } = harness();
        const body = new Feed();
        transport.next(feed(body));
        let from = 0;
        for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
          body.write(bytes.subarray(from, cut));
          from = cut;
        }
        body.end();
        expect(await read(api.watch(PODS, {}, never()))).toEqual(events);
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ['in the middle of a line', '{"type":"ADDED","obj', 'it was cut off in the middle of a line'],
    [
      'with a line of no event',
      '{"type":"GROWN","object":{}}\n',
      'it has a line that is not a watch event',
    ],
    ['with a line of no JSON', 'ADDED\n', 'it is not JSON'],
    ['with a line without end', 'x'.repeat(65), 'a line of it is longer than 64 characters'],
  ])('that ends %s is broken', async (_how, line, problem) => {
    const { api, transport } = harness({ lineCharsMax: 64 });
    const body = new Feed();
    transport.next(feed(body));
    body.write(line);
    body.end();
    await expect(read(api.watch(PODS, {}, never()))).rejects.toMatchObject({
      code: 'API_ANSWER_BROKEN',
      message: `the answer to watch of ${PODS} cannot be used: ${problem}`,
    });
    expect(body.isClosed).toBe(true);
  });

  test('that is refused says why', async () => {
    const { api, transport } = harness();
    transport.next(json(410, { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }));
    await expect(read(api.watch(PODS, {}, never()))).rejects.toMatchObject({
      statusCode: 410,
      reason: 'Expired',
    });
  });

  test('releases its connection when the reader stops', async () => {
    const { api, transport } = harness();
    const body = new Feed();
    transport.next(feed(body));
    body.notify('ADDED', {});
    for await (const event of api.watch(PODS, {}, never())) {
      expect(event.type).toBe('ADDED');
      break;
    }
    expect(body.isClosed).toBe(true);
  });

  test('ends with the reason of its signal', async () => {
    const { api, transport } = harness();
    transport.next(feed(new Feed()));
    const abort = new AbortController();
    const watched = read(api.watch(PODS, {}, abort.signal)).catch((error: unknown) => error);
    await promisesSettled();
    abort.abort(new Error('stopped'));
    expect(await watched).toBe(abort.signal.reason);
  });
});
