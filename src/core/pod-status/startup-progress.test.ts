import { describe, expect, test } from 'vitest';
import { running, terminated, waiting } from '../../../test/support/pod-parts.ts';
import type { PodStatus } from '../../api/pod.ts';
import { isOfStart } from './startup-progress.ts';

describe('start-up progress', () => {
  function isStarting(status: PodStatus, isFinished = false): boolean {
    return isOfStart({ version: 1, name: 'web', namespace: 'default', status, isFinished });
  }

  const backOff = { state: { waiting: { reason: 'ImagePullBackOff' } } };

  test('is a status that only says that containers are about to be created', () => {
    expect(isStarting({ phase: 'Pending' })).toBe(true);
    expect(isStarting({ phase: 'Pending', containerStatuses: [waiting('a')] })).toBe(true);
  });

  test.each<[string, PodStatus]>([
    ['something runs', { phase: 'Running', containerStatuses: [running('a')] }],
    ['one container runs', { phase: 'Pending', containerStatuses: [running('a'), waiting('b')] }],
    ['one has ended', { phase: 'Pending', initContainerStatuses: [terminated('a', 0)] }],
    ['an image is missing', { phase: 'Pending', containerStatuses: [waiting('a', backOff)] }],
    [
      'it is a restart',
      { phase: 'Pending', containerStatuses: [waiting('a', { restartCount: 1 })] },
    ],
    ['the pod gives a reason', { phase: 'Pending', reason: 'Evicted' }],
  ])('are none if %s', (_what, status) => {
    expect(isStarting(status)).toBe(false);
  });

  test('is not the final status', () => {
    expect(isStarting({ phase: 'Pending' }, true)).toBe(false);
  });
});
