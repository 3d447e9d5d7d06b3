/** bin/podkeep: the sentence for an old Node, and the report of a crash. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Script } from 'node:vm';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..');
const PROGRAM = path.join(ROOT, 'bin', 'podkeep');

function run(before: string): { readonly status: number | null; readonly stderr: string } {
  const preload = `data:text/javascript,${encodeURIComponent(before)}`;
  const words = ['--import', preload, PROGRAM, '--help'];
  return spawnSync(process.execPath, words, { encoding: 'utf8' });
}

test('bin/podkeep is a script that old Nodes can parse', async () => {
  const text = readFileSync(PROGRAM, 'utf8');
  expect(() => new Script(text.replace(/^#!.*/, ''))).not.toThrow();
  // Whatever is newer than ES2019, or than dynamic import, would be rewritten here.
  const { code } = await transform(text, { target: 'es2020' });
  const { code: old } = await transform(text, {
    target: 'es2017',
    supported: { 'dynamic-import': true },
  });
  expect(old).toBe(code);
});

test.each(['12.22.0', '16.20.2', '18.20.4', '20.10.0', '20.18.3'])(
  'Node %s prints which one podkeep needs',
  (version) => {
    const versions = `{ ...process.versions, node: '${version}' }`;
    const { status, stderr } = run(
      `Object.defineProperty(process, 'versions', { value: ${versions} })`,
    );
    expect(stderr).toMatch(
      new RegExp(`^podkeep needs Node.js 20.19 or newer, and this is v${version}\\.\n {2}hint`),
    );
    expect(status).toBe(1);
  },
);

test('a crash prints its error in lines of the source, and nothing of the bundle', () => {
  const { status, stderr } = run("process.stdout.write = () => { throw new TypeError('broken') }");
  expect(status).toBe(1);
  expect(stderr).toMatch(/^error podkeep has a defect and ends: TypeError: broken\n/);
  expect(stderr).toMatch(/\(src\/main\.ts:\d+:\d+\)/);
  expect(stderr).not.toContain('dist/');
  expect(stderr.length).toBeLessThan(5000);
});
