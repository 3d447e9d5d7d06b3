/** Rounds of the kubelet's eviction manager (v1.36.4), recorded from it, against the machine. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  parseRecorded,
  playRounds,
  type RecordedHistory,
  type RecordedParse,
  type RecordedRound,
} from '../../../test/support/recorded-evictions.ts';

const histories = linesOf<RecordedHistory>('recorded-rounds.jsonl');
const parsed = linesOf<RecordedParse>('recorded-thresholds.jsonl');

function linesOf<Line>(name: string): readonly Line[] {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

const numbered = histories.map((history, index) => [index + 1, history] as const);

test.each(numbered)('as in the kubelet: history %i', (_line, history) => {
  expect(playRounds(history)).toEqual(history.rounds.map(({ result }) => result));
});

test('the recording has evictions for every resource, reclaim that was enough, and rounds that act not', () => {
  const rounds = histories.flatMap((history) => history.rounds.map(({ result }) => result));
  const starved = new Set(
    rounds.flatMap(({ message }) => /low on resource: ([\w-]+)/.exec(message)?.[1] ?? []),
  );
  expect([...starved].toSorted()).toEqual(['ephemeral-storage', 'inodes', 'memory', 'pids']);
  const isEnough = ({ steps, evicted }: RecordedRound['result']) => steps.length > 0 && !evicted;
  expect(rounds.filter(isEnough).length).toBeGreaterThan(10);
  const waits = ({ pressures, event }: RecordedRound['result']) => pressures.length > 0 && !event;
  expect(rounds.filter(waits).length).toBeGreaterThan(10);
});

describe('thresholds of a configuration', () => {
  test.each(parsed.filter(({ error }) => error !== undefined))('refused: $error', (one) => {
    expect(() => parseRecorded(one)).toThrow(one.error);
    expect(() => parseRecorded(one)).toThrow(
      expect.objectContaining({ code: 'EVICTION_THRESHOLD_INVALID' }),
    );
  });

  test.each(parsed.filter(({ thresholds }) => thresholds))('read: $hard $soft', (one) => {
    expect(parseRecorded(one)).toEqual(one.thresholds);
  });
});
