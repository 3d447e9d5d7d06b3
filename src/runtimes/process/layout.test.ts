import { expect, test } from 'vitest';
import { containerFolder, keyOf, logFileOf, podFolder } from './layout.ts';

test('no name leads out of its folder', () => {
  for (const name of ['..', '.', '', 'a/b', '/etc', 'a\0b', '-x', 'x'.repeat(300)]) {
    expect(() => podFolder('/data', name)).toThrow('cannot be the name of a folder');
    expect(() => containerFolder('/data', 'uid', name, 0)).toThrow(/container name/);
  }
  expect(podFolder('/data', '__proto__')).toBe('/data/pods/__proto__');
});

test('a log stays inside the folder of its pod', () => {
  expect(logFileOf('/var/log/pods/a', 'main/0.log')).toBe('/var/log/pods/a/main/0.log');
  for (const file of ['../b/0.log', '/etc/passwd', '..', '']) {
    expect(() => logFileOf('/var/log/pods/a', file)).toThrow(/log path/);
  }
  expect(() => logFileOf('relative', 'main/0.log')).toThrow(/log path/);
});

test('two folders have two keys', () => {
  expect(keyOf('/a')).toMatch(/^[0-9a-f]{8}$/);
  expect(keyOf('/a')).not.toBe(keyOf('/b'));
});
