import { expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { StartLimiter } from './start-limiter.ts';

const NEVER = new AbortController().signal;

function harness(places: number) {
  const clock = new VirtualClock();
  const line = new StartLimiter(clock, places);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (name: string, signal = NEVER): Promise<void> =>
    line.run(() => {
      begun.push(name);
      return new Promise((resolve) => ends.set(name, resolve));
    }, signal);
  return { clock, begun, start, end: (name: string) => ends.get(name)?.() };
}

test('as many pods start as there are slots, the others in order when one is free', async () => {
  const { begun, start, end } = harness(2);
  const all = ['a', 'b', 'c', 'd'].map((name) => start(name));
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b']);
  end('b');
  await all[1];
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b', 'c']);
  for (const name of ['a', 'c']) end(name);
  await Promise.all([all[0], all[2]]);
  end('d');
  await all[3];
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
});

test('a slow start gives up its slot once, and continues', async () => {
  const { clock, begun, start, end } = harness(1);
  const [slow] = ['slow', 'b', 'c'].map((name) => start(name));
  await clock.pass(500);
  expect(begun).toEqual(['slow', 'b']);
  end('slow');
  await slow;
  await Promise.resolve();
  expect(begun).toEqual(['slow', 'b']);
});

test('an aborted start leaves the queue, and a failed one its slot', async () => {
  const { begun, start, end } = harness(1);
  const first = start('a');
  const impatient = new AbortController();
  const gone = start('b', impatient.signal);
  const last = start('c');
  impatient.abort(new Error('it has to end'));
  await expect(gone).rejects.toThrow('it has to end');
  end('a');
  await first;
  await Promise.resolve();
  expect(begun).toEqual(['a', 'c']);
  end('c');
  await last;

  const line = new StartLimiter(new VirtualClock(), 1);
  await expect(line.run(() => Promise.reject(new Error('no')), NEVER)).rejects.toThrow('no');
  await expect(line.run(() => Promise.resolve('yes'), NEVER)).resolves.toBe('yes');
});
