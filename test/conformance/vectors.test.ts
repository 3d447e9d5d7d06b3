/** The real kubelet's answers, replayed on podkeep: the vectors that are in this repo. */
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../support/temp-folder.ts';
import { replayFiles } from './run.ts';

const HOME = path.join(import.meta.dirname, '..', 'vectors');
const files = readdirSync(HOME).map((name) => path.join(HOME, name));

async function replay(...paths: readonly string[]) {
  const lines: string[] = [];
  const tally = await replayFiles(paths, (line) => lines.push(line));
  return { tally, text: lines.join('\n') };
}

function vectorFile(...lines: readonly string[]): string {
  const file = path.join(makeTempFolder(), 'some.jsonl');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

test.each(files)('%s', async (file) => {
  const { tally, text } = await replay(file);
  expect(tally.passed).toBeGreaterThan(5);
  expect(tally.failed, text).toBe(0);
});

test('the vectors in this repo stay under 3 MB', () => {
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  expect(bytes).toBeLessThan(3_000_000);
});

const GRACE = '{"fn":"calculateEffectiveGracePeriod","in":{"currentGracePeriod":30}';

test('a wrong answer is reported with its place, its function, the path and both values', async () => {
  const wrong = `${GRACE},"out":{"gracePeriod":29,"shortened":false}}`;
  const right = `${GRACE},"out":{"gracePeriod":30,"shortened":false}}`;
  const file = vectorFile(right, '', wrong);
  const { tally, text } = await replay(file);
  expect(tally).toEqual({ passed: 1, failed: 1 });
  expect(text).toBe(
    `${file}:3 calculateEffectiveGracePeriod\n` +
      '  .gracePeriod\n    expected 29\n    actual   30\n1 passed, 1 failed',
  );
});

test('an unknown function and a broken line are failures, not silence', async () => {
  const { tally, text } = await replay(vectorFile('{"fn":"fly","in":{},"out":1}', '{"fn":'));
  expect(tally).toEqual({ passed: 0, failed: 2 });
  expect(text).toMatch(/:1 unknown fn "fly"; known: mergePodStatus/);
  expect(text).toMatch(/:2 is not a line of JSON/);
});

test('an input that makes the code throw is a failure with the stack', async () => {
  const line = '{"fn":"getPhase","in":{},"out":"Pending"}';
  const { tally, text } = await replay(vectorFile(line));
  expect(tally).toEqual({ passed: 0, failed: 1 });
  expect(text).toMatch(/:1 getPhase threw TypeError/);
});
