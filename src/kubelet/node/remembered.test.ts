import { expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { Remembered } from './remembered.ts';

function stage(answers: (() => Promise<string>)[], keeps = true) {
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

test('an answer is asked for again when it is old', async () => {
  const { clock, remembered, asked } = stage([say('a'), say('b')]);
  expect([await remembered.get(), await remembered.get(), asked()]).toEqual(['a', 'a', 1]);
  await clock.pass(5000);
  expect([await remembered.get(), asked()]).toEqual(['b', 2]);
});

test('after a failure the last answer holds, or none does', async () => {
  for (const [keeps, expected] of [
    [true, 'a'],
    [false, 'nothing'],
  ] as const) {
    const { clock, remembered } = stage([say('a'), fail], keeps);
    await remembered.get();
    await clock.pass(5000);
    expect(await remembered.get()).toBe(expected);
    expect(clock.pending).toBe(0);
  }
});

test('who hangs is waited for once, for a second, and not asked twice', async () => {
  const { clock, remembered, asked } = stage([hang]);
  const first = remembered.get();
  await clock.pass(1000);
  expect(await first).toBe('nothing');
  expect([await remembered.get(), asked(), clock.pending]).toEqual(['nothing', 1, 0]);
});

test('nobody waits after the end', async () => {
  const { remembered, stop } = stage([hang]);
  const waiting = remembered.get();
  stop.abort();
  expect(await waiting).toBe('nothing');
});
