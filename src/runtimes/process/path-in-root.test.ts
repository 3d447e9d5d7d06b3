import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lookAt, resolveInRoot } from './path-in-root.ts';

let root: string;

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'podkeep-root-'));
  mkdirSync(path.join(root, 'run'));
  mkdirSync(path.join(root, 'var/lib'), { recursive: true });
  symlinkSync('/run', path.join(root, 'var/run'));
  symlinkSync('../../run', path.join(root, 'var/lib/up'));
  symlinkSync('../../../../../../etc', path.join(root, 'out'));
  symlinkSync('loop', path.join(root, 'loop'));
});

afterAll(() => rmSync(root, { recursive: true }));

test.each([
  ['/var/run/secrets', '/run/secrets'],
  ['/var/lib/up/x', '/run/x'],
  ['/out/passwd', '/etc/passwd'],
  ['/../../etc', '/etc'],
  ['/var/./lib//x/', '/var/lib/x'],
  ['/', '/'],
])('%s is %s inside', (target, resolved) => {
  expect(resolveInRoot(root, target)).toBe(resolved);
});

test('links that go round in circles come to an end', () => {
  expect(resolveInRoot(root, '/loop/x')).toBe('/loop/x');
});

test('what we make ourselves has no links to follow', () => {
  expect(resolveInRoot(root, '/var/run/x', (file) => file.startsWith('/var'))).toBe('/var/run/x');
});

test('nothing leads out of the root', () => {
  const anyPart = fc.constantFrom('..', '.', 'var', 'run', 'lib', 'up', 'out', 'x', '', 'loop');
  fc.assert(
    fc.property(fc.array(anyPart, { maxLength: 10 }), (parts) => {
      const resolved = resolveInRoot(root, `/${parts.join('/')}`);
      expect(resolved).toMatch(/^\//);
      expect(resolved.split('/')).not.toContain('..');
    }),
  );
});

test('what is not there is nothing', () => {
  expect(lookAt(path.join(root, 'missing'))).toBeUndefined();
  expect(lookAt(path.join(root, 'loop'))?.isSymbolicLink()).toBe(true);
});
