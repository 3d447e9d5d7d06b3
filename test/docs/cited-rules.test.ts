/** Compares the whole repository with the rule book, and the comparison with known offences. */
import { describe, expect, test } from 'vitest';
import { readRepositoryFile, repositoryFiles } from './repository.ts';
import { citationsIn, disagreements, isTest, rulesIn, wrongAnchors } from './cited-rules.ts';

const RULES_FOLDER = 'docs/behaviour/';
const CITING = /^(?:src|test|docs|scripts|benchmarks)\/.*\.(?:ts|mjs|md|txt)$|^[A-Z]+\.md$/;
/** This file has offences on purpose. */
const NOT_CITING = 'test/docs/cited-rules.test.ts';

const pages = repositoryFiles()
  .filter((file) => file.startsWith(RULES_FOLDER))
  .map((file) => [file, readRepositoryFile(file)] as const);
const rules = pages.flatMap(([file, text]) => rulesIn(file, text));

test('every cited rule is in the rule book, and every rule is cited by a test or marked', () => {
  const citing = repositoryFiles().filter(
    (file) => CITING.test(file) && !file.startsWith(RULES_FOLDER) && file !== NOT_CITING,
  );
  const files = new Map(citing.map((file) => [file, readRepositoryFile(file)]));
  expect([...disagreements(rules, files)]).toEqual([]);
});

test('rules that the rule book mentions are in the rule book', () => {
  const defined = new Set(rules.map(({ id }) => id));
  const unknown = pages.flatMap(([file, text]) =>
    [...citationsIn(text)].filter((id) => !defined.has(id)).map((id) => `${file}: ${id}`),
  );
  expect(unknown).toEqual([]);
});

test('no rule is ever deleted: so many there are of each kind', () => {
  const counts: Record<string, number> = {};
  for (const { id } of rules) {
    const [kind = ''] = id.split('-');
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  expect(counts).toEqual({
    SM: 94,
    PW: 70,
    KL: 79,
    A: 77,
    E: 34,
    F: 22,
    V: 8,
    P: 4,
    Q: 3,
    L: 1,
  });
});

test('every rule has its own anchor', () => {
  expect(pages.flatMap(([file, text]) => [...wrongAnchors(file, text)])).toEqual([]);
});

test('pages fit: at most 400 lines, tables at most 160 columns', () => {
  const tooLong = pages.filter(([, text]) => text.split('\n').length > 401).map(([file]) => file);
  const tooWide = pages.flatMap(([file, text]) =>
    text.split('\n').flatMap((line, at) => (line.length > 160 ? [`${file}:${at + 1}`] : [])),
  );
  expect([tooLong, tooWide]).toEqual([[], []]);
});

describe('the comparison finds', () => {
  const offences: readonly (readonly [string, readonly string[], string, RegExp])[] = [
    ['a rule that nothing defines', [], 'KL-1', /a\.test\.ts: cites KL-1, which .* not define/],
    ['a rule that is defined twice', [rule('KL-1'), rule('KL-1')], 'KL-1', /KL-1 is .* already/],
    ['a rule without a test', [rule('KL-1')], '', /no test cites KL-1; cite it where/],
    ['a mark without a reason', [rule('KL-1', 'Not built:')], '', /"Not built" without a reason/],
    ['a mark that a test denies', [rule('KL-1', 'Not built: no.')], 'KL-1', /but a test cites it/],
    ['a repetition of nothing', [rule('KL-1', 'Same as: others')], '', /names no rule/],
    ['one of an unknown rule', [rule('KL-1', 'Same as: KL-7.')], '', /KL-7, which is not defined/],
    [
      'one of a rule without a test',
      [rule('KL-1', 'Same as: KL-2.'), rule('KL-2', 'Not built: no.')],
      '',
      /KL-1 is the same as KL-2, which no test cites/,
    ],
  ];

  test.each(offences)('%s', (_what, rules, cited, expected) => {
    const found = [...disagreements(rulesIn('p.md', rules.join('\n')), cites(cited))];
    expect(found).toEqual([expect.stringMatching(expected)]);
  });

  test('a rule that only a source file cites', () => {
    const files = new Map([['src/a.ts', 'KL-1']]);
    const found = [...disagreements(rulesIn('p.md', rule('KL-1')), files)];
    expect(found).toEqual([expect.stringMatching(/no test cites KL-1/)]);
  });

  test('an anchor that is not the number', () => {
    const text = '<a id="kl-3"></a>**KL-2** Text.';
    expect([...wrongAnchors('p.md', text)]).toEqual(['p.md: KL-2 has the anchor "kl-3"']);
  });
});

describe('the comparison accepts', () => {
  test.each([
    ['a rule that is not built', 'Not built: it is alpha.'],
    ['one that does not apply', 'Not applicable: it is about Go.'],
    ['one that repeats a proved one', 'Same as: KL-1.'],
  ])('%s', (_what, mark) => {
    const text = `${rule('KL-1')}${rule('KL-2', mark)}`;
    expect([...disagreements(rulesIn('p.md', text), cites('KL-1'))]).toEqual([]);
  });

  test('a mark belongs to the rule above it, and to no other', () => {
    const text = `${rule('KL-1')}${rule('KL-2', 'Not built: alpha,\nand off.')}`;
    expect(rulesIn('p.md', `${text}# Next\n\nNot built: nothing.\n`)).toEqual([
      { id: 'KL-1', page: 'p.md' },
      { id: 'KL-2', page: 'p.md', mark: { kind: 'Not built', text: 'alpha,\nand off.' } },
    ]);
  });
});

test('what is a citation, and what only looks like one', () => {
  const text = 'KL-29a, (SM-1) PW-2: A-01; V-1 F-2 E-3 Q-1 L-1 P-4 KEP-5067 UTF-8 P-256 XKL-1 KL-x';
  expect([...citationsIn("{ 'E-4': 0.0001 }")]).toEqual([]);
  expect([...citationsIn(text)].join(' ')).toBe('KL-29a SM-1 PW-2 A-01 V-1 F-2 E-3 Q-1 L-1 P-4');
});

test('which files prove something', () => {
  const files = ['src/a.test.ts', 'src/a.ts', 'test/suites/a.ts', 'test/support/a.ts', 'docs/a.md'];
  expect(files.filter(isTest)).toEqual(['src/a.test.ts', 'test/suites/a.ts']);
});

/** A rule as the pages have it, and its mark. */
function rule(id: string, mark = ''): string {
  return `<a id="${id.toLowerCase()}"></a>**${id}** Text.\n\n${mark}\n\n`;
}

/** One test, with this text. */
function cites(text: string): ReadonlyMap<string, string> {
  return new Map([['src/a.test.ts', text]]);
}
