/**
 * Names, UIDs and mirrors pass to other pods while requests are under way. The status of one pod must
 * never reach another (F-13, F-14, SM-71, SM-74).
 */
import { describe, expect, test } from 'vitest';
import type { Pod } from '../../src/api/pod.ts';
import { podOf, staticPodOf } from '../support/pod-parts.ts';
import { StatusHarness, statusOf } from './status-harness.ts';

const NAME = { namespace: 'default', name: 'web' };

function restartsInApi(harness: StatusHarness): number | undefined {
  return harness.get('web').status?.containerStatuses?.[0]?.restartCount;
}

describe('F-14: a record is removed and comes back under its UID', () => {
  /** A request of the first incarnation is under way, for a tenth of a second. */
  async function underWay(): Promise<StatusHarness> {
    const harness = new StatusHarness();
    harness.manager.start();
    harness.create('web');
    harness.running.add('web');
    harness.fault = () => ({ latencyMs: 100 });
    harness.say('web', statusOf('Running', { restarts: 9 }));
    await harness.clock.pass(50);
    harness.manager.removeOrphanedStatuses(new Set());
    return harness;
  }

  test('its first status waits for the old request, and is then the last', async () => {
    const harness = await underWay();
    harness.say('web', statusOf('Running', { restarts: 0 }));
    await harness.clock.pass(10);
    expect(harness.sent).toHaveLength(1);
    await harness.clock.pass(1000);
    expect(harness.sent.map(({ atMs }) => atMs)).toEqual([0, 100]);
    expect(restartsInApi(harness)).toBe(0);
    expect(harness.manager.records.get('web')?.version).toBe(1);
  });

  test('the answer to the old request acknowledges nothing of the new', async () => {
    const harness = await underWay();
    harness.say('web', statusOf('Running', { restarts: 1 }));
    harness.fault = () => ({ refuse: 500 });
    await harness.clock.pass(100);
    expect(harness.written, 'nothing counts as written yet').toEqual([]);
    harness.fault = () => undefined;
    await harness.clock.pass(10_000);
    expect(restartsInApi(harness)).toBe(1);
    expect(harness.written).toHaveLength(1);
  });

  test('if it does not come back, nothing more is sent', async () => {
    const harness = await underWay();
    await harness.clock.pass(60_000);
    expect(harness.sent).toHaveLength(1);
    expect(harness.busy).toBe(0);
  });

  test('the old request fails: the new status does not wait for its back-off', async () => {
    const harness = await underWay();
    harness.api.patchPodStatus = () => Promise.reject(new Error('socket hang up'));
    harness.say('web', statusOf('Running'));
    await harness.clock.pass(100);
    expect(harness.sent.length).toBeGreaterThan(1);
  });

  test('a DELETE is under way: the record that comes back starts over when it is done', async () => {
    const harness = new StatusHarness();
    harness.manager.start();
    harness.create('web');
    harness.requestDeletion('web');
    harness.lag();
    harness.fault = ({ verb }) => ({ latencyMs: verb === 'delete' ? 100 : 0 });
    harness.manager.terminatePod(harness.get('web'));
    await harness.clock.pass(50);
    harness.manager.removeOrphanedStatuses(new Set());
    harness.say('web', statusOf('Running'));
    await harness.clock.pass(60_000);
    expect(harness.takeSent()).toEqual(['patch web', 'delete web']);
    expect(harness.manager.records.get('web')?.version).toBe(1);
  });
});

describe('a pod is deleted and recreated under one name', () => {
  test('while the first one is being written, the second is not touched', async () => {
    const harness = new StatusHarness();
    harness.manager.start();
    harness.create('web', { uid: 'one' });
    harness.running.add('one');
    harness.fault = () => ({ latencyMs: 100 });
    harness.say('one', statusOf('Running', { restarts: 9 }));
    await harness.clock.pass(50);
    harness.api.remove(NAME);
    harness.create('web', { uid: 'two' });
    await harness.clock.pass(10_000);
    expect(harness.get('web').metadata.uid).toBe('two');
    expect(harness.get('web').status).toEqual({ phase: 'Pending' });
    expect(harness.manager.getPodStatus('one'), 'SM-71').toBeUndefined();
  });

  test('both write under one name for a while, and each only to its own object', async () => {
    const harness = new StatusHarness();
    harness.manager.start();
    const one = harness.create('web', { uid: 'one' });
    harness.say('one', statusOf('Running', { restarts: 1 }));
    await harness.settle();
    harness.api.remove(NAME);
    harness.create('web', { uid: 'two' });
    harness.manager.setPodStatus(one, statusOf('Failed', { restarts: 1 }));
    harness.say('two', statusOf('Running', { restarts: 2 }));
    await harness.settle();
    expect(harness.get('web').metadata.uid).toBe('two');
    expect(restartsInApi(harness)).toBe(2);
    expect([...harness.manager.records.keys()]).toEqual(['two']);
  });
});

