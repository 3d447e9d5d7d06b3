import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import {
  ended,
  NOW,
  podOf,
  running,
  terminated,
  waiting,
} from '../../../test/support/pod-parts.ts';
import { statusOfLost } from './lost-container.ts';

const pod = podOf();
const dying = podOf({}, { metadata: { deletionTimestamp: NOW } });
const seed = deepFreeze(waiting('c', { restartCount: 2, lastState: {} }));

const LOST = {
  terminated: {
    reason: 'ContainerStatusUnknown',
    message:
      'The container could not be located when the pod was deleted.  ' +
      'The container used to be Running',
    exitCode: 137,
  },
};

describe('KL-37: the runtime has no record of a container', () => {
  const goesOn = { pod, isRestartingAll: false };

  test('that ran: it must have ended, and its restart counts', () => {
    expect(statusOfLost(goesOn, seed, running('c'))).toEqual({
      ...seed,
      lastState: LOST,
      restartCount: 3,
    });
  });

  test('that ran, and of which no restarts were counted: this is the first', () => {
    expect(statusOfLost(goesOn, waiting('c'), running('c')).restartCount).toBe(1);
  });

  test('that ran, in a pod that is being deleted: it is not restarted', () => {
    expect(statusOfLost({ ...goesOn, pod: dying }, seed, running('c'))).toEqual({
      ...seed,
      lastState: LOST,
    });
  });

  test.each([
    ['of which nothing was said', undefined],
    ['that waited', waiting('c')],
    ['that had no state', { name: 'c' }],
    ['that had ended', terminated('c', 1)],
  ])('%s: there is nothing to add', (_name, old) => {
    expect(statusOfLost(goesOn, seed, old)).toBe(seed);
  });

  test('that ran, but whose last end is known: that stays', () => {
    const known = deepFreeze(waiting('c', { restartCount: 2, lastState: ended(3) }));
    expect(statusOfLost(goesOn, known, running('c'))).toBe(known);
  });
});

describe('E-7: while the whole pod restarts in place, it was removed on purpose', () => {
  const restarts = { pod, isRestartingAll: true };
  const REMOVED = {
    reason: 'RestartingAllContainers',
    message: 'The container is removed because RestartAllContainers in place',
  };

  test.each([
    ['ran', running('c', { restartCount: 2 })],
    ['had no state', { name: 'c', restartCount: 2 }],
  ])('one that %s waits to come back, and its end says why', (_name, old) => {
    expect(statusOfLost(restarts, seed, old)).toEqual({
      ...seed,
      state: { waiting: REMOVED },
      lastState: { terminated: { ...REMOVED, exitCode: 137 } },
      restartCount: 3,
    });
  });

  test('one that had ended as well: its old end is replaced', () => {
    const old = deepFreeze(terminated('c', 42, { restartCount: 5, imageID: 'app@sha256:1' }));
    expect(statusOfLost(restarts, old, old)).toEqual({
      ...old,
      state: { waiting: REMOVED },
      lastState: { terminated: { ...REMOVED, exitCode: 137 } },
      restartCount: 6,
    });
  });

  test('the first restart is counted from zero', () => {
    expect(statusOfLost(restarts, seed, running('c')).restartCount).toBe(1);
  });

  test('a waiting container is counted only once', () => {
    expect(statusOfLost(restarts, seed, waiting('c'))).toBe(seed);
  });

  test('a container that was never reported stays as it is', () => {
    expect(statusOfLost(restarts, seed, undefined)).toBe(seed);
  });
});
