import { describe, expect, test } from 'vitest';
import { CorrelatorHarness, podEvent } from '../../../test/support/event-parts.ts';

describe('an event that is recorded again', () => {
  test('is created the first time, with everything as it was recorded', () => {
    const harness = new CorrelatorHarness();
    const event = podEvent({ name: 'web.1' });
    expect(harness.record(event)).toEqual({ event, patch: null });
  });

  test('is patched with its count, its last time and its message', () => {
    const harness = new CorrelatorHarness();
    harness.record(podEvent({ name: 'web.1', time: '2030-01-01T00:00:00Z', message: 'Back-off' }));
    const again = podEvent({ name: 'web.2', time: '2030-01-01T00:00:07Z', message: 'Back-off' });
    expect(harness.record(again)).toEqual({
      event: {
        ...again,
        metadata: { name: 'web.1', namespace: 'default' },
        firstTimestamp: '2030-01-01T00:00:00Z',
        count: 2,
      },
      patch: { count: 2, lastTimestamp: '2030-01-01T00:00:07Z', message: 'Back-off' },
    });
  });

  test('is patched without a message if that is empty', () => {
    const harness = new CorrelatorHarness();
    harness.record(podEvent({ message: '' }));
    expect(Object.keys(harness.record(podEvent({ message: '' }))?.patch ?? {})).toEqual([
      'count',
      'lastTimestamp',
    ]);
  });

  test('is counted on however much later', async () => {
    const harness = new CorrelatorHarness();
    harness.record(podEvent());
    harness.passSeconds(86_400);
    expect(harness.record(podEvent())?.event.count).toBe(2);
  });

  test.each([
    ['message', { message: 'other' }],
    ['reason', { reason: 'Other' }],
    ['type', { type: 'Warning' }],
    ['part of the pod', { about: { fieldPath: 'spec.containers{db}' } }],
    ['pod', { about: { name: 'db' } }],
    ['namespace', { about: { namespace: 'other' } }],
    ['UID', { about: { uid: 'another' } }],
    ['kind', { about: { kind: 'Node' } }],
    ['version', { about: { apiVersion: 'v2' } }],
    ['host', { source: { component: 'kubelet', host: 'other' } }],
    ['component', { source: { component: 'other', host: 'node1' } }],
  ] as const)('is another one if it differs in its %s', (_, difference) => {
    const harness = new CorrelatorHarness();
    harness.record(podEvent());
    expect(harness.record(podEvent(difference))?.event.count).toBe(1);
  });

  test('is the same one if the object has changed meanwhile', () => {
    const harness = new CorrelatorHarness();
    harness.record(podEvent({ about: { resourceVersion: '1' } }));
    expect(harness.record(podEvent({ about: { resourceVersion: '2' } }))?.event.count).toBe(2);
  });

  test('starts over when 4096 others were recorded since', () => {
    const harness = new CorrelatorHarness();
    harness.record(podEvent());
    for (let index = 0; index < 4095; index++)
      harness.record(podEvent({ about: { uid: `${index}` } }));
    expect(harness.record(podEvent())?.event.count).toBe(2);
    for (let index = 0; index < 4096; index++)
      harness.record(podEvent({ about: { uid: `${index}` } }));
    expect(harness.record(podEvent())?.event.count).toBe(1);
  });

  test('is distinguished from one whose texts are equal only when concatenated', () => {
    const harness = new CorrelatorHarness();
    harness.record(podEvent({ reason: 'Fail', message: 'ed' }));
    expect(harness.record(podEvent({ reason: 'Faile', message: 'd' }))?.event.count).toBe(1);
  });
});

