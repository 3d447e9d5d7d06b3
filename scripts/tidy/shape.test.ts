/** The order of folders, their sizes and the words in names and prose, over the whole repository. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { exportProblems, orderProblems, sizeProblems } from './folders.ts';
import { COUNTS_FILE, readRepository, ROOT } from './repository.ts';
import { countProse, nameProblems } from './words.ts';

const REPOSITORY = readRepository();
const SOURCES = new Map(
  [...REPOSITORY].flatMap(([file, text]): [string, string][] =>
    file.startsWith('src/') && file.endsWith('.ts') ? [[file.slice('src/'.length), text]] : [],
  ),
);

test('there is a repository to look at', () => {
  expect(SOURCES.size).toBeGreaterThan(1000);
});

test('sub-folders of the large layers import in one direction', () => {
  expect([...SOURCES].flatMap(([file, text]) => [...orderProblems(file, text)])).toEqual([]);
});

test('no folder has more files than a reader takes in', () => {
  expect([...sizeProblems([...SOURCES.keys()])]).toEqual([]);
});

test('no two exports of a layer have one name', () => {
  expect([...exportProblems(SOURCES)]).toEqual([]);
});

test('no identifier and no file is named by a private metaphor', () => {
  expect([...REPOSITORY].flatMap(([file, text]) => [...nameProblems(file, text)])).toEqual([]);
});

test('the number of such words in prose only falls', () => {
  const counts: Readonly<Record<string, number>> = JSON.parse(
    readFileSync(path.join(ROOT, COUNTS_FILE), 'utf8'),
  );
  const risen = [...REPOSITORY].filter(
    ([file, text]) => countProse(file, text) > (counts[file] ?? 0),
  );
  expect(risen.map(([file]) => file)).toEqual([]);
});

describe('the rules have teeth', () => {
  test.each([
    ['kubelet/volumes/x.ts', "import '../sync-loop/y.ts';", /comes later/],
    ['apiserver/objects/x.ts', "import type { Y } from '../registry/y.ts';", /comes later/],
    ['apiserver/store/x.ts', "import('../http/y.ts');", /comes later/],
    ['kubelet/probes/x.ts', "import '../kubelet.ts';", /comes later/],
    ['kubelet/misc/x.ts', '', /no place/],
  ])('%s with %s is named', (file, text, expected) => {
    expect([...orderProblems(file, text)]).toEqual([expect.stringMatching(expected)]);
  });

  test('a file may import from folders before its own, from its own, and from other layers', () => {
    const text = "import '../volumes/y.ts'; import './z.ts'; import '../../core/a/b.ts';";
    expect([...orderProblems('kubelet/sync-loop/x.ts', text)]).toEqual([]);
    expect([...orderProblems('kubelet/volumes/x.test.ts', "import '../sync-loop/y.ts';")]).toEqual(
      [],
    );
  });

  test('a folder of 26 files is named, and its tests do not count', () => {
    const files = Array.from({ length: 26 }, (_, index) => `core/pod/f${index}.ts`);
    expect([...sizeProblems(files)]).toEqual([expect.stringMatching(/26 files/)]);
    expect([...sizeProblems(files.map((file) => file.replace('.ts', '.test.ts')))]).toEqual([]);
  });

  test('a name that two files of a layer export is named, and the names of machines are not', () => {
    const twice = new Map([
      ['kubelet/a.ts', 'export function reasonOf() {}'],
      ['kubelet/b/c.ts', 'export const reasonOf = 1;'],
      ['core/a/b.ts', 'export function decide() {}'],
      ['core/a/c.ts', 'export function decide() {}'],
      ['lib/a.ts', 'export interface Other {}'],
      ['api/a.ts', 'export interface Other {}'],
    ]);
    expect([...exportProblems(twice)]).toEqual([expect.stringMatching(/kubelet\/ reasonOf/)]);
  });

  test.each([
    ['src/lib/main-door.ts', '', /"door"/],
    ['src/lib/x.ts', 'export const openDoor = 1;', /"openDoor" has the word "door"/],
    ['src/lib/x.ts', 'class A { #news_of = 1; }', /"news"/],
    ['src/lib/x.ts', 'export type HTTPVerdict = 1;', /"verdict"/],
    ['test/x.test.ts', 'const a = { whoever: 1 };', /"whoever"/],
  ])('%s with %s is named', (file, text, expected) => {
    expect([...nameProblems(file, text)]).toEqual([expect.stringMatching(expected)]);
  });

  test('what only contains such a word is left alone, and so is the Unix user', () => {
    const text = 'export const [indoors, newsletter, NOBODY, tellers] = [];';
    expect([...nameProblems('src/lib/x.ts', text)]).toEqual([]);
  });

  test('prose is comments, pages and names of tests, and nothing else', () => {
    expect(countProse('src/a.ts', "// whoever told\nconst a = 'nobody';")).toBe(2);
    expect(countProse('docs/a.md', 'Nobody is told.')).toBe(2);
    expect(countProse('src/a.test.ts', "test('nobody is told', () => ask('somebody'));")).toBe(3);
  });
});
