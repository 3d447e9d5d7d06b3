import { describe, expect, test } from 'vitest';
import { promisesSettled, VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { ApiRequest, ApiResponse, ClientIdentity } from '../../ports/api/http-handler.ts';
import type { KubeWatchEvent } from '../../ports/api/kube-api.ts';
import { createInProcessTransport } from './in-process-transport.ts';

const GET = { method: 'GET', target: '/x?y=1', headers: {}, body: null };

function respond(body: ApiResponse['body']): ApiResponse {
  return { status: 200, headers: [['Content-Type', 'a/b']], body };
}

describe('a server in this process', () => {
  test('gets the request, and the identity of the client', async () => {
    let seen: [ApiRequest, ClientIdentity] | undefined;
    const clientIdentity = { user: { name: 'me', groups: [] } };
    const transport = createInProcessTransport(
      { answer: async (...args) => ((seen = args), respond('yes')) },
      clientIdentity,
    );
    const request = {
      method: 'POST',
      target: '/a/%2e%2e',
      headers: { accept: 'x' },
      body: { a: 'żó' },
    };
    const { status, header, body } = await transport.send(request, new AbortController().signal);
    expect([status, header('content-type'), body]).toEqual([200, 'a/b', 'yes']);
    expect(seen?.[0]).toMatchObject({ method: 'POST', url: 'http://podkeep/a/%2e%2e' });
    expect([seen?.[0].headers.get('accept'), seen?.[1]]).toEqual(['x', clientIdentity]);
    const chunks: Uint8Array[] = [];
    for await (const chunk of seen?.[0].body ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('{"a":"żó"}');
    expect(seen?.[0].inProcess?.object).toBe(request.body);
  });

  test.each([
    [null, ''],
    [new TextEncoder().encode('é'), 'é'],
  ])('may answer with %s', async (given, body) => {
    const transport = createInProcessTransport({ answer: async () => respond(given) });
    expect((await transport.send(GET, new AbortController().signal)).body).toBe(body);
  });

  test('is left behind when the signal is aborted, and its late stream is cancelled', async () => {
    let answer: (response: ApiResponse) => void = () => {};
    const transport = createInProcessTransport({
      answer: () => new Promise((resolve) => (answer = resolve)),
    });
    const abort = new AbortController();
    const sent = transport.send(GET, abort.signal);
    abort.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    let isCancelled = false;
    answer(respond(new ReadableStream({ cancel: () => void (isCancelled = true) })));
    await promisesSettled();
    expect(isCancelled).toBe(true);
  });

  test('ends a stream that waits when the signal is aborted', async () => {
    let isCancelled = false;
    const stream = new ReadableStream<Uint8Array>({ cancel: () => void (isCancelled = true) });
    const transport = createInProcessTransport({ answer: async () => respond(stream) });
    const abort = new AbortController();
    const { body } = await transport.send(GET, abort.signal);
    const ended = (async () => {
      for await (const chunk of body) expect(chunk).toBeUndefined();
    })();
    await promisesSettled();
    abort.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
    expect(isCancelled).toBe(true);
  });
});

describe('events of a watch in this process', () => {
  function watching(): { events: AsyncIterator<KubeWatchEvent, void>; isLeft: () => boolean } {
    let leave: (over: IteratorResult<KubeWatchEvent, void>) => void = () => {};
    let isLeft = false;
    const notified = [{ type: 'ADDED', object: { a: 1 } } as const];
    const over = { done: true, value: undefined } as const;
    return {
      isLeft: () => isLeft,
      events: {
        next: () => {
          const value = notified.shift();
          if (value) return Promise.resolve({ done: false, value });
          return new Promise((resolve) => (leave = resolve));
        },
        return: async () => {
          isLeft = true;
          leave(over);
          return over;
        },
      },
    };
  }

  test('are handed over, and end when the signal is aborted', async () => {
    const { events, isLeft } = watching();
    const transport = createInProcessTransport({
      answer: async () => ({ ...respond(null), events }),
    });
    const abort = new AbortController();
    const response = await transport.send(GET, abort.signal);
    const heard: unknown[] = [];
    const ended = (async () => {
      for await (const event of response.events ?? []) heard.push(event);
    })();
    await promisesSettled();
    abort.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
    expect([heard, isLeft()]).toEqual([[{ type: 'ADDED', object: { a: 1 } }], true]);
  });

  test('that come too late are cancelled', async () => {
    const { events, isLeft } = watching();
    let answer: (response: ApiResponse) => void = () => {};
    const transport = createInProcessTransport({
      answer: () => new Promise((resolve) => (answer = resolve)),
    });
    const abort = new AbortController();
    const sent = transport.send(GET, abort.signal);
    abort.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    answer({ ...respond(null), events });
    await promisesSettled();
    expect(isLeft()).toBe(true);
  });
});

test('requests that follow one another for long let timers run, all at once', async () => {
  const clock = new VirtualClock();
  const answered: string[] = [];
  const transport = createInProcessTransport(
    { answer: async ({ url }) => (answered.push(url.at(-1) ?? ''), respond('')) },
    {},
    clock,
  );
  const ask = (target: string) => transport.send({ ...GET, target }, new AbortController().signal);
  await ask('/1');
  await clock.pass(10);
  const waiting = [ask('/2'), ask('/3')];
  await promisesSettled();
  expect(answered).toEqual(['1']);
  await clock.pass(0);
  await Promise.all(waiting);
  await ask('/4');
  expect(answered).toEqual(['1', '2', '3', '4']);
});
