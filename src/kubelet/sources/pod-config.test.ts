import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import { pod } from '../../../test/support/pods.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { Pod } from '../../api/pod.ts';
import { PodConfig } from './pod-config.ts';
import type { PodUpdate } from './pod-update.ts';

function harness() {
  const clock = new VirtualClock();
  const updates: PodUpdate[] = [];
  const events: string[] = [];
  const config = new PodConfig({
    clock,
    log: silentLog,
    sources: ['api', 'file'],
    events: {
      record: (_pod, type, reason, message) => events.push(`${type} ${reason} ${message}`),
    },
    notify: (update) => updates.push(update),
  });
  /** The updates since the last call, in a short form. */
  const notified = (): readonly string[] =>
    updates
      .splice(0)
      .map(({ operation, pods }) =>
        [operation, ...pods.map(({ metadata }) => metadata.uid ?? '')].join(' '),
      );
  return { clock, config, updates, events, notified };
}

function change(base: Pod, metadata: Partial<Pod['metadata']>): Pod {
  return { ...base, metadata: { ...base.metadata, ...metadata } };
}

const web = deepFreeze(pod('web'));

describe('updates of a source (KL-57)', () => {
  test('that reports for the first time are additions', () => {
    const { config, updates, notified } = harness();
    config.set('api', [web, pod('db')]);
    expect(updates[0]?.pods[0]?.metadata.annotations).toEqual({
      'kubernetes.io/config.source': 'api',
      'kubernetes.io/config.seen': '2030-01-02T03:04:05Z',
    });
    expect(notified()).toEqual(['ADD web db']);
  });

  test('that has no pods are one empty addition, once', () => {
    const { config, notified } = harness();
    config.set('file', []);
    config.set('file', []);
    expect(notified()).toEqual(['ADD']);
  });

  test('come in the order REMOVE, ADD, UPDATE, DELETE, RECONCILE', () => {
    const { config, notified } = harness();
    const names = ['a', 'b', 'c', 'd'];
    config.set(
      'api',
      names.map((name) => pod(name)),
    );
    notified();
    config.set('api', [
      pod('d', { phase: 'Running' }),
      pod('c', { deletedWithin: 30 }),
      change(pod('b'), { labels: { x: 'y' } }),
      pod('e'),
    ]);
    expect(notified()).toEqual(['REMOVE a', 'ADD e', 'UPDATE b', 'DELETE c', 'RECONCILE d']);
  });

  test('for one pod are the same as for all pods', () => {
    const { config, notified } = harness();
    config.set('api', [web]);
    config.put('api', pod('db'));
    config.put('api', pod('db', { phase: 'Running' }));
    config.put('api', pod('db', { phase: 'Running', deletedWithin: 5 }));
    config.remove('api', 'db');
    config.remove('api', 'db');
    expect(notified()).toEqual(['ADD web', 'ADD db', 'RECONCILE db', 'DELETE db', 'REMOVE db']);
  });

  test('for a pod that took over a name remove one pod and add the other', () => {
    const { config, notified } = harness();
    config.set('api', [pod('web', { uid: '1' })]);
    config.set('api', [pod('web', { uid: '2' })]);
    expect(notified()).toEqual(['ADD 1', 'REMOVE 1', 'ADD 2']);
  });

  test('do not touch the pods of another source', () => {
    const { config, notified } = harness();
    config.set('api', [web]);
    config.set('file', [pod('static')]);
    config.set('file', []);
    expect(notified()).toEqual(['ADD web', 'ADD static', 'REMOVE static']);
  });
});

