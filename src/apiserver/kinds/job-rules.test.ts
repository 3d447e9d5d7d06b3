/** Validation and defaults of Jobs and CronJobs. */
import { describe, expect, it } from 'vitest';
import { createWith, tryCreate, tryUpdate } from '../../../test/support/rule-trials.ts';
import { textAt, valueAt } from '../objects/field-path.ts';

const JOB = 'batch/v1/jobs';
const CRON = 'batch/v1/cronjobs';

describe('a Job', () => {
  it('gets a unique selector', async () => {
    const { body } = await createWith(JOB);
    const uid = textAt(body, 'metadata.uid');
    expect(valueAt(body, 'spec.selector')).toEqual({
      matchLabels: { 'batch.kubernetes.io/controller-uid': uid },
    });
    expect(valueAt(body, 'spec.template.metadata.labels')).toEqual({
      app: 'web',
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'sample',
      'controller-uid': uid,
      'job-name': 'sample',
    });
  });

  it('gets its defaults, and the labels of its template', async () => {
    const { body } = await createWith(JOB);
    expect(body).toMatchObject({
      metadata: { labels: { app: 'web' }, generation: 1 },
      spec: {
        backoffLimit: 6,
        completionMode: 'NonIndexed',
        completions: 1,
        manualSelector: false,
        parallelism: 1,
        podReplacementPolicy: 'TerminatingOrFailed',
        suspend: false,
      },
      status: {},
    });
  });

  it('must have pods that end', async () => {
    const spec = { template: { spec: { restartPolicy: null } } };
    expect(await tryCreate(JOB, { spec })).toEqual([
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ]);
  });

  it.each([
    [
      { completionMode: 'Indexed', parallelism: 1 },
      ['spec.completions: Required value: when completion mode is Indexed'],
    ],
    [
      { backoffLimitPerIndex: 1 },
      ['spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
    ],
    [
      { parallelism: -1 },
      ['spec.parallelism: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      { completionMode: 'Odd' },
      ['spec.completionMode: Unsupported value: "Odd": supported values: "NonIndexed", "Indexed"'],
    ],
    [{ selector: { matchLabels: { app: 'web' } } }, ['spec.selector: Invalid value: ']],
  ])('with %j is refused', async (spec, expected) => {
    const found = await tryCreate(JOB, { spec });
    expect(found).toEqual(expected.map((text) => expect.stringContaining(text)));
  });

  it('is immutable, but may be suspended and get more parallelism', async () => {
    expect(await tryUpdate(JOB, { spec: { suspend: true, parallelism: 5 } })).toEqual(['accepted']);
    expect(await tryUpdate(JOB, { spec: { completions: 2 } })).toEqual([
      'spec.completions: Invalid value: 2: field is immutable',
    ]);
    const template = { spec: { nodeSelector: { disk: 'ssd' } } };
    expect(await tryUpdate(JOB, { spec: { template } })).toEqual([
      expect.stringMatching(/^spec\.template: Invalid value: .*: field is immutable$/),
    ]);
    const first = { spec: { suspend: true } };
    expect(await tryUpdate(JOB, { spec: { template } }, { first })).toEqual(['accepted']);
  });
});

describe('a CronJob', () => {
  it('gets its defaults', async () => {
    const { body } = await createWith(CRON);
    expect(body['spec']).toMatchObject({
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
  });

  it.each([
    [{ schedule: '' }, 'spec.schedule: Required value'],
    [
      { schedule: '* * *' },
      'spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]',
    ],
    [
      { schedule: '60 * * * *' },
      'spec.schedule: Invalid value: "60 * * * *": end of range (60) above maximum (59): 60',
    ],
    [
      { schedule: 'TZ=UTC * * * * *' },
      'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
    [
      { timeZone: 'Mars/Base' },
      'spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base',
    ],
    [
      { timeZone: '' },
      'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string',
    ],
    [
      { concurrencyPolicy: 'Odd' },
      'spec.concurrencyPolicy: Unsupported value: "Odd": supported values: "Allow", "Forbid", "Replace"',
    ],
    [
      { jobTemplate: { spec: { selector: {} } } },
      'spec.jobTemplate.spec.selector: Invalid value: {}: `selector` will be auto-generated',
    ],
    [{ schedule: '@daily', timeZone: 'Europe/Berlin' }, 'accepted'],
    [{ schedule: '@every 1h30m' }, 'accepted'],
    [{ schedule: '0 3-6/2 1,15 jan-mar mon' }, 'accepted'],
  ])('with %j is refused: %s', async (spec, expected) => {
    expect(await tryCreate(CRON, { spec })).toEqual([expected]);
  });

  it('has a name to which ten digits can be appended', async () => {
    const name = 'x'.repeat(53);
    expect(await tryCreate(CRON, { metadata: { name } })).toEqual([
      `metadata.name: Invalid value: "${name}": must be no more than 52 characters`,
    ]);
  });
});
