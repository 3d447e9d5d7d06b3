import { expect, test } from 'vitest';
import type { Pod } from '../../../api/pod.ts';
import { nestedMountPoints } from './nested-mount-points.ts';

function podOf(...mounts: readonly (readonly [name: string, mountPath: string])[]): Pod {
  const volumeMounts = mounts.map(([name, mountPath]) => ({ name, mountPath }));
  return { metadata: {}, spec: { containers: [{ name: 'c', volumeMounts }] } };
}

test('a volume has a folder for each mount directly below it', () => {
  const pod = podOf(
    ['v', '/dir'],
    ['a', '/dir/nested'],
    ['b', '/dir/nested/deeper'],
    ['c', '/dir2'],
  );
  expect(nestedMountPoints(pod, 'v')).toEqual(['nested']);
  expect(nestedMountPoints(pod, 'a')).toEqual(['deeper']);
  expect(nestedMountPoints(pod, 'b')).toEqual([]);
});

test('names that begin alike are not nested', () => {
  const pod = podOf(['v', '/dir/'], ['a', '/dir/n'], ['b', '/dir/n-b'], ['c', '/dir/n/x']);
  expect(nestedMountPoints(pod, 'v')).toEqual(['n-b', 'n']);
});

test('a path that goes up does not leave the root', () => {
  expect(nestedMountPoints(podOf(['v', '../../a'], ['w', '/a/b']), 'v')).toEqual(['b']);
});
