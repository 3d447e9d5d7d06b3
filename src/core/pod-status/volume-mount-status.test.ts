import { describe, expect, test } from 'vitest';
import type { VolumeMount } from '../../api/pod.ts';
import { container } from '../../../test/support/pod-parts.ts';
import { volumeMountStatuses } from './volume-mount-status.ts';

function statusOf(mount: Partial<VolumeMount>, supported = true) {
  const volumeMounts = [{ name: 'data', mountPath: '/data', ...mount }];
  return volumeMountStatuses(container('c', { volumeMounts }), supported)[0];
}

const place = { name: 'data', mountPath: '/data' };
const shallow = { ...place, readOnly: true, recursiveReadOnly: 'Disabled' };
const deep = { ...place, readOnly: true, recursiveReadOnly: 'Enabled' };

test('a container without mounts reports none', () => {
  expect(volumeMountStatuses(container('c'), true)).toEqual([]);
});

test('mounts are reported in order, by name and path', () => {
  const volumeMounts = [
    { name: 'b', mountPath: '/b' },
    { name: 'a', mountPath: '/a', mountPropagation: 'None' as const },
  ];
  expect(volumeMountStatuses(container('c', { volumeMounts }), true)).toEqual([
    { name: 'b', mountPath: '/b' },
    { name: 'a', mountPath: '/a' },
  ]);
});

describe('a writable mount has no recursiveReadOnly status', () => {
  test('even if it asks', () => {
    expect(statusOf({})).toEqual(place);
    expect(statusOf({ readOnly: false, recursiveReadOnly: 'Enabled' })).toEqual(place);
  });
});

describe('a read-only mount reports whether it is recursive', () => {
  test('no further than the mount itself, unless it asks', () => {
    expect(statusOf({ readOnly: true })).toEqual(shallow);
    expect(statusOf({ readOnly: true, recursiveReadOnly: 'Disabled' })).toEqual(shallow);
  });

  test.each(['IfPossible', 'Enabled'] as const)(
    'all the way if it asks (%s) and the runtime can',
    (recursiveReadOnly) => {
      expect(statusOf({ readOnly: true, recursiveReadOnly })).toEqual(deep);
      expect(statusOf({ readOnly: true, recursiveReadOnly }, false)).toEqual(shallow);
    },
  );

  test('not together with propagation', () => {
    const asked = { readOnly: true, recursiveReadOnly: 'Enabled' } as const;
    expect(statusOf({ ...asked, mountPropagation: 'None' })).toEqual(deep);
    expect(statusOf({ ...asked, mountPropagation: 'HostToContainer' })).toEqual(shallow);
    expect(statusOf({ ...asked, mountPropagation: 'Bidirectional' })).toEqual(shallow);
  });
});
