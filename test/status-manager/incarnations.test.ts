/**
 * Names, UIDs and mirrors change hands while requests are under way. What was said of one pod must
 * never reach another (F-13, F-14, SM-71, SM-74).
 */
import { describe, expect, test } from 'vitest';
import type { Pod } from '../../src/api/pod.ts';
import { podOf, staticPodOf } from '../support/pod-parts.ts';
import { StatusStage, statusOf } from './stage.ts';

const NAME = { namespace: 'default', name: 'web' };

function restartsInApi(stage: StatusStage): number | undefined {
  return stage.get('web').status?.containerStatuses?.[0]?.restartCount;
}

describe('F-14: a record is removed and comes back under its UID', () => {
  /** A request of the first incarnation is under way, for a tenth of a second. */
  async function underWay(): Promise<StatusStage> {
    const stage = new StatusStage();
    stage.manager.start();
    stage.create('web');
    stage.running.add('web');
    stage.fault = () => ({ latencyMs: 100 });
    stage.say('web', statusOf('Running', { restarts: 9 }));
    await stage.clock.pass(50);
    stage.manager.removeOrphanedStatuses(new Set());
    return stage;
  }

  test('its first word waits for the old request, and is then the last', async () => {
    const stage = await underWay();
    stage.say('web', statusOf('Running', { restarts: 0 }));
    await stage.clock.pass(10);
    expect(stage.sent).toHaveLength(1);
    await stage.clock.pass(1000);
    expect(stage.sent.map(({ atMs }) => atMs)).toEqual([0, 100]);
    expect(restartsInApi(stage)).toBe(0);
    expect(stage.manager.records.get('web')?.version).toBe(1);
  });

  test('the answer to the old request acknowledges nothing of the new', async () => {
    const stage = await underWay();
    stage.say('web', statusOf('Running', { restarts: 1 }));
    stage.fault = () => ({ refuse: 500 });
    await stage.clock.pass(100);
    expect(stage.written, 'nothing counts as written yet').toEqual([]);
    stage.fault = () => undefined;
    await stage.clock.pass(10_000);
    expect(restartsInApi(stage)).toBe(1);
    expect(stage.written).toHaveLength(1);
  });

  test('if it does not come back, nothing more is sent', async () => {
    const stage = await underWay();
    await stage.clock.pass(60_000);
    expect(stage.sent).toHaveLength(1);
    expect(stage.busy).toBe(0);
  });

  test('the old request fails: the new word does not wait for its back-off', async () => {
    const stage = await underWay();
    stage.api.patchPodStatus = () => Promise.reject(new Error('socket hang up'));
    stage.say('web', statusOf('Running'));
    await stage.clock.pass(100);
    expect(stage.sent.length).toBeGreaterThan(1);
  });

  test('a DELETE is under way: what comes back starts anew when it is over', async () => {
    const stage = new StatusStage();
    stage.manager.start();
    stage.create('web');
    stage.requestDeletion('web');
    stage.lag();
    stage.fault = ({ verb }) => ({ latencyMs: verb === 'delete' ? 100 : 0 });
    stage.manager.terminatePod(stage.get('web'));
    await stage.clock.pass(50);
    stage.manager.removeOrphanedStatuses(new Set());
    stage.say('web', statusOf('Running'));
    await stage.clock.pass(60_000);
    expect(stage.takeSent()).toEqual(['patch web', 'delete web']);
    expect(stage.manager.records.get('web')?.version).toBe(1);
  });
});

