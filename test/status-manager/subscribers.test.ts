/** Who hears of a stored status, and what (SM-90). */
import { describe, expect, test } from 'vitest';
import type { StatusSubscriber } from '../../src/ports/status-subscriber.ts';
import { StatusStage, statusOf } from './stage.ts';

/** Writes down what it hears, as `b: updated web Running, added`. */
function listener(name: string, heard: string[]): StatusSubscriber {
  return {
    podUpdated: (pod, status, isAdded) =>
      void heard.push(
        `${name}: updated ${pod.metadata.name} ${status.phase}${isAdded ? ', added' : ''}`,
      ),
    podRemoved: (pod) =>
      void heard.push(`${name}: removed ${pod.metadata.name} ${pod.status?.phase}`),
  };
}

function stageWith(...names: readonly string[]): { stage: StatusStage; heard: string[] } {
  const stage = new StatusStage();
  const heard: string[] = [];
  stage.create('web');
  for (const name of names) stage.manager.subscribe(listener(name, heard));
  return { stage, heard };
}

describe('what they hear', () => {
  test('every stored status, the first one as an addition', () => {
    const { stage, heard } = stageWith('a');
    stage.say('web', statusOf('Pending'));
    stage.say('web', statusOf('Running'));
    stage.manager.setContainerReadiness('web', 'test://any', true);
    expect(heard).toEqual([
      'a: updated web Pending, added',
      'a: updated web Running',
      'a: updated web Running',
    ]);
  });

  test('not what was dropped or refused', () => {
    const { stage, heard } = stageWith('a');
    stage.say('web', statusOf('Running'));
    stage.say('web', statusOf('Running'));
    stage.manager.setContainerReadiness('web', 'test://nobody', true);
    expect(heard).toHaveLength(1);
  });

  test('the last word is a removal, with the last status', () => {
    const { stage, heard } = stageWith('a');
    stage.say('web', statusOf('Running'));
    stage.manager.terminatePod(stage.get('web'));
    expect(heard.at(-1)).toBe('a: removed web Failed');
  });

  test('a pod that is being deleted is not added', () => {
    const { stage, heard } = stageWith('a');
    stage.requestDeletion('web');
    stage.say('web', statusOf('Running'));
    stage.say('web', statusOf('Running'));
    expect(heard).toEqual(['a: updated web Running', 'a: updated web Running']);
  });

  test('nothing of records that are removed', () => {
    const { stage, heard } = stageWith('a');
    stage.say('web', statusOf('Running'));
    heard.length = 0;
    stage.manager.removeOrphanedStatuses(new Set());
    expect(heard).toEqual([]);
  });

  test('nothing of records that are dropped because the pod was deleted', async () => {
    const { stage, heard } = stageWith('a');
    stage.manager.start();
    stage.requestDeletion('web');
    stage.manager.terminatePod(stage.get('web'));
    await stage.settle();
    expect(stage.manager.getPodStatus('web')).toBeUndefined();
    expect(heard).toEqual(['a: removed web Failed']);
  });

  test('the pod carries the status that is stored, and the pod itself is left alone (A-31)', () => {
    const stage = new StatusStage();
    const pod = stage.create('web');
    const told: unknown[] = [];
    stage.manager.subscribe({
      podUpdated: (updated, status) => {
        told.push(updated.status === status, status === stage.manager.getPodStatus('web'));
      },
      podRemoved: () => {},
    });
    stage.manager.setPodStatus(pod, statusOf('Running'));
    expect(told).toEqual([true, true]);
    expect(pod.status).toEqual({ phase: 'Pending' });
  });

  test('it is told at once, before anything is written', () => {
    const { stage, heard } = stageWith('a');
    stage.manager.start();
    stage.say('web', statusOf('Running'));
    expect(heard).toHaveLength(1);
    expect(stage.sent).toEqual([]);
  });

  test('also without an API', () => {
    const stage = new StatusStage({ api: undefined });
    const heard: string[] = [];
    stage.manager.subscribe(listener('a', heard));
    stage.manager.start();
    stage.create('web');
    stage.say('web', statusOf('Running'));
    expect(heard).toEqual(['a: updated web Running, added']);
  });
});

describe('who hears it', () => {
  test('all of them, in the order in which they came', () => {
    const { stage, heard } = stageWith('a', 'b', 'c');
    stage.say('web', statusOf('Running'));
    expect(heard.map((line) => line[0])).toEqual(['a', 'b', 'c']);
  });

  test('whoever left hears nothing, and leaving twice is leaving once', () => {
    const { stage, heard } = stageWith('a');
    const leave = stage.manager.subscribe(listener('b', heard));
    leave();
    leave();
    stage.say('web', statusOf('Running'));
    expect(heard.map((line) => line[0])).toEqual(['a']);
  });

  test('one who leaves inside its own callback keeps nobody else from hearing', () => {
    const { stage, heard } = stageWith('a');
    const leave = stage.manager.subscribe({
      podUpdated: () => {
        heard.push('b');
        leave();
      },
      podRemoved: () => {},
    });
    stage.manager.subscribe(listener('c', heard));
    stage.say('web', statusOf('Pending'));
    stage.say('web', statusOf('Running'));
    expect(heard.map((line) => line[0]).join('')).toBe('abcac');
  });

  test('one who is sent away by another before its turn does not hear it', () => {
    const { stage, heard } = stageWith();
    let leave = (): void => {};
    stage.manager.subscribe({ podUpdated: () => leave(), podRemoved: () => {} });
    leave = stage.manager.subscribe(listener('b', heard));
    stage.say('web', statusOf('Running'));
    expect(heard).toEqual([]);
  });

  test('the same subscriber twice hears it once', () => {
    const { stage, heard } = stageWith();
    const subscriber = listener('a', heard);
    stage.manager.subscribe(subscriber);
    stage.manager.subscribe(subscriber);
    stage.say('web', statusOf('Running'));
    expect(heard).toHaveLength(1);
  });
});

test('one that breaks its word and throws does not keep the status from the API', async () => {
  const stage = new StatusStage();
  stage.manager.start();
  stage.create('web');
  stage.manager.subscribe({
    podUpdated: () => {
      throw new Error('a subscriber is broken');
    },
    podRemoved: () => {},
  });
  // Whether the caller hears of it is not for the API to suffer from.
  const said = Promise.resolve().then(() => stage.say('web', statusOf('Running')));
  await said.catch(() => {});
  expect(stage.manager.getPodStatus('web')?.phase).toBe('Running');
  await stage.clock.pass(10_000);
  expect(stage.get('web').status?.phase).toBe('Running');
});
