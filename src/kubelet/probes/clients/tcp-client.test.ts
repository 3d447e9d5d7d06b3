import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { listen, refusingPort } from '../../../../test/support/loopback.ts';
import type { Clock } from '../../../ports/clock.ts';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { probeTcp } from './tcp-client.ts';

const FOREVER = new AbortController().signal;

test('a server that accepts connections is healthy', async () => {
  const port = await listen(createServer());
  const clock = new VirtualClock();
  const address = { host: '127.0.0.1', port };
  expect(await probeTcp(clock, address, 1000, FOREVER)).toEqual({ result: 'success', output: '' });
  expect(clock.pending).toBe(0);
});

test('a pod without an address is probed on this machine', async () => {
  const port = await listen(createServer());
  const answer = await probeTcp(new VirtualClock(), { host: '', port }, 1000, FOREVER);
  expect(answer.result).toBe('success');
});

test('a refused connection has the message of Go', async () => {
  const port = await refusingPort();
  const address = { host: '127.0.0.1', port };
  expect(await probeTcp(new VirtualClock(), address, 1000, FOREVER)).toEqual({
    result: 'failure',
    output: `dial tcp 127.0.0.1:${port}: connect: connection refused`,
  });
});

test('a server that does not answer in time', async () => {
  // The timeout comes before the machine can have answered.
  const hasty: Clock = {
    now: () => 0,
    monotonic: () => 0,
    after: (_ms, wake) => {
      queueMicrotask(wake);
      return () => undefined;
    },
  };
  const port = await refusingPort();
  expect(await probeTcp(hasty, { host: '127.0.0.1', port }, 1000, FOREVER)).toEqual({
    result: 'failure',
    output: `dial tcp 127.0.0.1:${port}: i/o timeout`,
  });
});

test('an aborted probe gets no answer', async () => {
  const enough = new AbortController();
  const address = { host: '127.0.0.1', port: await refusingPort() };
  const probing = probeTcp(new VirtualClock(), address, 1000, enough.signal);
  enough.abort(new Error('no more'));
  await expect(probing).rejects.toThrow('no more');
});
