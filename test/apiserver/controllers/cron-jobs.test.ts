/** CronJobs by the embedded server alone: minutes pass on the virtual clock. */
import { expect, test } from 'vitest';
import { jobs } from '../../../src/apiserver/kinds/batch/job.ts';
import { pods } from '../../../src/apiserver/kinds/core/pods.ts';
import { formatTime } from '../../../src/api/values/time.ts';
import { objectsAt, textAt } from '../../../src/apiserver/objects/field-path.ts';
import { nameOf } from '../../../src/apiserver/objects/metadata.ts';
import { follow } from '../../../src/apiserver/registry/object-feed.ts';
import { prefixOf } from '../../../src/apiserver/registry/registry.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { ObjectStore } from '../../../src/ports/api/object-store.ts';
import { MortalStore } from './mortal-store.ts';
import { WorkloadHarness, type WorkloadHarnessOptions } from './workload-harness.ts';

const CRON_JOBS = '/apis/batch/v1/namespaces/default/cronjobs';
const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const MINUTE_MS = 60_000;
const CONTROLLERS = ['cronjob', 'job', 'garbage-collector'] as const;

const TEMPLATE = {
  spec: {
    template: {
      spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] },
    },
  },
};

async function open(spec: JsonObject, more: Partial<WorkloadHarnessOptions> = {}) {
  const harness = await WorkloadHarness.open({ controllers: CONTROLLERS, ...more });
  await harness.make(CRON_JOBS, 'tick', {
    spec: { schedule: '* * * * *', jobTemplate: TEMPLATE, ...spec },
  });
  await harness.settle();
  return harness;
}

/** Pods succeed as soon as they run. */
function endPods(harness: WorkloadHarness): void {
  follow(harness.store, prefixOf(pods, ''), ({ type, value }) => {
    if (type !== 'put' || textAt(value, 'status.phase') !== 'Running') return;
    const finishedAt = formatTime(harness.clock.now());
    const container = {
      name: 'a',
      image: 'a',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode: 0, finishedAt } },
    };
    const status = { phase: 'Succeeded', containerStatuses: [container] };
    const target = { definition: pods, namespace: 'default', name: nameOf(value) };
    void harness.server.parts.registry
      .update({ ...target, subresource: 'status', change: (old) => ({ ...old, status }) })
      .catch(() => {});
  });
}

/** The names of all Jobs that are ever created, in order. */
function recordRuns(store: ObjectStore): readonly string[] {
  const names: string[] = [];
  follow(store, prefixOf(jobs, ''), ({ type, value, before }) => {
    if (type === 'put' && !before) names.push(nameOf(value));
  });
  return names;
}

const cronJob = async (harness: WorkloadHarness): Promise<JsonObject> =>
  (await harness.get(`${CRON_JOBS}/tick`)).body;

test('a Job every minute, and the status says when', async () => {
  const harness = await open({});
  expect(await harness.names(JOBS)).toEqual([]);
  await harness.settle(3 * MINUTE_MS);
  const first = Math.floor(Date.UTC(2030, 0, 2, 3, 5) / MINUTE_MS);
  expect(await harness.names(JOBS)).toEqual([0, 1, 2].map((more) => `tick-${first + more}`));
  const found = await cronJob(harness);
  expect(objectsAt(found, 'status.active').map(({ name }) => name)).toEqual(
    await harness.names(JOBS),
  );
  expect(textAt(found, 'status.lastScheduleTime')).toBe('2030-01-02T03:07:00Z');
  expect(await harness.eventsOf('CronJob')).toContain(
    `SuccessfulCreate: Created job tick-${first}`,
  );
});

test('finished Jobs are kept up to the limit, and their success is known', async () => {
  const harness = await open({ successfulJobsHistoryLimit: 2 });
  endPods(harness);
  await harness.settle(5 * MINUTE_MS);
  expect((await harness.names(JOBS)).length).toBe(2);
  const found = await cronJob(harness);
  expect(textAt(found, 'status.lastSuccessfulTime')).toMatch(/^2030-01-02T03:09:0/);
  expect(objectsAt(found, 'status.active')).toEqual([]);
  const reasons = (await harness.eventsOf('CronJob')).map((text) => text.split(':')[0]);
  expect(reasons).toContain('SawCompletedJob');
  expect(reasons).toContain('SuccessfulDelete');
});

