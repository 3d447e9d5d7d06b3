/** Checks one build of the eviction machine against the recordings of the kubelet's eviction manager. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isCriticalPod } from '../../src/core/admission/critical-pod.ts';
import { EVICTION_GRACE_SECONDS } from '../../src/core/eviction/local-storage-decision.ts';
import { evictedStatus } from '../../src/core/eviction/local-storage-decision.ts';
import { EVICTION_SCENES } from '../support/eviction-scenes.ts';
import {
  decideRecorded,
  parseRecorded,
  playRounds,
  type RecordedDecision,
  type RecordedHistory,
  type RecordedParse,
} from '../support/recorded-evictions.ts';

/** Null: nothing is wrong. */
export function checkEviction(repo: string): string | null {
  const folder = path.join(repo, 'src', 'core', 'eviction');
  const wrong = (name: string, isFine: (line: string) => boolean): string | null => {
    const lines = readFileSync(path.join(folder, name), 'utf8').trim().split('\n');
    const index = lines.findIndex((line) => !isFine(line));
    return index < 0 ? null : `recordings: line ${index + 1} of ${name}`;
  };
  return (
    wrong('recorded-rounds.jsonl', (line) => isSameHistory(JSON.parse(line) as RecordedHistory)) ??
    wrong('recorded-thresholds.jsonl', (line) => isSameParse(JSON.parse(line) as RecordedParse)) ??
    wrong('recorded-decisions.jsonl', (line) =>
      isSameDecision(JSON.parse(line) as RecordedDecision),
    ) ??
    wrongScene()
  );
}

function wrongScene(): string | null {
  const wrong = EVICTION_SCENES.find(({ play, expected }) => !isDeepStrictEqual(play(), expected));
  return wrong ? `scene: ${wrong.name}` : null;
}

function isSameHistory(history: RecordedHistory): boolean {
  const expected = history.rounds.map(({ result }) => result);
  return isDeepStrictEqual(playRounds(history), expected);
}

function isSameParse(recorded: RecordedParse): boolean {
  try {
    return isDeepStrictEqual(parseRecorded(recorded), recorded.thresholds);
  } catch (error) {
    return recorded.error !== undefined && String(error).includes(recorded.error);
  }
}

function isSameDecision(recorded: RecordedDecision): boolean {
  const found = decideRecorded(recorded);
  const { pod, evicted } = recorded;
  if (!evicted) return found?.action === (isCriticalPod(pod) ? 'spare' : undefined);
  const { signal, message, graceSeconds, status } = evicted;
  return (
    isDeepStrictEqual(found, { action: 'evict', signal, message }) &&
    graceSeconds === EVICTION_GRACE_SECONDS &&
    isDeepStrictEqual(evictedStatus(pod.status ?? {}, message), status)
  );
}
