import { expect, test } from 'vitest';
import { flagsOf, isInside, mountLine, parseMountInfo } from './mount-table.ts';

const TABLE = [
  '22 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
  '30 22 0:25 / /run rw,nosuid,nodev,noexec - tmpfs tmpfs rw',
  '31 30 0:26 / /run/with\\040space ro,nosuid,sync - tmpfs tmpfs rw',
].join('\n');

test('mount points are read as they are, with the flags that a bind mount must keep', () => {
  expect(parseMountInfo(`${TABLE}\n`)).toEqual([
    { point: '/', type: 'ext4', flags: ['relatime'] },
    { point: '/run', type: 'tmpfs', flags: ['nosuid', 'nodev', 'noexec'] },
    { point: '/run/with space', type: 'tmpfs', flags: ['ro', 'nosuid'] },
  ]);
});

test('a path has the flags of the deepest mount above it', () => {
  const mounts = parseMountInfo(TABLE);
  expect(flagsOf('/run/x/y', mounts)).toEqual(['nosuid', 'nodev', 'noexec']);
  expect(flagsOf('/runner', mounts)).toEqual(['relatime']);
  expect(flagsOf('/run/with space', mounts)).toEqual(['ro', 'nosuid']);
});

test('a path is inside itself and what is above it, not inside what only begins like it', () => {
  expect(isInside('/a/b', '/a')).toBe(true);
  expect(isInside('/a', '/a')).toBe(true);
  expect(isInside('/ab', '/a')).toBe(false);
  expect(isInside('/ab', '/')).toBe(true);
});

test('a line keeps its fields apart, whatever is in them', () => {
  expect(
    mountLine({ source: '/a b', target: '/c\td', type: 'none', options: ['bind', 'ro'] }),
  ).toBe('/a\\040b /c\\011d none bind,ro 0 0');
  expect(mountLine({ source: '#x', target: '/y\\z', type: 'tmpfs', options: [] })).toBe(
    '\\043x /y\\134z tmpfs defaults 0 0',
  );
});
