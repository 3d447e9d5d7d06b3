/** Every file that a comment or a docs page names exists; and the search finds what does not. */
import { expect, test } from 'vitest';
import { missingFiles, namesIn, proseOf, waysToName } from './named-files.ts';
import { readRepositoryFile, repositoryFiles } from './repository.ts';

/** Folders whose comments are being rewritten now. Temporary: the list is to become empty, and then to go. */
test('every file that a comment or a docs page names exists', () => {
  const all = repositoryFiles();
  const ways = waysToName(all);
  const read = all.filter(
    (file) =>
      /\.(?:ts|mjs|md)$/.test(file) &&
      !file.includes('.generated.') &&
      // It names files that do not exist, to see that they are found.
      file !== 'test/docs/named-files.test.ts',
  );
  expect(read.length).toBeGreaterThan(1000);
  const missing = read.flatMap((file) => [...missingFiles(file, readRepositoryFile(file), ways)]);
  expect(missing).toEqual([]);
});

const WAYS = waysToName(['src/core/phase.ts', 'src/core/phase.test.ts', 'docs/a.md', 'README.md']);

function missing(file: string, text: string): readonly string[] {
  return [...missingFiles(file, text, WAYS)].map((sentence) => sentence.split(' ')[2] ?? '');
}

test.each([
  ['a comment names a file that is gone', 'src/a.ts', '// see old-phase.ts', 'old-phase.ts,'],
  ['a comment names a folder that is gone', 'src/a.ts', '/* in src/kern/ */', 'src/kern/,'],
  ['a page links to one', 'docs/b.md', 'See [this](gone.md).', 'gone.md,'],
  ['a page names a path', 'docs/b.md', 'In `src/core/stage.ts`.', 'src/core/stage.ts,'],
  ['the folder is wrong', 'docs/b.md', 'In `kubelet/phase.ts`.', 'kubelet/phase.ts,'],
  ['the extension is wrong', 'src/a.ts', '// phase.mjs', 'phase.mjs,'],
])('%s: it is found', (_what, file, text, name) => {
  expect(missing(file, text)).toEqual([name]);
});

test.each([
  ['a bare name', 'src/a.ts', '// phase.ts and phase.test.ts'],
  ['the end of a path', 'src/a.ts', '// core/phase.ts'],
  ['a path without its extension', 'docs/b.md', '`src/core/phase` and `src/core/`'],
  ['a path from beside', 'docs/a.md', '[code](../src/core/phase.ts), [start](../README.md)'],
  ['a link into a page', 'README.md', '[rule](docs/a.md#kl-1)'],
  ['any name', 'docs/b.md', '`test/NAME.cluster.ts`, `*.test.ts`, `docs/NNNN-title.md`'],
  ['a module of others', 'src/a.ts', '// @scope/package/file.ts and https://example.com/x.md'],
])('%s is no offence', (_what, file, text) => {
  expect(missing(file, text)).toEqual([]);
});

test('in source files only comments are read', () => {
  const text = "import './gone.ts'; // phase.ts\nexport const a = 'lost.ts';";
  expect(namesIn(proseOf('src/a.ts', text))).toEqual(['phase.ts']);
});
