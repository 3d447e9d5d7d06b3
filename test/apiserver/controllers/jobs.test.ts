/** Jobs by the embedded server alone: pods end as the test says. */
import { describe, expect, test } from 'vitest';
import { pods } from '../../../src/apiserver/kinds/core/pods.ts';
import { formatTime } from '../../../src/api/values/time.ts';
import { textAt } from '../../../src/apiserver/objects/field-path.ts';
import { nameOf } from '../../../src/apiserver/objects/metadata.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { PODS, WorkloadHarness } from './workload-harness.ts';

const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const JOB = `${JOBS}/once`;
const INDEX = 'batch.kubernetes.io/job-completion-index';

async function open(spec: JsonObject = {}): Promise<WorkloadHarness> {
  const harness = await WorkloadHarness.open({ controllers: ['job', 'garbage-collector'] });
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } };
  await harness.make(JOBS, 'once', { spec: { template, ...spec } });
  await harness.settle();
  return harness;
}

/** Ends all running pods that the test chooses. */
async function end(
  harness: WorkloadHarness,
  exitCode: number,
  choose: (pod: JsonObject) => boolean = () => true,
): Promise<void> {
  for (const pod of await harness.list(PODS)) {
    const { phase } = pod['status'] as JsonObject;
    if (phase !== 'Running' || !choose(pod)) continue;
    const finishedAt = formatTime(harness.clock.now());
    const status = {
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      containerStatuses: [
        {
          name: 'a',
          image: 'a',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { terminated: { exitCode, finishedAt } },
        },
      ],
    };
    await harness.server.parts.registry.update({
      definition: pods,
      namespace: 'default',
      name: nameOf(pod),
      subresource: 'status',
      change: (old) => ({ ...old, status }),
    });
  }
  await harness.settle();
}

const indexIs =
  (index: number) =>
  ({ metadata }: JsonObject): boolean =>
    ((metadata as JsonObject)['annotations'] as JsonObject)[INDEX] === String(index);

const conditionsOf = (status: JsonObject): readonly string[] =>
  ((status['conditions'] ?? []) as JsonObject[]).flatMap((one) =>
    one['status'] === 'True' ? [`${textAt(one, 'type')} ${textAt(one, 'reason')}`] : [],
  );

