/**
 * A few histories on every test run; `npm run sim` plays thousands. What must be true in all of them
 * is listed in invariants.ts.
 */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { LocalStorageEviction } from '../../src/kubelet/eviction/local-storage-eviction.ts';
import { PodUsageReader } from '../../src/kubelet/eviction/pod-usage-reader.ts';
import { KillRequests } from '../../src/kubelet/pod-workers/kill-requests.ts';
import { PodWorkers } from '../../src/kubelet/pod-workers/pod-workers.ts';
import { StaticPodQueues } from '../../src/kubelet/pod-workers/static-pod-queues.ts';
import { Turns } from '../../src/kubelet/pod-workers/turns.ts';
import { StatusManager } from '../../src/kubelet/status-manager/status-manager.ts';
import { runBatch } from './batch.ts';
import { runHistory } from './history.ts';
import { describeFailure } from './table.ts';

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
const SEEDS_FOR_TEETH = 30;

test('podkeep keeps its invariants in every history, and converges after it', async () => {
  const { failures } = await runBatch(SEEDS);
  expect(failures.flatMap(describeFailure).join('\n')).toBe('');
});

test('the same seed gives the same history to the last event', async () => {
  const [first, second] = [await runHistory(7), await runHistory(7)];
  expect(second.lines()).toEqual(first.lines());
  expect(first.lines().length).toBeGreaterThan(first.events);
});

test('another seed gives another history', async () => {
  const [first, second] = [await runHistory(7), await runHistory(8)];
  expect(second.lines()).not.toEqual(first.lines());
});

describe('the invariants have teeth', () => {
  afterEach(() => void vi.restoreAllMocks());

  /** Is there a history in which it breaks? */
  async function breaks(invariant: number): Promise<boolean> {
    for (let seed = 1; seed <= SEEDS_FOR_TEETH; seed++) {
      const { breach } = await runHistory(seed);
      if (breach?.invariant === invariant) return true;
    }
    return false;
  }

  test('4 breaks if every static pod is admitted at once', async () => {
    vi.spyOn(StaticPodQueues.prototype, 'send').mockImplementation((_name, { type, uid }) =>
      type === 'asked' ? [{ type: 'admit', uid }] : [],
    );
    expect(await breaks(4)).toBe(true);
  });

  test('5 breaks if no check asks whether containers run', async () => {
    vi.spyOn(PodWorkers.prototype, 'couldHaveRunningContainers').mockReturnValue(false);
    expect(await breaks(5)).toBe(true);
  });

  test('9 breaks if the callers of a kill are not notified of its completion', async () => {
    vi.spyOn(KillRequests.prototype, 'complete').mockReturnValue(undefined);
    expect(await breaks(9)).toBe(true);
  });

  test('14 breaks if a status is stored as it was computed', async () => {
    vi.spyOn(StatusManager.prototype, 'handOverPodStatus').mockImplementation(function (
      this: StatusManager,
      pod,
      status,
    ) {
      return this.setPodStatus(pod, status);
    });
    expect(await breaks(14)).toBe(true);
  });

  test('19 breaks if work cannot be cancelled', async () => {
    vi.spyOn(Turns.prototype, 'cancel').mockReturnValue(undefined);
    expect(await breaks(19)).toBe(true);
  });

  test('27 breaks if nothing is known of pods when they are ranked', async () => {
    vi.spyOn(PodUsageReader.prototype, 'read').mockImplementation(async (pods) =>
      pods.map((pod) => ({ pod, stats: null })),
    );
    expect(await breaks(27)).toBe(true);
  });

  test('31 breaks if limits of pods are not checked', async () => {
    const none = { pods: [], killed: Promise.resolve() };
    vi.spyOn(LocalStorageEviction.prototype, 'check').mockResolvedValue(none);
    expect(await breaks(31)).toBe(true);
  });
});
