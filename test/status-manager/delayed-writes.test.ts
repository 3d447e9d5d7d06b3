import { expect, test } from 'vitest';
import type { PodStatus } from '../../src/api/pod.ts';
import { condition, waiting } from '../support/pod-parts.ts';
import { StatusHarness, statusOf } from './status-harness.ts';

const BEGUN: PodStatus = { phase: 'Pending', containerStatuses: [waiting('c')] };
const STARTING: PodStatus = {
  ...BEGUN,
  conditions: [condition('PodReadyToStartContainers', 'True')],
};

async function harnessThatIs(busy: 'busy' | 'idle'): Promise<StatusHarness> {
  const harness = new StatusHarness({ isBusy: () => busy === 'busy' });
  harness.create('web');
  harness.manager.start();
  harness.say('web', BEGUN);
  await harness.settle();
  // The first status of a start is written, even while other pods wait.
  expect(harness.takeSent()).toEqual(['patch web']);
  return harness;
}

test('while other pods wait to start, start-up progress is merged into the write of the result', async () => {
  const harness = await harnessThatIs('busy');
  harness.say('web', STARTING);
  await harness.clock.pass(400);
  expect(harness.takeSent()).toEqual([]);
  harness.say('web', statusOf('Running'));
  await harness.settle();
  expect(harness.takeSent()).toEqual(['patch web']);
  expect(harness.get('web').status?.phase).toBe('Running');
  await harness.clock.pass(2000);
  expect(harness.takeSent()).toEqual([]);
});

test('the progress of a slow start is written after one second', async () => {
  const harness = await harnessThatIs('busy');
  harness.say('web', STARTING);
  await harness.clock.pass(999);
  expect(harness.takeSent()).toEqual([]);
  await harness.clock.pass(1);
  expect(harness.takeSent()).toEqual(['patch web']);
});

test('a change of the pod by another writer does not hasten the write', async () => {
  const harness = await harnessThatIs('busy');
  harness.say('web', STARTING);
  const { metadata, ...pod } = harness.get('web');
  harness.api.put({ ...pod, metadata: { ...metadata, labels: { a: 'b' } } });
  await harness.clock.pass(500);
  expect(harness.takeSent()).toEqual([]);
});

test('with no other pod waiting it is written immediately', async () => {
  const harness = await harnessThatIs('idle');
  harness.say('web', STARTING);
  await harness.settle();
  expect(harness.takeSent()).toEqual(['patch web']);
});

test('a manager that stops, or forgets the pod, leaves no timer', async () => {
  const harness = await harnessThatIs('busy');
  harness.say('web', STARTING);
  harness.manager.removeOrphanedStatuses(new Set());
  await harness.manager.stop();
  expect(harness.clock.pending).toBe(0);
});
