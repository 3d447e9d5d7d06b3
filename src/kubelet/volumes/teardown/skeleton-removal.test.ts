import {
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { removeSkeleton } from './skeleton-removal.ts';

function makeSkeleton(): string {
  const folder = path.join(makeTempFolder(), 'uid-1');
  for (const name of ['plugins', 'containers/main', 'volumes/kubernetes.io~empty-dir']) {
    mkdirSync(path.join(folder, name), { recursive: true });
  }
  writeFileSync(path.join(folder, 'etc-hosts'), '127.0.0.1\tlocalhost\n');
  writeFileSync(path.join(folder, 'containers/main/0'), 'last words');
  return folder;
}

test('what podkeep has made for a pod is removed at once', () => {
  const folder = makeSkeleton();
  expect(removeSkeleton(folder)).toBe(true);
  expect(existsSync(folder)).toBe(false);
  expect(removeSkeleton(folder)).toBe(false);
});

test('files of a volume stay', () => {
  const folder = makeSkeleton();
  const volume = path.join(folder, 'volumes/kubernetes.io~empty-dir/e');
  mkdirSync(volume);
  writeFileSync(path.join(volume, 'precious'), 'x');
  expect(removeSkeleton(folder)).toBe(false);
  expect(readFileSync(path.join(volume, 'precious'), 'utf8')).toBe('x');
});

test('a link is removed, and its target stays', () => {
  const folder = makeSkeleton();
  const outside = path.join(folder, '../outside');
  mkdirSync(outside);
  writeFileSync(path.join(outside, 'precious'), 'x');
  symlinkSync(outside, path.join(folder, 'containers/link'));
  symlinkSync(outside, path.join(folder, '../uid-2'));
  expect(removeSkeleton(folder)).toBe(true);
  expect(removeSkeleton(path.join(folder, '../uid-2'))).toBe(false);
  expect(readFileSync(path.join(outside, 'precious'), 'utf8')).toBe('x');
});

test('what takes long is left to tree-removal.ts', () => {
  const large = makeSkeleton();
  truncateSync(path.join(large, 'containers/main/0'), 2_000_000);
  expect(removeSkeleton(large)).toBe(false);
  expect(existsSync(path.join(large, 'containers/main/0'))).toBe(true);
  const many = makeSkeleton();
  for (let run = 0; run < 100; run += 1) {
    writeFileSync(path.join(many, 'containers/main', String(run)), '');
  }
  expect(removeSkeleton(many)).toBe(false);
  expect(existsSync(path.join(many, 'containers/main/99'))).toBe(true);
});
