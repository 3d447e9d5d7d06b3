import { describe, expect, test } from 'vitest';
import { isOwned, isShared } from './condition-ownership.ts';

describe('which conditions podkeep may write', () => {
  test.each([
    'PodScheduled',
    'Ready',
    'Initialized',
    'ContainersReady',
    'PodReadyToStartContainers',
    'PodResizePending',
    'PodResizeInProgress',
    'AllContainersRestarting',
  ])('SM-10: %s is ours', (type) => {
    expect(isOwned(type)).toBe(true);
    expect(isShared(type)).toBe(false);
  });

  test('SM-11: DisruptionTarget is shared, and not ours', () => {
    expect(isShared('DisruptionTarget')).toBe(true);
    expect(isOwned('DisruptionTarget')).toBe(false);
  });

  test.each([
    'example.com/gate',
    'Unschedulable',
    'KubeletManagedCondition',
    'ready',
    'PodReady',
    'PodInitialized',
    'constructor',
    '__proto__',
    '',
  ])('SM-12, A-03, A-41: %j is foreign', (type) => {
    expect(isOwned(type)).toBe(false);
    expect(isShared(type)).toBe(false);
  });
});