describe('a job', () => {
  test('runs one pod to its end, and counts it once', async () => {
    const harness = await open();
    expect(await harness.status(JOB)).toMatchObject({ active: 1, ready: 1 });
    await end(harness, 0);
    const status = await harness.status(JOB);
    expect(status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: {} });
    expect(conditionsOf(status)).toEqual([
      'SuccessCriteriaMet CompletionsReached',
      'Complete CompletionsReached',
    ]);
    expect(harness.created).toBe(1);
    const [pod] = await harness.list(PODS);
    expect(pod?.metadata['finalizers']).toBeUndefined();
    expect(await harness.eventsOf('Job')).toContain('Completed: Job completed');
  });

  test('replaces failed pods with a growing delay, and fails beyond its limit', async () => {
    const harness = await open({ backoffLimit: 1 });
    await end(harness, 1);
    expect(harness.created).toBe(1);
    await harness.settle(10_000);
    expect(harness.created).toBe(2);
    await end(harness, 1);
    expect(conditionsOf(await harness.status(JOB))).toEqual([
      'FailureTarget BackoffLimitExceeded',
      'Failed BackoffLimitExceeded',
    ]);
    expect(await harness.status(JOB)).toMatchObject({ failed: 2 });
    expect(await harness.eventsOf('Job')).toContain(
      'BackoffLimitExceeded: Job has reached the specified backoff limit',
    );
  });

  test('never has more pods than its parallelism, and as many successes as it wants', async () => {
    const harness = await open({ completions: 5, parallelism: 2 });
    for (let round = 0; round < 3; round++) {
      expect((await harness.status(JOB))['active']).toBe(round < 2 ? 2 : 1);
      await end(harness, 0);
    }
    expect(await harness.status(JOB)).toMatchObject({ succeeded: 5 });
    expect(harness.created).toBe(5);
  });

  test('ends its pods at the deadline', async () => {
    const harness = await open({ activeDeadlineSeconds: 30 });
    await harness.settle(31_000);
    expect(conditionsOf(await harness.status(JOB))).toContain('Failed DeadlineExceeded');
    expect(await harness.list(PODS)).toEqual([]);
  });

  test('has no pods while it is suspended, and none of them counts as failed', async () => {
    const harness = await open();
    await harness.patch(JOB, { spec: { suspend: true } });
    await harness.settle();
    expect(await harness.list(PODS)).toEqual([]);
    expect((await harness.status(JOB))['failed'] ?? 0).toBe(0);
    expect(conditionsOf(await harness.status(JOB))).toEqual(['Suspended JobSuspended']);
    await harness.patch(JOB, { spec: { suspend: false } });
    await harness.settle();
    expect(await harness.list(PODS)).toHaveLength(1);
    expect(await harness.eventsOf('Job')).toEqual(
      expect.arrayContaining(['Suspended: Job suspended', 'Resumed: Job resumed']),
    );
  });

  test('is deleted with its pods some time after its end', async () => {
    const harness = await open({ ttlSecondsAfterFinished: 60 });
    await end(harness, 0);
    await harness.settle(50_000);
    expect(await harness.has(JOB)).toBe(true);
    await harness.settle(11_000);
    expect([await harness.has(JOB), await harness.list(PODS)]).toEqual([false, []]);
  });

  test('that is deleted leaves no pod behind that waits to be counted', async () => {
    const harness = await open({ completions: 3, parallelism: 3 });
    await harness.remove(JOB, { propagationPolicy: 'Background' });
    await harness.settle();
    expect(await harness.list(PODS)).toEqual([]);
  });

  test('that another controller manages is left alone', async () => {
    const harness = await open({ managedBy: 'example.com/other' });
    expect(await harness.list(PODS)).toEqual([]);
  });

  test('fails at once, or goes on, as its failure policy says', async () => {
    const rules = [
      { action: 'Ignore', onExitCodes: { operator: 'In', values: [3] } },
      { action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } },
    ];
    const harness = await open({ podFailurePolicy: { rules }, backoffLimit: 6 });
    await end(harness, 3);
    expect((await harness.status(JOB))['failed'] ?? 0).toBe(0);
    await harness.settle(10_000);
    await end(harness, 42);
    const status = await harness.status(JOB);
    expect(conditionsOf(status)).toContain('Failed PodFailurePolicy');
    expect(JSON.stringify(status)).toMatch(
      /Container a for pod default\/once-\w+ failed with exit code 42 matching FailJob rule at index 1/,
    );
  });
});

describe('an indexed job', () => {
  const INDEXED = { completionMode: 'Indexed', completions: 3, parallelism: 3 };

  test('has one success for each index', async () => {
    const harness = await open(INDEXED);
    await end(harness, 0, indexIs(1));
    expect(await harness.status(JOB)).toMatchObject({ completedIndexes: '1', succeeded: 1 });
    await end(harness, 0);
    expect(await harness.status(JOB)).toMatchObject({ completedIndexes: '0-2', succeeded: 3 });
    expect(conditionsOf(await harness.status(JOB))).toContain('Complete CompletionsReached');
    expect(harness.created).toBe(3);
  });

  test('fails index by index', async () => {
    const harness = await open({ ...INDEXED, backoffLimitPerIndex: 1 });
    await end(harness, 0, (pod) => !indexIs(1)(pod));
    await end(harness, 1);
    await harness.settle(10_000);
    await end(harness, 1);
    const status = await harness.status(JOB);
    expect(status).toMatchObject({ completedIndexes: '0,2', failedIndexes: '1', failed: 2 });
    expect(conditionsOf(status)).toContain('Failed FailedIndexes');
  });

  test('succeeds as soon as its success policy holds', async () => {
    const successPolicy = { rules: [{ succeededIndexes: '0', succeededCount: 1 }] };
    const harness = await open({ ...INDEXED, successPolicy });
    await end(harness, 0, indexIs(0));
    expect(conditionsOf(await harness.status(JOB))).toEqual([
      'SuccessCriteriaMet SuccessPolicy',
      'Complete SuccessPolicy',
    ]);
    expect(await harness.list(PODS)).toHaveLength(1);
  });
});

test('a restart at any time creates no pod twice and counts none twice', async () => {
  const first = await open({ completions: 4, parallelism: 2 });
  for (let round = 0; round < 4; round++) {
    const next = new WorkloadHarness({ controllers: ['job'], store: first.store });
    next.start();
    await end(first, 0);
    await next.settle();
    await next.stop();
    await first.settle(20_000);
  }
  expect(await first.status(JOB)).toMatchObject({ succeeded: 4, uncountedTerminatedPods: {} });
  expect(first.created).toBe(4);
});
