/**
 * Replays vector files line by line and reports as it goes.
 *
 * A failure is one block: where the vector stands, which function it is about, and the first places where
 * the answers differ. The last line is `N passed, N failed`, for people and programs alike.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Difference } from './differences.ts';
import { replayers } from './replayers.ts';
import type { Vector } from './vector.ts';

export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

type Print = (line: string) => void;

const DIFFERENCES_SHOWN = 100;
const VALUE_WIDTH = 300;

export async function replayFiles(files: readonly string[], print: Print): Promise<Tally> {
  let [passed, failed] = [0, 0];
  for (const file of files) {
    let number = 0;
    for await (const line of createInterface({ input: createReadStream(file) })) {
      number += 1;
      if (line.trim() === '') continue;
      const { result, words } = await replayLine(line);
      if (result === 'passed') passed += 1;
      if (result === 'failed') failed += 1;
      if (words !== '') print(`${file}:${number} ${words}`);
    }
  }
  print(`${passed} passed, ${failed} failed`);
  return { passed, failed };
}

interface Outcome {
  readonly result: 'passed' | 'failed';
  readonly words: string;
}

async function replayLine(line: string): Promise<Outcome> {
  let vector: Vector;
  try {
    vector = JSON.parse(line) as Vector;
  } catch (error) {
    return { result: 'failed', words: `is not a line of JSON: ${String(error)}` };
  }
  const problem = await replayVector(vector);
  return { result: problem === undefined ? 'passed' : 'failed', words: problem ?? '' };
}

/** What is wrong with podkeep's answer; empty: nothing. */
async function replayVector(vector: Vector): Promise<string | undefined> {
  const name = nameOf(vector);
  const replay = replayers.get(name);
  if (!replay) {
    return `unknown fn ${JSON.stringify(name)}; known: ${[...replayers.keys()].join(', ')}`;
  }
  try {
    const found = await replay(vector);
    return found.length > 0 ? `${name}\n${describe(found)}` : undefined;
  } catch (error) {
    return `${name} threw ${error instanceof Error ? error.stack : String(error)}`;
  }
}

/** Recordings name their scenario or their case instead of a function. */
function nameOf(vector: Vector): string {
  if (vector.fn !== undefined) return vector.fn;
  if (vector.scenario !== undefined) return 'apiServerScenario';
  return 'case' in vector && 'history' in vector ? 'podLife' : '';
}

function describe(found: readonly Difference[]): string {
  const lines = found
    .slice(0, DIFFERENCES_SHOWN)
    .map(
      ({ path, expected, actual }) =>
        `  ${path}\n    expected ${show(expected)}\n    actual   ${show(actual)}`,
    );
  const more = found.length - DIFFERENCES_SHOWN;
  return [...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n');
}

function show(value: unknown): string {
  const text = value === undefined ? '(absent)' : JSON.stringify(value);
  return text.length > VALUE_WIDTH ? `${text.slice(0, VALUE_WIDTH)}…` : text;
}
