/** The house rules over the whole of `src/`, and known offences that the rules must find. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { problems } from './rules.ts';

const SRC = path.join(import.meta.dirname, '..', '..', 'src');

function report(file: string, text: string): readonly string[] {
  return [...problems(file, `/** A header. */\n${text}\n`)];
}

test('every source file keeps the house rules', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.ts') && !file.includes('.generated.'));
  expect(files.length).toBeGreaterThan(10);
  const found = files.flatMap((file) => [
    ...problems(file, readFileSync(path.join(SRC, file), 'utf8')),
  ]);
  expect(found).toEqual([]);
});

describe('the rules have teeth', () => {
  const offences: readonly (readonly [string, string, string, RegExp])[] = [
    ['core/ calls Date.now', 'core/x.ts', 'export const a = Date.now();', /tells the time/],
    ['core/ calls it by index', 'core/x.ts', "export const a = Date['now']();", /tells the time/],
    ['core/ renames Date', 'core/x.ts', 'const D = Date; export const a = D;', /tells the time/],
    ['new Date() has no argument', 'api/x.ts', 'export const a = new Date();', /tells the time/],
    ['a timer is set', 'kubelet/x.ts', 'setTimeout(() => {}, 1);', /take a Clock/],
    ['a socket is given a timer', 'client/x.ts', 'socket.setTimeout(1);', /take a Clock/],
    ['a timer is taken from globalThis', 'kubelet/x.ts', 'globalThis.setTimeout;', /globalThis/],
    ['a timer is imported', 'kubelet/x.ts', "import t from 'node:timers';", /take a Clock/],
    ['a signal sets a timer', 'client/x.ts', 'AbortSignal.timeout(1);', /take a Clock/],
    ['chance is drawn', 'lib/x.ts', 'export const a = Math.random();', /take a Random/],
    ['chance is drawn by crypto', 'lib/x.ts', 'crypto.randomUUID();', /take a Clock or a Random/],
    ['core/ imports kubelet/', 'core/x.ts', "import '../kubelet/y.ts';", /may not import kubelet/],
    [
      'core/ re-exports kubelet/',
      'core/x.ts',
      "export * from '../kubelet/y.ts';",
      /may not import/,
    ],
    ['core/ imports kubelet/ late', 'core/x.ts', "import('../kubelet/y.ts');", /may not import/],
    [
      'core/ imports a type of it',
      'core/x.ts',
      "import type { Y } from '../kubelet/y.ts';",
      /may not/,
    ],
    ['adapters import each other', 'client/x.ts', "import '../apiserver/y.ts';", /may not import/],
    ['a layer imports the root', 'core/x.ts', "import '../index.ts';", /outside the layers/],
    ['core/ imports node', 'core/x.ts', "import fs from 'node:fs';", /may not import node:fs/],
    ['core/ waits', 'core/x.ts', 'export async function a() {}', /waits/],
    ['the environment is read', 'kubelet/x.ts', 'process.env.HOME;', /let cli\/ pass it in/],
    ['any is used', 'lib/x.ts', 'export const a: any = 1;', /type it/],
    ['work is left over', 'lib/x.ts', '// TODO: later', /unfinished/],
    ['a layer is not known', 'utils/x.ts', 'export const a = 1;', /there is no layer utils/],
    ['a file is too long', 'lib/x.ts', '\n'.repeat(400), /split it by idea/],
  ];

  test.each(offences)('%s', (_name, file, text, expected) => {
    expect(report(file, text)).toEqual([expect.stringMatching(expected)]);
  });

  test('a file of core/ without a header is named', () => {
    expect([...problems('core/x.ts', 'export const a = 1;\n')]).toEqual([
      expect.stringMatching(/has no header/),
    ]);
  });

  test('what is allowed is left alone', () => {
    expect(report('platform/x.ts', 'setTimeout(() => Date.now(), Math.random());')).toEqual([]);
    expect(report('api/x.ts', 'export const a = [Date.UTC(1), new Date(1)];')).toEqual([]);
    expect(report('lib/x.ts', '// Date.now() is not for us\nexport const a = 1;')).toEqual([]);
    expect(report('lib/x.ts', 'export const a = { crypto: 1 }.crypto;')).toEqual([]);
    expect(report('core/x.ts', "import { a } from '../api/y.ts';")).toEqual([]);
    expect(report('cli/x.ts', "import '../kubelet/y.ts'; process.env;")).toEqual([]);
    expect(report('core/x.test.ts', "import '../../test/support/y.ts';")).toEqual([]);
  });
});
