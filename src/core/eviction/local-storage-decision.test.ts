import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decideRecorded, type RecordedDecision } from '../../../test/support/recorded-evictions.ts';
import { isCriticalPod } from '../admission/critical-pod.ts';
import { EVICTION_GRACE_SECONDS, evictedStatus } from './local-storage-decision.ts';

const recorded = readFileSync(new URL('recorded-decisions.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the file beside this one
  .map((line) => JSON.parse(line) as RecordedDecision);

const left = recorded.filter(({ evicted }) => evicted === null);
const gone = recorded.flatMap(({ evicted, ...rest }) => (evicted ? [{ ...rest, evicted }] : []));

test.each(left)('as in the kubelet: $name', (one) => {
  expect(decideRecorded(one)?.action).toBe(isCriticalPod(one.pod) ? 'spare' : undefined);
});

test.each(gone)('as in the kubelet: $name', (one) => {
  const { signal, message, graceSeconds, status } = one.evicted;
  expect(decideRecorded(one)).toEqual({ action: 'evict', signal, message });
  expect(EVICTION_GRACE_SECONDS).toBe(graceSeconds);
  expect(evictedStatus(one.pod.status ?? {}, message)).toEqual(status);
});

test('every kind of limit was recorded', () => {
  const signals = new Set(recorded.map(({ evicted }) => evicted?.signal));
  expect(signals.size).toBe(4);
});
