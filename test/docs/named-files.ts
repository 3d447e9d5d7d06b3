/**
 * Files that comments and docs pages name, and whether they exist.
 *
 * A name counts if it ends as our source and docs files do (`cited-rules.ts`), or if it begins with a
 * folder of this repository (`src/core/pod-status/phase`). It may be relative to the repository, to
 * `src/`, to the file that names it, or be the end of a path: readers look for it with a fuzzy finder. In
 * source files only comments are read; the compiler checks imports.
 */
import path from 'node:path';
import { parseSync } from 'oxc-parser';

const FOLDERS = 'src|test|docs|scripts|benchmarks|examples';
const NAME = new RegExp(
  `(?<![\\w*@:/.<>{}$-])(?:\\.{1,2}/)*(?:(?:[\\w-]+/)*[\\w.-]+\\.(?:ts|mts|mjs|md)|(?:${FOLDERS})/[\\w./-]*[\\w/])(?![\\w*<>{}-])`,
  'g',
);
/** `NAME.cluster.ts` and `NNNN-title.md` stand for any name. */
const PLACEHOLDER = /\b(?:[A-Z]{4,}[.-]|NAME)/;
const CAPITALS: ReadonlySet<string> = new Set([
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE.md',
  'README.md',
]);

/** The text of a file in which names are looked for. */
export function proseOf(file: string, text: string): string {
  if (file.endsWith('.md')) return text;
  const { comments } = parseSync(file, text);
  return comments.map(({ value }) => value).join('\n');
}

/** The names of files in a text, each once. */
export function namesIn(prose: string): readonly string[] {
  const names = [...prose.matchAll(NAME)].map(([name]) => name);
  const isMeant = (name: string): boolean =>
    CAPITALS.has(path.posix.basename(name)) || !PLACEHOLDER.test(name);
  return [...new Set(names)].filter(isMeant);
}

/** Every way to name a file or folder: the end of its path, with or without what follows the first dot. */
export function waysToName(files: readonly string[]): ReadonlySet<string> {
  const ways = new Set<string>();
  for (const file of files) {
    const parts = file.split('/');
    for (let end = 1; end <= parts.length; end++) {
      for (let start = 0; start < end; start++) {
        const way = parts.slice(start, end).join('/');
        ways.add(way);
        ways.add(way.replace(/(?<=\w)\.[\w.]+$/, ''));
      }
    }
  }
  return ways;
}

/** `ways`: see `waysToName`, for all files of the repository. */
export function* missingFiles(
  file: string,
  text: string,
  ways: ReadonlySet<string>,
): Generator<string> {
  for (const name of namesIn(proseOf(file, text))) {
    const beside = path.posix.join(path.posix.dirname(file), name);
    const found = [name, beside].map((each) => path.posix.normalize(each).replace(/\/$/, ''));
    if (!found.some((each) => ways.has(each))) {
      yield `${file}: names ${name}, which does not exist`;
    }
  }
}
