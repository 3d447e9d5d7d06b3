import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { brokenLinks } from './packed-links.ts';

const ROOT = path.join(import.meta.dirname, '..');

test('links to files and folders that are packed work; others are named', () => {
  const page = '[a](docs/a.md#x) [b](docs/) [c](gone.md) [d](https://example.com/x) [e](#e)';
  expect(brokenLinks(page, ['docs/a.md'])).toEqual(['gone.md']);
});

test('every link of the README leads to a file of the package', () => {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const text = execFileSync('npm', words, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });
  const [{ files }] = JSON.parse(text);
  const packed = files.map(({ path: file }: { readonly path: string }) => file);
  expect(brokenLinks(readFileSync(path.join(ROOT, 'README.md'), 'utf8'), packed)).toEqual([]);
});