describe('events that differ only in their messages', () => {
  function recordNumbered(harness: CorrelatorHarness, from: number, to: number) {
    const results = [];
    for (let index = from; index <= to; index++) {
      results.push(harness.record(podEvent({ name: `web.${index}`, message: `try ${index}` })));
    }
    return results;
  }

  test('have an event each, up to nine', () => {
    const results = recordNumbered(new CorrelatorHarness(), 1, 9);
    expect(results.map((result) => result?.event.message)).toEqual(
      Array.from({ length: 9 }, (_, index) => `try ${index + 1}`),
    );
    expect(results.every((result) => result?.patch === null)).toBe(true);
  });

  test('are combined from the tenth on, in a new event that names no reporter', () => {
    const harness = new CorrelatorHarness();
    const tenth = recordNumbered(harness, 1, 10).at(-1);
    expect(tenth).toEqual({
      event: {
        ...podEvent({ time: harness.time }),
        metadata: { name: 'made.10', namespace: 'default' },
        message: '(combined from similar events): try 10',
        reportingComponent: '',
        reportingInstance: '',
      },
      patch: null,
    });
  });

  test('change the message of the combined event, and its count', () => {
    const harness = new CorrelatorHarness();
    recordNumbered(harness, 1, 10);
    const firstTimestamp = harness.time;
    harness.passSeconds(5);
    const [eleventh] = recordNumbered(harness, 11, 11);
    expect(eleventh?.event).toMatchObject({
      metadata: { name: 'made.10' },
      firstTimestamp,
      lastTimestamp: harness.time,
      count: 2,
    });
    expect(eleventh?.patch).toEqual({
      count: 2,
      lastTimestamp: harness.time,
      message: '(combined from similar events): try 11',
    });
  });

  test('do not change the first nine', () => {
    const harness = new CorrelatorHarness();
    recordNumbered(harness, 1, 12);
    expect(recordNumbered(harness, 3, 3)[0]?.event).toMatchObject({ message: 'try 3', count: 2 });
  });

  test('are combined whichever part of the pod they are about', () => {
    const harness = new CorrelatorHarness();
    recordNumbered(harness, 1, 9);
    const other = podEvent({ message: 'try 10', about: { fieldPath: 'spec.containers{db}' } });
    expect(harness.record(other)?.event.message).toBe('(combined from similar events): try 10');
  });

  test.each([
    ['reason', { reason: 'Other' }],
    ['type', { type: 'Warning' }],
    ['pod', { about: { uid: 'another' } }],
  ] as const)('are not similar if they differ in their %s', (_, difference) => {
    const harness = new CorrelatorHarness();
    recordNumbered(harness, 1, 12);
    expect(harness.record(podEvent({ ...difference, message: 'x' }))?.event.message).toBe('x');
  });

  test('are combined as long as no more than ten minutes lie between two of them', () => {
    const harness = new CorrelatorHarness();
    recordNumbered(harness, 1, 9);
    harness.passSeconds(600);
    expect(recordNumbered(harness, 10, 10)[0]?.event.message).toMatch(/^\(combined/);
    harness.passSeconds(600.001);
    expect(recordNumbered(harness, 11, 11)[0]?.event.message).toBe('try 11');
  });
});

describe('an object with too many events', () => {
  test('has 25 events let through, then one in five minutes', () => {
    const harness = new CorrelatorHarness();
    const record = () => harness.record(podEvent());
    for (let index = 1; index <= 25; index++) expect(record()?.event.count).toBe(index);
    expect(record()).toBeNull();
    harness.passSeconds(299);
    expect(record()).toBeNull();
    harness.passSeconds(1);
    // Those that were held back are counted.
    expect(record()?.patch).toMatchObject({ count: 28 });
    expect(record()).toBeNull();
  });

  test('has a separate budget for warnings', () => {
    const harness = new CorrelatorHarness();
    for (let index = 1; index <= 26; index++) harness.record(podEvent());
    expect(harness.record(podEvent({ type: 'Warning' }))?.event.count).toBe(1);
  });

  test('spends one budget, whatever the reasons and parts are', () => {
    const harness = new CorrelatorHarness();
    for (let index = 1; index <= 25; index++) harness.record(podEvent({ reason: `R${index}` }));
    expect(harness.record(podEvent({ about: { fieldPath: 'spec.containers{db}' } }))).toBeNull();
  });

  test('does not affect others', () => {
    const harness = new CorrelatorHarness();
    for (let index = 1; index <= 26; index++) harness.record(podEvent());
    expect(harness.record(podEvent({ about: { uid: 'another' } }))?.event.count).toBe(1);
  });

  test('saves up no more than 25', () => {
    const harness = new CorrelatorHarness();
    harness.record(podEvent());
    harness.passSeconds(86_400);
    const passed = Array.from({ length: 30 }, () => harness.record(podEvent())).filter(Boolean);
    expect(passed).toHaveLength(25);
  });

  test('an event that was held back when it was new is written later, with its first name', () => {
    const harness = new CorrelatorHarness();
    for (let index = 1; index <= 25; index++) harness.record(podEvent());
    const late = (name: string) => harness.record(podEvent({ name, reason: 'Late' }));
    expect(late('late.1')).toBeNull();
    harness.passSeconds(300);
    // There is nothing to patch yet: the answer will be 404, and the event is created.
    expect(late('late.2')).toMatchObject({
      event: { metadata: { name: 'late.1' }, count: 2 },
      patch: { count: 2 },
    });
  });
});