test('Forbid waits for the Job that runs, and starts late when it ends', async () => {
  const harness = await open({ concurrencyPolicy: 'Forbid' });
  await harness.settle(3 * MINUTE_MS);
  expect((await harness.names(JOBS)).length).toBe(1);
  expect((await harness.eventsOf('CronJob')).join()).toContain('JobAlreadyActive');
  endPods(harness);
  await harness.settle();
  expect((await harness.names(JOBS)).length).toBe(2);
});

test('Replace leaves one Job', async () => {
  const harness = await open({ concurrencyPolicy: 'Replace' });
  const runs = recordRuns(harness.store);
  await harness.settle(3 * MINUTE_MS);
  expect(runs.length).toBe(3);
  expect(await harness.names(JOBS)).toEqual(runs.slice(-1));
});

test('suspended it starts nothing; resumed it makes up for one run', async () => {
  const harness = await open({ suspend: true });
  await harness.settle(5 * MINUTE_MS);
  expect(await harness.names(JOBS)).toEqual([]);
  await harness.patch(`${CRON_JOBS}/tick`, { spec: { suspend: false } });
  await harness.settle();
  expect((await harness.names(JOBS)).length).toBe(1);
});

test('a changed schedule starts at its next time', async () => {
  const harness = await open({ schedule: '0 12 * * *' });
  await harness.settle(10 * MINUTE_MS);
  await harness.patch(`${CRON_JOBS}/tick`, { spec: { schedule: '*/5 * * * *' } });
  await harness.settle();
  expect(await harness.names(JOBS)).toEqual([]);
  await harness.settle(2 * MINUTE_MS);
  expect((await harness.names(JOBS)).length).toBe(1);
});

test('a Job of that name that belongs to another is left alone, with an event', async () => {
  const harness = await open({});
  const name = `tick-${Math.floor(Date.UTC(2030, 0, 2, 3, 5) / MINUTE_MS)}`;
  await harness.make(JOBS, name, TEMPLATE);
  await harness.settle(2 * MINUTE_MS);
  expect((await harness.eventsOf('CronJob')).join()).toContain('FailedCreate: Error creating job');
  expect((await harness.names(JOBS)).length).toBe(2);
});

/** Kills the first server at a write of a Job or CronJob, and lets a second one go on. */
async function runsOverKill(concurrencyPolicy: string, writes: number) {
  const mortal = new MortalStore();
  const spec = { concurrencyPolicy, successfulJobsHistoryLimit: 0 };
  const first = await open(spec, { store: mortal });
  const runs = recordRuns(mortal.inner);
  endPods(first);
  mortal.dieAfter(writes, '/batch/');
  await first.settle(MINUTE_MS);
  const isKilled = mortal.isDead;
  mortal.dieAfter(-1);
  const elapsedMs = first.clock.monotonic();
  const store = mortal.inner;
  const next = await WorkloadHarness.resume({ controllers: CONTROLLERS, store, elapsedMs });
  endPods(next);
  await next.settle(MINUTE_MS);
  await next.stop();
  return { runs, isKilled };
}

test.each(['Allow', 'Forbid', 'Replace'])(
  'killed at any write, it misses no run and doubles none (%s)',
  async (policy) => {
    const from = Math.floor(Date.UTC(2030, 0, 2, 3, 5) / MINUTE_MS);
    let writes = 0;
    for (let isKilled = true; isKilled; writes++) {
      const result = await runsOverKill(policy, writes);
      ({ isKilled } = result);
      const expected = [from, from + 1].map((minute) => `tick-${minute}`);
      expect(result.runs, `killed after ${writes} writes`).toEqual(expected);
    }
    // The Job, the status, and what the Job controller writes.
    expect(writes).toBeGreaterThan(5);
  },
);
