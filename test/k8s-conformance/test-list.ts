/** All conformance tests of this Kubernetes, as e2e.test names them, and which of them were chosen. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { conformancePath } from '../../scripts/cluster/cache-folder.ts';
import { conformanceOption, type ConformanceOptions } from './options.ts';

export const SAMPLE = path.join(import.meta.dirname, 'sample.txt');
const LIST_BYTES_MAX = 16 * 2 ** 20;

export function allTests(): readonly string[] {
  const program = conformancePath('e2e.test', process.env);
  const text = execFileSync(program, ['--list-conformance-tests'], {
    encoding: 'utf8',
    maxBuffer: LIST_BYTES_MAX,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const tests = parse(text) as readonly { readonly codename: string }[];
  return tests.map(({ codename }) => codename);
}

export function chooseTests(
  all: readonly string[],
  options: ConformanceOptions,
): readonly string[] {
  const { focus, list, sample } = options;
  const file = sample ? SAMPLE : list;
  const chosen = file === null ? all : namesIn(file);
  const unknown = chosen.find((test) => !all.includes(test));
  if (unknown !== undefined)
    throw conformanceOption({ problem: `no conformance test: ${unknown}` });
  const focused = focus === null ? chosen : chosen.filter((test) => focus.test(test));
  if (focused.length === 0) throw conformanceOption({ problem: 'no test was chosen' });
  return focused;
}

/** One in each line; a line that begins with # is a comment. */
export function namesIn(file: string): readonly string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}
