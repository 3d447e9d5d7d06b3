import { expect, test } from 'vitest';
import type { PodStatus } from '../../src/api/pod.ts';
import { condition, waiting } from '../support/pod-parts.ts';
import { StatusStage, statusOf } from './stage.ts';

const BEGUN: PodStatus = { phase: 'Pending', containerStatuses: [waiting('c')] };
const STARTING: PodStatus = {
  ...BEGUN,
  conditions: [condition('PodReadyToStartContainers', 'True')],
};

async function stageThatIs(busy: 'busy' | 'idle'): Promise<StatusStage> {
  const stage = new StatusStage({ isBusy: () => busy === 'busy' });
  stage.create('web');
  stage.manager.start();
  stage.say('web', BEGUN);
  await stage.settle();
  // That it has begun is told, whoever waits.
  expect(stage.takeSent()).toEqual(['patch web']);
  return stage;
}

test('while others wait to be started, how a start gets on and what comes of it are one write', async () => {
  const stage = await stageThatIs('busy');
  stage.say('web', STARTING);
  await stage.clock.pass(400);
  expect(stage.takeSent()).toEqual([]);
  stage.say('web', statusOf('Running'));
  await stage.settle();
  expect(stage.takeSent()).toEqual(['patch web']);
  expect(stage.get('web').status?.phase).toBe('Running');
  await stage.clock.pass(2000);
  expect(stage.takeSent()).toEqual([]);
});

test('a start that takes long is told after a second', async () => {
  const stage = await stageThatIs('busy');
  stage.say('web', STARTING);
  await stage.clock.pass(999);
  expect(stage.takeSent()).toEqual([]);
  await stage.clock.pass(1);
  expect(stage.takeSent()).toEqual(['patch web']);
});

test('somebody else who changes the pod does not make it be told sooner', async () => {
  const stage = await stageThatIs('busy');
  stage.say('web', STARTING);
  const { metadata, ...pod } = stage.get('web');
  stage.api.put({ ...pod, metadata: { ...metadata, labels: { a: 'b' } } });
  await stage.clock.pass(500);
  expect(stage.takeSent()).toEqual([]);
});

test('with nobody in line it is told at once', async () => {
  const stage = await stageThatIs('idle');
  stage.say('web', STARTING);
  await stage.settle();
  expect(stage.takeSent()).toEqual(['patch web']);
});

test('a manager that stops, or forgets the pod, leaves no timer', async () => {
  const stage = await stageThatIs('busy');
  stage.say('web', STARTING);
  stage.manager.removeOrphanedStatuses(new Set());
  await stage.manager.stop();
  expect(stage.clock.pending).toBe(0);
});
