import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePointer } from './json-pointer.ts';

test('the empty pointer is the whole document, and a slash alone is the empty key', () => {
  expect(parsePointer('')).toEqual([]);
  expect(parsePointer('/')).toEqual(['']);
  expect(parsePointer('/a//b')).toEqual(['a', '', 'b']);
});

test('~1 is a slash and ~0 a tilde, and ~01 is ~1', () => {
  expect(parsePointer('/metadata/annotations/example.com~1x')).toEqual([
    'metadata',
    'annotations',
    'example.com/x',
  ]);
  expect(parsePointer('/m~0n')).toEqual(['m~n']);
  expect(parsePointer('/~01')).toEqual(['~1']);
});

test('a text that does not begin with a slash, or has another tilde, is no pointer', () => {
  for (const text of ['a', 'a/b', '#/a', '/a~', '/a~2', '/~x/b']) {
    expect(parsePointer(text)).toBeUndefined();
  }
});

test('every row of keys comes back from the pointer that names it', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (keys) => {
      const text = keys
        .map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
        .join('');
      expect(parsePointer(text)).toEqual(keys);
    }),
  );
});