describe('F-13: a mirror is replaced', () => {
  const pod = staticPodOf();
  const mirrorOf = (uid: string): Pod =>
    podOf(
      {},
      {
        metadata: { uid, annotations: { 'kubernetes.io/config.mirror': 'hash' } },
        status: { phase: 'Pending' },
      },
    );

  /** The node has a static pod and its first mirror, and a write of it is under way. */
  async function underWay(): Promise<StatusHarness> {
    const harness = new StatusHarness();
    harness.manager.start();
    harness.running.add('uid-1');
    harness.pods.set(pod, mirrorOf('mirror-1'));
    harness.api.put(mirrorOf('mirror-1'));
    harness.fault = () => ({ latencyMs: 100 });
    harness.manager.setPodStatus(pod, statusOf('Running', { restarts: 1 }));
    await harness.clock.pass(50);
    return harness;
  }

  function replaceMirror(harness: StatusHarness): void {
    harness.api.remove(NAME);
    harness.pods.set(pod, mirrorOf('mirror-2'));
    harness.api.put(mirrorOf('mirror-2'));
  }

  test('while a write of the old one is under way: the new one is written, the record stays', async () => {
    const harness = await underWay();
    replaceMirror(harness);
    await harness.clock.pass(15_000);
    expect(harness.get('web').metadata.uid).toBe('mirror-2');
    expect(harness.get('web').status?.phase).toBe('Running');
    expect(harness.manager.records.get('uid-1')?.version).toBe(1);
    expect(harness.decisions.some(({ to }) => to === 'forgotten')).toBe(false);
  });

  test('after the old one was written: the new one is written immediately', async () => {
    const harness = await underWay();
    await harness.clock.pass(1000);
    expect(harness.get('web').status?.phase).toBe('Running');
    replaceMirror(harness);
    await harness.clock.pass(200);
    expect(harness.get('web').status?.phase).toBe('Running');
  });

  test('the old one is gone and the new one does not exist yet: nothing is sent, nothing forgotten', async () => {
    const harness = await underWay();
    await harness.clock.pass(1000);
    harness.takeSent();
    harness.api.remove(NAME);
    harness.manager.setPodStatus(pod, statusOf('Running', { restarts: 2 }));
    await harness.clock.pass(60_000);
    expect(harness.takeSent()).toEqual([]);
    harness.pods.set(pod, mirrorOf('mirror-2'));
    harness.api.put(mirrorOf('mirror-2'));
    await harness.clock.pass(200);
    expect(restartsInApi(harness)).toBe(2);
  });

  test('a mirror carries its own UID in the patch, never that of its static pod', async () => {
    const harness = await underWay();
    expect(harness.sent[0]?.patch).toMatchObject({ metadata: { uid: 'mirror-1' } });
  });
});

describe('the watch and the answers overtake each other (SM-70)', () => {
  test('an old object that the watch brings late is not written against (SM-77)', async () => {
    const harness = new StatusHarness();
    harness.manager.start();
    harness.create('web');
    harness.running.add('web');
    harness.lag();
    harness.say('web', statusOf('Running', { restarts: 1 }));
    await harness.settle();
    harness.say('web', statusOf('Running', { restarts: 2 }));
    await harness.settle();
    harness.takeSent();
    harness.catchUp();
    await harness.clock.pass(30_000);
    expect(harness.takeSent()).toEqual([]);
    expect(restartsInApi(harness)).toBe(2);
  });

  test('a pod that has left the node can still be written, and then deleted', async () => {
    const harness = new StatusHarness();
    harness.manager.start();
    harness.create('web');
    harness.requestDeletion('web');
    const pod = harness.get('web');
    harness.pods.remove('web');
    harness.lag();
    harness.manager.terminatePod(pod);
    await harness.settle();
    expect(harness.takeSent()).toEqual(['patch web', 'delete web']);
  });
});
