import { describe, expect, test } from 'vitest';
import { CorrelatorStage, podEvent } from '../../../test/support/event-parts.ts';

describe('an event that is told again', () => {
  test('is created the first time, with everything as it was told', () => {
    const stage = new CorrelatorStage();
    const event = podEvent({ name: 'web.1' });
    expect(stage.tell(event)).toEqual({ event, patch: null });
  });

  test('is patched with its count, its last time and its message', () => {
    const stage = new CorrelatorStage();
    stage.tell(podEvent({ name: 'web.1', time: '2030-01-01T00:00:00Z', message: 'Back-off' }));
    const again = podEvent({ name: 'web.2', time: '2030-01-01T00:00:07Z', message: 'Back-off' });
    expect(stage.tell(again)).toEqual({
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
    const stage = new CorrelatorStage();
    stage.tell(podEvent({ message: '' }));
    expect(Object.keys(stage.tell(podEvent({ message: '' }))?.patch ?? {})).toEqual([
      'count',
      'lastTimestamp',
    ]);
  });

  test('is counted on however much later', async () => {
    const stage = new CorrelatorStage();
    stage.tell(podEvent());
    stage.passSeconds(86_400);
    expect(stage.tell(podEvent())?.event.count).toBe(2);
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
    const stage = new CorrelatorStage();
    stage.tell(podEvent());
    expect(stage.tell(podEvent(difference))?.event.count).toBe(1);
  });

  test('is the same one if the object has changed meanwhile', () => {
    const stage = new CorrelatorStage();
    stage.tell(podEvent({ about: { resourceVersion: '1' } }));
    expect(stage.tell(podEvent({ about: { resourceVersion: '2' } }))?.event.count).toBe(2);
  });

  test('begins anew when 4096 others were told since', () => {
    const stage = new CorrelatorStage();
    stage.tell(podEvent());
    for (let index = 0; index < 4095; index++) stage.tell(podEvent({ about: { uid: `${index}` } }));
    expect(stage.tell(podEvent())?.event.count).toBe(2);
    for (let index = 0; index < 4096; index++) stage.tell(podEvent({ about: { uid: `${index}` } }));
    expect(stage.tell(podEvent())?.event.count).toBe(1);
  });

  test('is not mistaken for one whose words only read the same end to end', () => {
    const stage = new CorrelatorStage();
    stage.tell(podEvent({ reason: 'Fail', message: 'ed' }));
    expect(stage.tell(podEvent({ reason: 'Faile', message: 'd' }))?.event.count).toBe(1);
  });
});

describe('events that differ in their words alone', () => {
  function tellNumbered(stage: CorrelatorStage, from: number, to: number) {
    const results = [];
    for (let index = from; index <= to; index++) {
      results.push(stage.tell(podEvent({ name: `web.${index}`, message: `try ${index}` })));
    }
    return results;
  }

  test('have an event each, up to nine', () => {
    const results = tellNumbered(new CorrelatorStage(), 1, 9);
    expect(results.map((result) => result?.event.message)).toEqual(
      Array.from({ length: 9 }, (_, index) => `try ${index + 1}`),
    );
    expect(results.every((result) => result?.patch === null)).toBe(true);
  });

  test('are combined from the tenth on, in a new event that names no reporter', () => {
    const stage = new CorrelatorStage();
    const tenth = tellNumbered(stage, 1, 10).at(-1);
    expect(tenth).toEqual({
      event: {
        ...podEvent({ time: stage.time }),
        metadata: { name: 'made.10', namespace: 'default' },
        message: '(combined from similar events): try 10',
        reportingComponent: '',
        reportingInstance: '',
      },
      patch: null,
    });
  });

  test('change the words of the combined event, and its count', () => {
    const stage = new CorrelatorStage();
    tellNumbered(stage, 1, 10);
    const firstTimestamp = stage.time;
    stage.passSeconds(5);
    const [eleventh] = tellNumbered(stage, 11, 11);
    expect(eleventh?.event).toMatchObject({
      metadata: { name: 'made.10' },
      firstTimestamp,
      lastTimestamp: stage.time,
      count: 2,
    });
    expect(eleventh?.patch).toEqual({
      count: 2,
      lastTimestamp: stage.time,
      message: '(combined from similar events): try 11',
    });
  });

  test('leave the first nine to themselves', () => {
    const stage = new CorrelatorStage();
    tellNumbered(stage, 1, 12);
    expect(tellNumbered(stage, 3, 3)[0]?.event).toMatchObject({ message: 'try 3', count: 2 });
  });

  test('are combined whichever part of the pod they are about', () => {
    const stage = new CorrelatorStage();
    tellNumbered(stage, 1, 9);
    const other = podEvent({ message: 'try 10', about: { fieldPath: 'spec.containers{db}' } });
    expect(stage.tell(other)?.event.message).toBe('(combined from similar events): try 10');
  });

  test.each([
    ['reason', { reason: 'Other' }],
    ['type', { type: 'Warning' }],
    ['pod', { about: { uid: 'another' } }],
  ] as const)('are not similar if they differ in their %s', (_, difference) => {
    const stage = new CorrelatorStage();
    tellNumbered(stage, 1, 12);
    expect(stage.tell(podEvent({ ...difference, message: 'x' }))?.event.message).toBe('x');
  });

  test('are combined as long as no more than ten minutes lie between two of them', () => {
    const stage = new CorrelatorStage();
    tellNumbered(stage, 1, 9);
    stage.passSeconds(600);
    expect(tellNumbered(stage, 10, 10)[0]?.event.message).toMatch(/^\(combined/);
    stage.passSeconds(600.001);
    expect(tellNumbered(stage, 11, 11)[0]?.event.message).toBe('try 11');
  });
});

describe('an object of which too much is told', () => {
  test('has 25 events let through, then one in five minutes', () => {
    const stage = new CorrelatorStage();
    const tell = () => stage.tell(podEvent());
    for (let index = 1; index <= 25; index++) expect(tell()?.event.count).toBe(index);
    expect(tell()).toBeNull();
    stage.passSeconds(299);
    expect(tell()).toBeNull();
    stage.passSeconds(1);
    // Those that were held back are counted.
    expect(tell()?.patch).toMatchObject({ count: 28 });
    expect(tell()).toBeNull();
  });

  test('has a budget for warnings of its own', () => {
    const stage = new CorrelatorStage();
    for (let index = 1; index <= 26; index++) stage.tell(podEvent());
    expect(stage.tell(podEvent({ type: 'Warning' }))?.event.count).toBe(1);
  });

  test('spends one budget, whatever the reasons and parts are', () => {
    const stage = new CorrelatorStage();
    for (let index = 1; index <= 25; index++) stage.tell(podEvent({ reason: `R${index}` }));
    expect(stage.tell(podEvent({ about: { fieldPath: 'spec.containers{db}' } }))).toBeNull();
  });

  test('does not silence others', () => {
    const stage = new CorrelatorStage();
    for (let index = 1; index <= 26; index++) stage.tell(podEvent());
    expect(stage.tell(podEvent({ about: { uid: 'another' } }))?.event.count).toBe(1);
  });

  test('saves up no more than 25', () => {
    const stage = new CorrelatorStage();
    stage.tell(podEvent());
    stage.passSeconds(86_400);
    const passed = Array.from({ length: 30 }, () => stage.tell(podEvent())).filter(Boolean);
    expect(passed).toHaveLength(25);
  });

  test('an event that was held back when it was new is told later, with its first name', () => {
    const stage = new CorrelatorStage();
    for (let index = 1; index <= 25; index++) stage.tell(podEvent());
    const late = (name: string) => stage.tell(podEvent({ name, reason: 'Late' }));
    expect(late('late.1')).toBeNull();
    stage.passSeconds(300);
    // Nothing is there to be patched yet: the answer will be 404, and the event is created.
    expect(late('late.2')).toMatchObject({
      event: { metadata: { name: 'late.1' }, count: 2 },
      patch: { count: 2 },
    });
  });
});
