import type { TarHeader } from 'modern-tar';
import { describe, expect, test } from 'vitest';
import { countXattrs, decideEntry } from './layer-entry.ts';

function decide(header: Partial<TarHeader>, isRoot = true): ReturnType<typeof decideEntry> {
  return decideEntry({ name: 'a', size: 0, ...header }, isRoot);
}

describe('the name of an entry', () => {
  test.each([
    ['etc/passwd', ['etc', 'passwd']],
    ['/etc/passwd', ['etc', 'passwd']],
    ['./etc//./passwd', ['etc', 'passwd']],
    ['a/../b', ['b']],
    ['etc/...', ['etc', '...']],
  ])('%s is a path from the root of the image', (name, path) => {
    expect(decide({ name })).toMatchObject({ kind: 'file', path });
  });

  test.each([
    ['..', 'its name leads out of the image'],
    ['a/../../b', 'its name leads out of the image'],
    ['/../a', 'its name leads out of the image'],
    ['', 'its name is empty'],
    ['a\0b', 'its name has a NUL byte'],
    ['a\u{FFFD}', 'its name is not UTF-8'],
    ['.', 'the root of an image can only be a folder'],
    ['a/..', 'the root of an image can only be a folder'],
  ])('%j is refused', (name, reason) => {
    expect(decide({ name })).toEqual({ kind: 'refused', reason });
  });

  test('may be the root, for a folder', () => {
    expect(decide({ name: './', type: 'directory' })).toMatchObject({ kind: 'folder', path: [] });
  });
});

describe('a whiteout', () => {
  test.each([
    ['.wh.a', { kind: 'whiteout', path: ['a'] }],
    ['x/y/.wh.a', { kind: 'whiteout', path: ['x', 'y', 'a'] }],
    ['x/.wh..wh..opq', { kind: 'opaque', folder: ['x'] }],
    ['.wh..wh..opq', { kind: 'opaque', folder: [] }],
    ['.wh..wh.plnk', { kind: 'skipped', what: 'metadata' }],
    ['.wh..wh.plnk/1.2', { kind: 'skipped', what: 'metadata' }],
    ['.wh.', { kind: 'refused', reason: 'it is a whiteout without a name' }],
    ['.wh..', { kind: 'refused', reason: 'it is a whiteout without a name' }],
    ['x/.wh...', { kind: 'refused', reason: 'it is a whiteout without a name' }],
  ])('%s', (name, decision) => {
    expect(decide({ name })).toEqual(decision);
    expect(decide({ name, type: 'directory' })).toEqual(decision);
  });
});

test.each(['character-device', 'block-device'] as const)('a %s is skipped', (type) => {
  expect(decide({ type })).toEqual({ kind: 'skipped', what: 'device' });
});

test('a FIFO is skipped', () => {
  expect(decide({ type: 'fifo' })).toEqual({ kind: 'skipped', what: 'fifo' });
});

test('a symbolic link keeps its target as it is, a hard link has a path of the image', () => {
  const linkname = '/../x/./y';
  expect(decide({ type: 'symlink', linkname })).toMatchObject({ target: linkname });
  expect(decide({ type: 'link', linkname: '/x/./y' })).toMatchObject({ target: ['x', 'y'] });
  expect(decide({ type: 'link', linkname })).toMatchObject({ kind: 'refused' });
  expect(decide({ type: 'symlink', linkname: '' })).toMatchObject({ kind: 'refused' });
});

describe('modes and owners', () => {
  const header = { mode: 0o107755, uid: 12, gid: 34, mtime: new Date(5000) } as const;

  test('of root are those of the archive', () => {
    expect(decide(header)).toMatchObject({
      attributes: { mode: 0o7755, owner: { uid: 12, gid: 34 }, mtimeSeconds: 5 },
    });
  });

  test('of an ordinary user have no setuid, no setgid and no owner', () => {
    expect(decide(header, false)).toMatchObject({ attributes: { mode: 0o1755, mtimeSeconds: 5 } });
    expect(decide(header, false)).not.toHaveProperty('attributes.owner');
  });

  test('of an ordinary user let that user read and remove everything', () => {
    expect(decide({ mode: 0 }, false)).toMatchObject({ attributes: { mode: 0o400 } });
    expect(decide({ mode: 0, type: 'directory' }, false)).toMatchObject({
      attributes: { mode: 0o700 },
    });
  });

  test('beyond what the system has are refused, and such times are left out', () => {
    expect(decide({ uid: 2 ** 32 - 1 })).toMatchObject({ kind: 'refused' });
    expect(decide({ mtime: new Date(Number.NaN) })).not.toHaveProperty('attributes.mtimeSeconds');
    expect(decide({ mtime: new Date(8e15) })).not.toHaveProperty('attributes.mtimeSeconds');
  });
});

test('a sparse file is refused: its content is not what its size says', () => {
  expect(decide({ pax: { 'GNU.sparse.major': '1' } })).toMatchObject({ kind: 'refused' });
});

test('extended attributes are counted', () => {
  const pax = { 'SCHILY.xattr.security.capability': 'x', 'SCHILY.xattr.user.a': 'y', path: 'a' };
  expect(countXattrs({ name: 'a', size: 0, pax })).toBe(2);
  expect(countXattrs({ name: 'a', size: 0 })).toBe(0);
});
