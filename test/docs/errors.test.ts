/** docs/errors.md lists every code that the source can give, and none that it cannot. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** Where a definition names its code, literally or by a constant of the same name. */
const CODE = /(?:\bcode: |\bsuper\(|\b[A-Z][A-Z_]+ = )'([A-Z]+(?:_[A-Z]+)+)'/g;

test('every error code has its line in docs/errors.md, in order', () => {
  const sources = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(path.join(ROOT, 'src', file), 'utf8'));
  const given = sources.flatMap((text) => [...text.matchAll(CODE)].map(([, code = '']) => code));
  const listed = [
    ...readFileSync(path.join(ROOT, 'docs/errors.md'), 'utf8').matchAll(/^\| `([A-Z_]+)` +\|/gm),
  ];
  expect(listed.map(([, code]) => code)).toEqual([...new Set(given)].toSorted());
});
