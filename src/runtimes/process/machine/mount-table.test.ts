import { expect, test } from 'vitest';
import { isInside, parseMountInfo } from './mount-table.ts';

const TABLE = [
  '22 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
  '30 22 0:25 / /run rw,nosuid,nodev,noexec - tmpfs tmpfs rw',
  '31 30 0:26 / /run/with\\040space ro,nosuid,sync - tmpfs tmpfs rw',
].join('\n');

test('mount points are read as they are', () => {
  expect(parseMountInfo(`${TABLE}\n`)).toEqual([
    { point: '/', type: 'ext4' },
    { point: '/run', type: 'tmpfs' },
    { point: '/run/with space', type: 'tmpfs' },
  ]);
});

test('a path is inside itself and its parents, not inside a path that shares its prefix', () => {
  expect(isInside('/a/b', '/a')).toBe(true);
  expect(isInside('/a', '/a')).toBe(true);
  expect(isInside('/ab', '/a')).toBe(false);
  expect(isInside('/ab', '/')).toBe(true);
});
