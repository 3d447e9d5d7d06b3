import { expect, test } from 'vitest';
import { EventSeriesRecorder } from '../../../src/apiserver/controllers/event-series-recorder.ts';
import { ControllerHarness } from './controller-harness.ts';

const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';
const pod = { kind: 'Pod', metadata: { name: 'web', namespace: 'default' } };
const text = { type: 'Normal', reason: 'Done', action: 'Doing', message: 'It is done' } as const;

async function openRecorder(): Promise<{
  harness: ControllerHarness;
  recorder: EventSeriesRecorder;
}> {
  const harness = await ControllerHarness.open({ controllers: [] });
  return { harness, recorder: new EventSeriesRecorder(harness.server.parts, 'tester') };
}

test('the same event again is a series, whatever the message; the count is written at the end', async () => {
  const { harness, recorder } = await openRecorder();
  for (const message of ['It is done', 'other', 'It is done', 'It is done']) {
    await recorder.report(pod, { ...text, message });
  }
  const [event, ...others] = await harness.list(EVENTS);
  expect(others).toEqual([]);
  expect(event).toMatchObject({ note: 'It is done', series: { count: 2 } });
  await harness.settle(12 * 60_000);
  expect(await harness.list(EVENTS)).toMatchObject([{ series: { count: 4 } }]);
  expect(harness.clock.pending).toBe(0);
  await recorder.report(pod, text);
  expect(await harness.list(EVENTS)).toHaveLength(2);
});

test('events of other objects and with other relations are other events', async () => {
  const { harness, recorder } = await openRecorder();
  await recorder.report(pod, text);
  await recorder.report(pod, { ...text, related: pod });
  await recorder.report({ ...pod, metadata: { name: 'other', namespace: 'default' } }, text);
  expect(await harness.list(EVENTS)).toHaveLength(3);
});

test('an event that was deleted meanwhile is created again with its series', async () => {
  const { harness, recorder } = await openRecorder();
  await recorder.report(pod, text);
  for (const name of await harness.names(EVENTS)) {
    await harness.remove(`${EVENTS}/${name as string}`);
  }
  await recorder.report(pod, text);
  expect(await harness.list(EVENTS)).toMatchObject([{ series: { count: 2 } }]);
});
