import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../api/pod.ts';
import { isCriticalPod } from '../admission/critical-pod.ts';
import {
  decideLocalStorageEviction,
  EVICTION_GRACE_SECONDS,
  evictedStatus,
  type LocalStorageUsage,
} from './local-storage-decision.ts';
import { localStorageLimits } from './local-storage-limits.ts';

/** A pod, what it uses, and what the eviction manager of the kubelet v1.36.4 did with it. */
interface Recorded {
  readonly name: string;
  readonly pod: Pod;
  readonly usage: Omit<LocalStorageUsage, 'volumes'> & {
    readonly volumes: Readonly<Record<string, number>>;
  };
  /** Null: it was left alone. */
  readonly evicted: {
    readonly signal: string;
    readonly message: string;
    readonly graceSeconds: number;
    readonly status: PodStatus;
  } | null;
}

const recorded = readFileSync(new URL('recorded-decisions.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the file beside this one
  .map((line) => JSON.parse(line) as Recorded);

function decide({ pod, usage: used }: Recorded) {
  const limits = localStorageLimits(pod);
  const usage = { ...used, volumes: new Map(Object.entries(used.volumes)) };
  return limits && decideLocalStorageEviction(pod, limits, usage);
}

const left = recorded.filter(({ evicted }) => evicted === null);
const gone = recorded.flatMap(({ evicted, ...rest }) => (evicted ? [{ ...rest, evicted }] : []));

test.each(left)('as in the kubelet: $name', (one) => {
  expect(decide(one)?.action).toBe(isCriticalPod(one.pod) ? 'spare' : undefined);
});

test.each(gone)('as in the kubelet: $name', (one) => {
  const { signal, message, graceSeconds, status } = one.evicted;
  expect(decide(one)).toEqual({ action: 'evict', signal, message });
  expect(EVICTION_GRACE_SECONDS).toBe(graceSeconds);
  expect(evictedStatus(one.pod.status ?? {}, message)).toEqual(status);
});

test('every kind of limit was recorded', () => {
  const signals = new Set(recorded.map(({ evicted }) => evicted?.signal));
  expect(signals.size).toBe(4);
});
