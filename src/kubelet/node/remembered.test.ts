import { expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { Remembered } from './remembered.ts';

function harness(answers: (() => Promise<string>)[], keeps = true) {
  const clock = new VirtualClock();
  const stop = new AbortController();
  let asked = 0;
  const remembered = new Remembered({
    clock,
    log: silentLog,
    what: 'it',
    ask: () => {
      asked += 1;
      return answers.shift()?.() ?? Promise.reject(new Error('nothing left'));
    },
    freshMs: 5000,
    otherwise: 'nothing',
    keeps,
    signal: stop.signal,
  });
  return { clock, stop, remembered, asked: () => asked };
}

const say = (text: string) => () => Promise.resolve(text);
const fail = () => Promise.reject(new Error('broken'));
const hang = () => new Promise<string>(() => {});

test('a value is read again when it is old', async () => {
  const { clock, remembered, asked } = harness([say('a'), say('b')]);
  expect([await remembered.get(), await remembered.get(), asked()]).toEqual(['a', 'a', 1]);
  await clock.pass(5000);
  expect([await remembered.get(), asked()]).toEqual(['b', 2]);
});

test('after a failure the last value stays, or the default is used', async () => {
  for (const [keeps, expected] of [
    [true, 'a'],
    [false, 'nothing'],
  ] as const) {
    const { clock, remembered } = harness([say('a'), fail], keeps);
    await remembered.get();
    await clock.pass(5000);
    expect(await remembered.get()).toBe(expected);
    expect(clock.pending).toBe(0);
  }
});

test('a call that hangs is waited for once, for a second, and not repeated', async () => {
  const { clock, remembered, asked } = harness([hang]);
  const first = remembered.get();
  await clock.pass(1000);
  expect(await first).toBe('nothing');
  expect([await remembered.get(), asked(), clock.pending]).toEqual(['nothing', 1, 0]);
});

test('after the end there is no wait', async () => {
  const { remembered, stop } = harness([hang]);
  const waiting = remembered.get();
  stop.abort();
  expect(await waiting).toBe('nothing');
});