describe('a pod is deleted and recreated under one name', () => {
  test('while the first one is being written, the second is not touched', async () => {
    const stage = new StatusStage();
    stage.manager.start();
    stage.create('web', { uid: 'one' });
    stage.running.add('one');
    stage.fault = () => ({ latencyMs: 100 });
    stage.say('one', statusOf('Running', { restarts: 9 }));
    await stage.clock.pass(50);
    stage.api.remove(NAME);
    stage.create('web', { uid: 'two' });
    await stage.clock.pass(10_000);
    expect(stage.get('web').metadata.uid).toBe('two');
    expect(stage.get('web').status).toEqual({ phase: 'Pending' });
    expect(stage.manager.getPodStatus('one'), 'SM-71').toBeUndefined();
  });

  test('both write under one name for a while, and each keeps to its own', async () => {
    const stage = new StatusStage();
    stage.manager.start();
    const one = stage.create('web', { uid: 'one' });
    stage.say('one', statusOf('Running', { restarts: 1 }));
    await stage.settle();
    stage.api.remove(NAME);
    stage.create('web', { uid: 'two' });
    stage.manager.setPodStatus(one, statusOf('Failed', { restarts: 1 }));
    stage.say('two', statusOf('Running', { restarts: 2 }));
    await stage.settle();
    expect(stage.get('web').metadata.uid).toBe('two');
    expect(restartsInApi(stage)).toBe(2);
    expect([...stage.manager.records.keys()]).toEqual(['two']);
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
  async function underWay(): Promise<StatusStage> {
    const stage = new StatusStage();
    stage.manager.start();
    stage.running.add('uid-1');
    stage.pods.set(pod, mirrorOf('mirror-1'));
    stage.api.put(mirrorOf('mirror-1'));
    stage.fault = () => ({ latencyMs: 100 });
    stage.manager.setPodStatus(pod, statusOf('Running', { restarts: 1 }));
    await stage.clock.pass(50);
    return stage;
  }

  function replaceMirror(stage: StatusStage): void {
    stage.api.remove(NAME);
    stage.pods.set(pod, mirrorOf('mirror-2'));
    stage.api.put(mirrorOf('mirror-2'));
  }

  test('while a write of the old one is under way: the new one is written, the record stays', async () => {
    const stage = await underWay();
    replaceMirror(stage);
    await stage.clock.pass(15_000);
    expect(stage.get('web').metadata.uid).toBe('mirror-2');
    expect(stage.get('web').status?.phase).toBe('Running');
    expect(stage.manager.records.get('uid-1')?.version).toBe(1);
    expect(stage.decisions.some(({ to }) => to === 'forgotten')).toBe(false);
  });

  test('after the old one was written: the new one is written at once', async () => {
    const stage = await underWay();
    await stage.clock.pass(1000);
    expect(stage.get('web').status?.phase).toBe('Running');
    replaceMirror(stage);
    await stage.clock.pass(200);
    expect(stage.get('web').status?.phase).toBe('Running');
  });

  test('the old one is gone and no new one is there yet: nothing is sent, nothing forgotten', async () => {
    const stage = await underWay();
    await stage.clock.pass(1000);
    stage.takeSent();
    stage.api.remove(NAME);
    stage.manager.setPodStatus(pod, statusOf('Running', { restarts: 2 }));
    await stage.clock.pass(60_000);
    expect(stage.takeSent()).toEqual([]);
    stage.pods.set(pod, mirrorOf('mirror-2'));
    stage.api.put(mirrorOf('mirror-2'));
    await stage.clock.pass(200);
    expect(restartsInApi(stage)).toBe(2);
  });

  test('a mirror carries its own UID in the patch, never that of its static pod', async () => {
    const stage = await underWay();
    expect(stage.sent[0]?.patch).toMatchObject({ metadata: { uid: 'mirror-1' } });
  });
});

describe('the watch and the answers overtake each other (SM-70)', () => {
  test('an old object that the watch brings late is not written against (SM-77)', async () => {
    const stage = new StatusStage();
    stage.manager.start();
    stage.create('web');
    stage.running.add('web');
    stage.lag();
    stage.say('web', statusOf('Running', { restarts: 1 }));
    await stage.settle();
    stage.say('web', statusOf('Running', { restarts: 2 }));
    await stage.settle();
    stage.takeSent();
    stage.catchUp();
    await stage.clock.pass(30_000);
    expect(stage.takeSent()).toEqual([]);
    expect(restartsInApi(stage)).toBe(2);
  });

  test('a pod that has left the node can still be written, and then deleted', async () => {
    const stage = new StatusStage();
    stage.manager.start();
    stage.create('web');
    stage.requestDeletion('web');
    const pod = stage.get('web');
    stage.pods.remove('web');
    stage.lag();
    stage.manager.terminatePod(pod);
    await stage.settle();
    expect(stage.takeSent()).toEqual(['patch web', 'delete web']);
  });
});
