import { expect, test } from 'vitest';
import { ControllerStage } from './stage.ts';

const EVENTS = '/api/v1/namespaces/default/events';
const HOUR = 3_600_000;

async function tell(stage: ControllerStage, name: string): Promise<void> {
  const involvedObject = { kind: 'Pod', name: 'p', namespace: 'default' };
  await stage.make(EVENTS, name, { involvedObject });
}

test('an event goes after an hour, and not a moment sooner', async () => {
  const stage = await ControllerStage.open({ controllers: ['event-expiry'] });
  await tell(stage, 'a');
  await stage.settle(HOUR / 2);
  await tell(stage, 'b');
  await stage.settle(HOUR / 2 - 1);
  expect(await stage.names(EVENTS)).toEqual(['a', 'b']);
  await stage.settle(1);
  expect(await stage.names(EVENTS)).toEqual(['b']);
  await stage.settle(HOUR / 2);
  expect(await stage.names(EVENTS)).toEqual([]);
});

test('an event that happens again lives on', async () => {
  const stage = await ControllerStage.open({ controllers: ['event-expiry'] });
  await tell(stage, 'a');
  await stage.settle(HOUR - 1000);
  await stage.patch(`${EVENTS}/a`, { count: 2 });
  await stage.settle(HOUR - 1000);
  expect(await stage.names(EVENTS)).toEqual(['a']);
  await stage.settle(1000);
  expect(await stage.names(EVENTS)).toEqual([]);
});

test('after a restart events are as old as they are', async () => {
  const stage = await ControllerStage.open({ controllers: ['event-expiry'] });
  await stage.stop();
  await tell(stage, 'z');
  await stage.settle(HOUR / 2);
  await tell(stage, 'a');
  stage.start();
  await stage.settle(HOUR / 2);
  expect(await stage.names(EVENTS)).toEqual(['a']);
});

test('without events nothing ticks', async () => {
  const stage = await ControllerStage.open({ controllers: ['event-expiry'] });
  const before = stage.clock.pending;
  await tell(stage, 'a');
  expect(stage.clock.pending).toBe(before + 1);
  await stage.settle(HOUR);
  expect(stage.clock.pending).toBe(before);
});
