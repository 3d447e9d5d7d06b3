import { constants, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { writeExactFile } from './exact-file.ts';

test('a file has its mode, whatever the umask of the process', () => {
  const mask = process.umask(0o077);
  onTestFinished(() => void process.umask(mask));
  const file = path.join(makeTempFolder(), 'file');
  writeExactFile(file, 'wx', { content: 'words', mode: 0o666 });
  expect(readFileSync(file, 'utf8')).toBe('words');
  expect(statSync(file).mode & 0o777).toBe(0o666);
});

test('an existing file is overwritten, refused or not followed, as the flags say', () => {
  const folder = makeTempFolder();
  const file = path.join(folder, 'file');
  const link = path.join(folder, 'link');
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const inPlace = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
  writeExactFile(file, inPlace, { content: 'a longer text', mode: 0o644 });
  const { ino } = statSync(file);
  writeExactFile(file, inPlace, { content: new Uint8Array([0x61]), mode: 0o600 });
  expect(readFileSync(file, 'utf8')).toBe('a');
  expect(statSync(file)).toMatchObject({ ino });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  symlinkSync(file, link);
  expect(() => writeExactFile(link, inPlace, { content: 'b', mode: 0o600 })).toThrow('ELOOP');
  expect(() => writeExactFile(link, 'wx', { content: 'b', mode: 0o600 })).toThrow('EEXIST');
  expect(readFileSync(file, 'utf8')).toBe('a');
});
