import { expect, test } from 'vitest';
import { ControllerHarness } from './controller-harness.ts';

const EVENTS = '/api/v1/namespaces/default/events';
const HOUR = 3_600_000;

async function record(harness: ControllerHarness, name: string): Promise<void> {
  const involvedObject = { kind: 'Pod', name: 'p', namespace: 'default' };
  await harness.make(EVENTS, name, { involvedObject });
}

test('an event expires after an hour, and not a moment sooner', async () => {
  const harness = await ControllerHarness.open({ controllers: ['event-expiry'] });
  await record(harness, 'a');
  await harness.settle(HOUR / 2);
  await record(harness, 'b');
  await harness.settle(HOUR / 2 - 1);
  expect(await harness.names(EVENTS)).toEqual(['a', 'b']);
  await harness.settle(1);
  expect(await harness.names(EVENTS)).toEqual(['b']);
  await harness.settle(HOUR / 2);
  expect(await harness.names(EVENTS)).toEqual([]);
});

test('an event that is counted up lives on', async () => {
  const harness = await ControllerHarness.open({ controllers: ['event-expiry'] });
  await record(harness, 'a');
  await harness.settle(HOUR - 1000);
  await harness.patch(`${EVENTS}/a`, { count: 2 });
  await harness.settle(HOUR - 1000);
  expect(await harness.names(EVENTS)).toEqual(['a']);
  await harness.settle(1000);
  expect(await harness.names(EVENTS)).toEqual([]);
});

test('a restart does not reset the age of events', async () => {
  const harness = await ControllerHarness.open({ controllers: ['event-expiry'] });
  await harness.stop();
  await record(harness, 'z');
  await harness.settle(HOUR / 2);
  await record(harness, 'a');
  harness.start();
  await harness.settle(HOUR / 2);
  expect(await harness.names(EVENTS)).toEqual(['a']);
});

test('without events there is no timer', async () => {
  const harness = await ControllerHarness.open({ controllers: ['event-expiry'] });
  const before = harness.clock.pending;
  await record(harness, 'a');
  expect(harness.clock.pending).toBe(before + 1);
  await harness.settle(HOUR);
  expect(harness.clock.pending).toBe(before);
});
