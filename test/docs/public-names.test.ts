/** docs/library.md lists every public name, and every one is understandable by itself. */
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import { ENTRY_POINTS } from '../../scripts/types/entry-points.ts';
import { readRepositoryFile } from './repository.ts';

/** One word, and still clear: Kubernetes' own types, and usual words of the trade. */
const ONE_WORD: ReadonlySet<string> = new Set([
  ...[
    'Clock',
    'Container',
    'Instant',
    'Json',
    'Labels',
    'Log',
    'Pod',
    'Quantity',
    'Random',
    'Time',
  ],
  'UID',
]);

function namesOf(entry: string): readonly string[] {
  const file = `src/${entry}.ts`;
  const { staticExports } = parseSync(file, readRepositoryFile(file)).module;
  return staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName, moduleRequest }) =>
      exportName.name === null
        ? namesOf(path.basename(moduleRequest?.value ?? '', '.ts'))
        : [exportName.name],
    ),
  );
}

function listed(entry: string): readonly string[] {
  const text = readRepositoryFile('docs/library.md');
  const title = entry === 'index' ? 'podkeep' : `podkeep/${entry}`;
  const section = text.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? '';
  const list = section.trim().split('\n\n').at(-1) ?? '';
  const names = [...list.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  return names.flatMap((name) => (name === 'podkeep/node' ? listed('node') : [name]));
}

describe.each(ENTRY_POINTS)('%s', (entry) => {
  test('has the names that docs/library.md lists', () => {
    expect([...listed(entry)].toSorted()).toEqual([...namesOf(entry)].toSorted());
  });

  test('has no name that means little alone', () => {
    const short = namesOf(entry).filter(
      (name) => name.match(/[A-Z]?[a-z\d]+|[A-Z\d]+/g)?.length === 1,
    );
    expect(short.filter((name) => !ONE_WORD.has(name))).toEqual([]);
  });
});
