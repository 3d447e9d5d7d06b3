/** Which subscribers are notified of a stored status, and of what (SM-90). */
import { describe, expect, test } from 'vitest';
import type { StatusSubscriber } from '../../src/ports/observe/status-subscriber.ts';
import { StatusHarness, statusOf } from './status-harness.ts';

/** Records its notifications, as `b: updated web Running, added`. */
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

function harnessWith(...names: readonly string[]): { harness: StatusHarness; heard: string[] } {
  const harness = new StatusHarness();
  const heard: string[] = [];
  harness.create('web');
  for (const name of names) harness.manager.subscribe(listener(name, heard));
  return { harness, heard };
}

describe('what is notified', () => {
  test('every stored status, the first one as an addition', () => {
    const { harness, heard } = harnessWith('a');
    harness.say('web', statusOf('Pending'));
    harness.say('web', statusOf('Running'));
    harness.manager.setContainerReadiness('web', 'test://any', true);
    expect(heard).toEqual([
      'a: updated web Pending, added',
      'a: updated web Running',
      'a: updated web Running',
    ]);
  });

  test('not what was dropped or refused', () => {
    const { harness, heard } = harnessWith('a');
    harness.say('web', statusOf('Running'));
    harness.say('web', statusOf('Running'));
    harness.manager.setContainerReadiness('web', 'test://nobody', true);
    expect(heard).toHaveLength(1);
  });

  test('the final status is a removal, with the last status', () => {
    const { harness, heard } = harnessWith('a');
    harness.say('web', statusOf('Running'));
    harness.manager.terminatePod(harness.get('web'));
    expect(heard.at(-1)).toBe('a: removed web Failed');
  });

  test('a pod that is being deleted is not added', () => {
    const { harness, heard } = harnessWith('a');
    harness.requestDeletion('web');
    harness.say('web', statusOf('Running'));
    harness.say('web', statusOf('Running'));
    expect(heard).toEqual(['a: updated web Running', 'a: updated web Running']);
  });

  test('nothing of records that are removed', () => {
    const { harness, heard } = harnessWith('a');
    harness.say('web', statusOf('Running'));
    heard.length = 0;
    harness.manager.removeOrphanedStatuses(new Set());
    expect(heard).toEqual([]);
  });

  test('nothing of records that are dropped because the pod was deleted', async () => {
    const { harness, heard } = harnessWith('a');
    harness.manager.start();
    harness.requestDeletion('web');
    harness.manager.terminatePod(harness.get('web'));
    await harness.settle();
    expect(harness.manager.getPodStatus('web')).toBeUndefined();
    expect(heard).toEqual(['a: removed web Failed']);
  });

  test('the pod carries the status that is stored, and the pod itself is left alone (A-31)', () => {
    const harness = new StatusHarness();
    const pod = harness.create('web');
    const notified: unknown[] = [];
    harness.manager.subscribe({
      podUpdated: (updated, status) => {
        notified.push(updated.status === status, status === harness.manager.getPodStatus('web'));
      },
      podRemoved: () => {},
    });
    harness.manager.setPodStatus(pod, statusOf('Running'));
    expect(notified).toEqual([true, true]);
    expect(pod.status).toEqual({ phase: 'Pending' });
  });

  test('immediately, before anything is written', () => {
    const { harness, heard } = harnessWith('a');
    harness.manager.start();
    harness.say('web', statusOf('Running'));
    expect(heard).toHaveLength(1);
    expect(harness.sent).toEqual([]);
  });

  test('without an API, too', () => {
    const harness = new StatusHarness({ api: undefined });
    const heard: string[] = [];
    harness.manager.subscribe(listener('a', heard));
    harness.manager.start();
    harness.create('web');
    harness.say('web', statusOf('Running'));
    expect(heard).toEqual(['a: updated web Running, added']);
  });
});

describe('who is notified', () => {
  test('all of them, in the order of their subscription', () => {
    const { harness, heard } = harnessWith('a', 'b', 'c');
    harness.say('web', statusOf('Running'));
    expect(heard.map((line) => line[0])).toEqual(['a', 'b', 'c']);
  });

  test('one that has unsubscribed is not notified, and unsubscribing twice is unsubscribing once', () => {
    const { harness, heard } = harnessWith('a');
    const leave = harness.manager.subscribe(listener('b', heard));
    leave();
    leave();
    harness.say('web', statusOf('Running'));
    expect(heard.map((line) => line[0])).toEqual(['a']);
  });

  test('one that unsubscribes inside its own callback keeps no other from being notified', () => {
    const { harness, heard } = harnessWith('a');
    const leave = harness.manager.subscribe({
      podUpdated: () => {
        heard.push('b');
        leave();
      },
      podRemoved: () => {},
    });
    harness.manager.subscribe(listener('c', heard));
    harness.say('web', statusOf('Pending'));
    harness.say('web', statusOf('Running'));
    expect(heard.map((line) => line[0]).join('')).toBe('abcac');
  });

  test('one that another unsubscribes before its turn is not notified', () => {
    const { harness, heard } = harnessWith();
    let leave = (): void => {};
    harness.manager.subscribe({ podUpdated: () => leave(), podRemoved: () => {} });
    leave = harness.manager.subscribe(listener('b', heard));
    harness.say('web', statusOf('Running'));
    expect(heard).toEqual([]);
  });

  test('the same subscriber twice is notified once', () => {
    const { harness, heard } = harnessWith();
    const subscriber = listener('a', heard);
    harness.manager.subscribe(subscriber);
    harness.manager.subscribe(subscriber);
    harness.say('web', statusOf('Running'));
    expect(heard).toHaveLength(1);
  });
});

test('one that throws against its contract does not keep the status from the API', async () => {
  const harness = new StatusHarness();
  harness.manager.start();
  harness.create('web');
  harness.manager.subscribe({
    podUpdated: () => {
      throw new Error('a subscriber is broken');
    },
    podRemoved: () => {},
  });
  // Whether the caller gets the error must not affect the API.
  const given = Promise.resolve().then(() => harness.say('web', statusOf('Running')));
  await given.catch(() => {});
  expect(harness.manager.getPodStatus('web')?.phase).toBe('Running');
  await harness.clock.pass(10_000);
  expect(harness.get('web').status?.phase).toBe('Running');
});
