import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveInRoot } from './path-in-root.ts';

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

test('too many links are refused, so that the kernel follows none of them', () => {
  expect(() => resolveInRoot(root, '/loop/x')).toThrow('too many links');
  const chain = mkdtempSync(path.join(root, 'chain-'));
  symlinkSync('/etc', path.join(chain, 'l0'));
  for (let n = 1; n <= 41; n++) symlinkSync(`/l${n - 1}`, path.join(chain, `l${n}`));
  expect(resolveInRoot(chain, '/l39/hostname')).toBe('/etc/hostname');
  expect(() => resolveInRoot(chain, '/l40/hostname')).toThrow('too many links');
});

test('nothing leads out of the root', () => {
  const anyPart = fc.constantFrom('..', '.', 'var', 'run', 'lib', 'up', 'out', 'x', '');
  fc.assert(
    fc.property(fc.array(anyPart, { maxLength: 10 }), (parts) => {
      const resolved = resolveInRoot(root, `/${parts.join('/')}`);
      expect(resolved).toMatch(/^\//);
      expect(resolved.split('/')).not.toContain('..');
    }),
  );
});
