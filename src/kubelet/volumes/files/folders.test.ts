import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { makeFolders } from './folders.ts';

test('all missing folders are made, with the given mode', () => {
  const mask = process.umask(0o022);
  onTestFinished(() => void process.umask(mask));
  const root = makeTempFolder();
  const folder = path.join(root, 'a/b/c');
  makeFolders(folder, 0o750);
  for (const each of ['a', 'a/b', 'a/b/c']) {
    expect(statSync(path.join(root, each)).mode & 0o777).toBe(0o750);
  }
});

test('an existing folder stays as it is, even behind a link', () => {
  const root = makeTempFolder();
  mkdirSync(path.join(root, 'real'), { mode: 0o700 });
  symlinkSync('real', path.join(root, 'link'));
  makeFolders(path.join(root, 'link'), 0o755);
  makeFolders(path.join(root, 'link/inner'), 0o755);
  expect(statSync(path.join(root, 'real')).mode & 0o777).toBe(0o700);
  expect(readdirSync(path.join(root, 'real'))).toEqual(['inner']);
});

test('something else in its place, or above it, is an error that names it', () => {
  const root = makeTempFolder();
  const file = path.join(root, 'file');
  writeFileSync(file, '');
  for (const folder of [file, path.join(file, 'a'), path.join(file, 'a/b')]) {
    expect(() => makeFolders(folder, 0o755)).toThrow(`mkdir '${file}'`);
  }
});

test('the error names the folder that was refused', () => {
  // No user, not even root, can make folders there.
  expect(() => makeFolders('/proc/podkeep/a/b', 0o755)).toThrow("mkdir '/proc/podkeep'");
});