describe('what counts as a change (KL-57)', () => {
  const deleted = '2030-01-02T03:04:05Z';
  test.each<[string, Pod, string | undefined]>([
    ['nothing', pod('web'), undefined],
    ['a new version', change(web, { resourceVersion: '9' }), undefined],
    ['owners and finalizers', change(web, { finalizers: ['x'] }), undefined],
    ['the spec', { ...web, spec: { containers: [{ name: 'c0', image: 'new' }] } }, 'UPDATE'],
    ['a label', change(web, { labels: { a: 'b' } }), 'UPDATE'],
    ['an annotation', change(web, { annotations: { a: 'b' } }), 'UPDATE'],
    [
      'one of our annotations',
      change(web, { annotations: { 'kubernetes.io/config.seen': 'x' } }),
      undefined,
    ],
    ['the status', { ...web, status: { phase: 'Failed' } }, 'RECONCILE'],
    ['its deletion', change(web, { deletionTimestamp: deleted }), 'DELETE'],
    ['labels that are empty', change(web, { labels: {} }), undefined],
  ])('%s: %s', (_what, next, operation) => {
    const { config, updates } = harness();
    config.set('api', [web]);
    config.put('api', deepFreeze(next));
    expect(updates[1]?.operation).toBe(operation);
  });

  test('a shorter grace period of a pod that is being deleted', () => {
    const { config, notified } = harness();
    config.set('api', [pod('web', { deletedWithin: 30 })]);
    config.put('api', pod('web', { deletedWithin: 5 }));
    expect(notified()).toEqual(['ADD web', 'DELETE web']);
  });

  test('keeps when the pod was first seen, and where it came from', async () => {
    const { config, updates, clock } = harness();
    config.set('api', [web]);
    await clock.pass(61_230);
    const forged = { 'kubernetes.io/config.source': 'file', mine: 'x' };
    config.put('api', change(web, { annotations: forged }));
    expect(updates[1]?.pods[0]?.metadata.annotations).toEqual({
      'kubernetes.io/config.source': 'api',
      'kubernetes.io/config.seen': '2030-01-02T03:04:05Z',
      mine: 'x',
    });
    config.put('api', pod('late'));
    expect(updates[2]?.pods[0]?.metadata.annotations).toMatchObject({
      'kubernetes.io/config.seen': '2030-01-02T03:05:06.23Z',
    });
  });

  test('shares what did not change, and has the newest of the rest', () => {
    const { config, updates } = harness();
    config.set('api', [web]);
    const next = change(pod('web', { phase: 'Running' }), { resourceVersion: '9' });
    config.put('api', next);
    const notified = updates[1]?.pods[0];
    expect(notified?.spec).toBe(web.spec);
    expect(notified?.status).toBe(next.status);
    expect(notified?.metadata.resourceVersion).toBe('9');
  });
});

describe('sources', () => {
  test('are all ready when each has reported its pods', () => {
    const { config } = harness();
    expect([config.hasSeen('api'), config.hasSeenAll]).toEqual([false, false]);
    config.set('api', []);
    expect([config.hasSeen('api'), config.hasSeenAll]).toEqual([true, false]);
    config.set('file', []);
    expect(config.hasSeenAll).toBe(true);
  });

  test('report all pods before they report a change of one', () => {
    expect(() => harness().config.put('api', web)).toThrow('before its first full list');
  });

  test('with two pods of one name have the first one', () => {
    const { config, notified, events } = harness();
    config.set('file', [pod('web', { uid: '1' }), pod('web', { uid: '2' })]);
    expect(notified()).toEqual(['ADD 1']);
    expect(events).toEqual([
      'Warning FailedValidation Error validating pod web_default(2) from file due to duplicate pod name "web", ignoring',
    ]);
  });
});

test('a subscriber that follows the updates has the pods of the source at any time', () => {
  const pods = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      phase: fc.constantFrom('Pending', 'Running'),
      uid: fc.nat(1),
    }),
    { selector: ({ name }) => name },
  );
  fc.assert(
    fc.property(fc.array(pods), (lists) => {
      const { config, updates } = harness();
      const followed = new Map<string, string | undefined>();
      for (const list of lists) {
        const given = list.map(({ name, phase, uid }) =>
          pod(name, { uid: `${name}${uid}`, phase: phase as 'Pending' }),
        );
        config.set('api', given);
        for (const { operation, pods: notified } of updates.splice(0)) {
          for (const { metadata, status } of notified) {
            if (operation === 'REMOVE') followed.delete(metadata.uid ?? '');
            else followed.set(metadata.uid ?? '', status?.phase);
          }
        }
        const now = given.map(({ metadata, status }): [string, string | undefined] => [
          metadata.uid ?? '',
          status?.phase,
        ]);
        expect(followed).toEqual(new Map(now));
      }
    }),
  );
});
