import { expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { StopSignals } from './stop-signals.ts';

function harness() {
  const clock = new VirtualClock();
  const heard: string[] = [];
  return { clock, heard, signals: new StopSignals(clock, (signal) => void heard.push(signal)) };
}

test('a signal that comes from one side alone counts', () => {
  const { heard, signals } = harness();
  signals.arrived('SIGTERM', 'passed on');
  signals.arrived('SIGINT', 'own');
  expect(heard).toEqual(['SIGTERM', 'SIGINT']);
});

test.each([
  ['own', 'passed on'],
  ['passed on', 'own'],
] as const)('a signal that comes %s and then %s counts once', async (first, second) => {
  const { clock, heard, signals } = harness();
  signals.arrived('SIGINT', first);
  await clock.pass(1500);
  signals.arrived('SIGINT', second);
  expect(heard).toEqual(['SIGINT']);
});

test('two quick ones of a terminal are two, in whatever order their halves come', () => {
  const { heard, signals } = harness();
  for (const way of ['own', 'own', 'passed on', 'passed on'] as const) {
    signals.arrived('SIGINT', way);
  }
  expect(heard).toEqual(['SIGINT', 'SIGINT']);
});

test('a second signal to the same process is the second', async () => {
  const { clock, heard, signals } = harness();
  signals.arrived('SIGTERM', 'passed on');
  await clock.pass(100);
  signals.arrived('SIGTERM', 'passed on');
  await clock.pass(2500);
  signals.arrived('SIGTERM', 'own');
  expect(heard).toEqual(['SIGTERM', 'SIGTERM', 'SIGTERM']);
});
