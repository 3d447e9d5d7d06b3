import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../test/support/temp-folder.ts';
import { describeCrash, mapStack } from './crash-report.ts';

test('a crash is its error in lines of the source, without the bundle, and its causes', async () => {
  const folder = makeTempFolder();
  mkdirSync(path.join(folder, 'src'));
  const source =
    'export function fail() {\n\n  throw new TypeError("broken", { cause: new Error("why") });\n}\n';
  writeFileSync(path.join(folder, 'src', 'deep.ts'), source);
  const outfile = path.join(folder, 'dist', 'deep.mjs');
  await build({
    absWorkingDir: folder,
    entryPoints: ['src/deep.ts'],
    outfile,
    format: 'esm',
    minify: true,
    sourcemap: 'external',
    sourcesContent: false,
  });
  const { fail } = await import(pathToFileURL(outfile).href);
  const error = caught(fail);
  // The runner of the tests may have changed the address, so the frame is written by hand.
  error.stack = `TypeError: broken\n    at fail (${pathToFileURL(outfile).href}:1:21)`;
  const report = describeCrash(error, 'podkeep 1.2.3');
  expect(report).toMatch(
    /^error podkeep has a defect and ends: TypeError: broken\n {4}at fail \(src\/deep\.ts:3:\d+\)\n {2}cause {2}Error: why/,
  );
  expect(report).toMatch(/\n {2}podkeep 1\.2\.3\n$/);
});

test('a frame without a map stays as it is', () => {
  const stack =
    'Error: x\n    at f (file:///no/such/bundle.js:1:2)\n    at node:internal/process:3:4';
  expect(mapStack(stack)).toBe(stack);
});

function caught(act: () => void): Error {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it did not throw');
}
