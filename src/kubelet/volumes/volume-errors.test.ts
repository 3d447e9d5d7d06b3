import { readFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { fileErrorText } from './volume-errors.ts';

function errorOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('it worked');
}

test('errors of files have the usual system messages', () => {
  const folder = makeTempFolder();
  const missing = path.join(folder, 'missing');
  expect(fileErrorText(errorOf(() => readFileSync(missing)))).toBe(
    `open ${missing}: no such file or directory`,
  );
  expect(fileErrorText(errorOf(() => mkdirSync(folder)))).toBe(`mkdir ${folder}: file exists`);
  expect(fileErrorText(errorOf(() => readFileSync(folder)))).toBe('read: is a directory');
});

test('other errors keep their message', () => {
  expect(fileErrorText(new Error('configmap "x" not found'))).toBe('configmap "x" not found');
  expect(fileErrorText('text')).toBe('text');
});
