import { expect, test } from 'vitest';
import { normalise } from './normalise.ts';

const PLACE = { address: 'https://127.0.0.1:4711', folder: '/tmp/folder-1' };

function see(text: string): string {
  return normalise(text, PLACE);
}

test('a table keeps its cells and loses its widths and ages', () => {
  expect(see('NAME    READY   AGE\nweb     0/1     12s\nweb-2   0/1     3m4s\n')).toBe(
    'NAME  READY  AGE\nweb  0/1  <AGE>\nweb-2  0/1  <AGE>',
  );
});

test('times, UIDs and versions become placeholders, in YAML and in JSON', () => {
  expect(see('  creationTimestamp: "2026-11-16T01:02:03Z"')).toBe('  creationTimestamp: "<TIME>"');
  expect(see('uid: 01234567-89ab-cdef-0123-456789abcdef')).toBe('uid: <UID>');
  expect(see('  resourceVersion: "17"')).toBe('  resourceVersion: "<VERSION>"');
  expect(see('{"resourceVersion":"17"}')).toBe('{"resourceVersion":"<VERSION>"}');
});

test('what depends on a fraction of a second is left out', () => {
  const remark = 'W1116 02:00:00.000000 77 reflector.go:9] "watch ended" err="very short watch: x"';
  expect(see(`${remark}\nerror: timed out\n`)).toBe('error: timed out');
});

test('the indentation stays', () => {
  expect(see('a:\n    b: 1')).toBe('a:\n    b: 1');
});

test('the server and its folder become placeholders', () => {
  expect(see('at https://127.0.0.1:4711 in /tmp/folder-1/x')).toBe('at <SERVER> in <FOLDER>/x');
  expect(see('dial tcp 127.0.0.1:4711')).toBe('dial tcp <HOST>');
});

test('a generated suffix becomes a placeholder, a word does not', () => {
  expect(see('pod/web-x7k2p created')).toBe('pod/web-<SUFFIX> created');
  expect(see('pod/web-first created')).toBe('pod/web-first created');
});

test('a port that was picked becomes a placeholder, a requested one does not', () => {
  expect(see('80:31234/TCP')).toBe('80:<NODE-PORT>/TCP');
  expect(see('80/TCP')).toBe('80/TCP');
});
