import { expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { pod } from '../../../test/support/pods.ts';
import type { Pod } from '../../api/pod.ts';
import { formatTime } from '../../api/values/time.ts';
import { Deadlines } from './deadlines.ts';

function harness(seconds: number | null) {
  const clock = new VirtualClock();
  const synced: string[] = [];
  const deadlines = new Deadlines({ clock, sync: (uid) => synced.push(uid) });
  const plain = pod('job', { uid: '1' });
  const job: Pod =
    seconds === null
      ? plain
      : { ...plain, spec: { ...plain.spec, activeDeadlineSeconds: seconds } };
  const startTime = formatTime(clock.now());
  return { clock, synced, deadlines, job, startTime };
}

test('a pod is synced when its deadline has passed, and once (KL-24)', async () => {
  const { clock, synced, deadlines, job, startTime } = harness(20);
  deadlines.podUpdated(job, { phase: 'Pending', startTime });
  await clock.pass(10_000);
  deadlines.podUpdated(job, { phase: 'Running', startTime });
  await clock.pass(9999);
  expect(synced).toEqual([]);
  await clock.pass(60_000);
  expect(synced).toEqual(['1']);
});

test('a shorter deadline counts from the moment that it is known', async () => {
  const { clock, synced, deadlines, job, startTime } = harness(20);
  deadlines.podUpdated(job, { phase: 'Running', startTime });
  const hurried = { ...job, spec: { ...job.spec, activeDeadlineSeconds: 5 } };
  deadlines.podUpdated(hurried, { phase: 'Running', startTime });
  await clock.pass(5000);
  expect(synced).toEqual(['1']);
  expect(clock.pending).toBe(0);
});

test.each(['Succeeded', 'Failed'] as const)('a pod that is %s has no deadline', async (phase) => {
  const { clock, deadlines, job, startTime } = harness(20);
  deadlines.podUpdated(job, { phase: 'Running', startTime });
  deadlines.podUpdated(job, { phase, startTime });
  expect(clock.pending).toBe(0);
});

test('no timer runs without a deadline, without a start time, for a pod that is gone, or after the end', () => {
  const free = harness(null);
  free.deadlines.podUpdated(free.job, { phase: 'Running', startTime: free.startTime });
  const { clock, deadlines, job, startTime } = harness(20);
  deadlines.podUpdated(job, { phase: 'Pending' });
  expect([free.clock.pending, clock.pending]).toEqual([0, 0]);
  deadlines.podUpdated(job, { phase: 'Running', startTime });
  deadlines.podRemoved(job);
  expect(clock.pending).toBe(0);
  deadlines.podUpdated(job, { phase: 'Running', startTime });
  deadlines.stop();
  expect(clock.pending).toBe(0);
});
