import { expect, test } from 'vitest';
import { EventRecorder } from '../../../src/apiserver/controllers/event-recorder.ts';
import { ControllerHarness } from './controller-harness.ts';

const EVENTS = '/api/v1/namespaces/default/events';
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: 'u1', resourceVersion: '7' },
};
const notified = { type: 'Normal', reason: 'Done', message: 'It is done' } as const;

async function openRecorder(): Promise<{ harness: ControllerHarness; recorder: EventRecorder }> {
  const harness = await ControllerHarness.open({ controllers: [] });
  return { harness, recorder: new EventRecorder(harness.server.parts, 'tester') };
}

test('an event has its reporter, its object, its reason and its time', async () => {
  const { harness, recorder } = await openRecorder();
  await recorder.record(pod, notified);
  expect(await harness.list(EVENTS)).toMatchObject([
    {
      metadata: { name: expect.stringMatching(/^web\.[0-9a-f]+$/), namespace: 'default' },
      involvedObject: { ...pod.metadata, apiVersion: 'v1', kind: 'Pod' },
      ...notified,
      source: { component: 'tester' },
      reportingComponent: 'tester',
      firstTimestamp: '2030-01-02T03:04:05Z',
      lastTimestamp: '2030-01-02T03:04:05Z',
      count: 1,
    },
  ]);
});

test('the same message again is counted, another message is another event', async () => {
  const { harness, recorder } = await openRecorder();
  await recorder.record(pod, notified);
  await harness.clock.pass(60_000);
  await recorder.record(pod, notified);
  await recorder.record(pod, { ...notified, message: 'And again' });
  const events = await harness.list(EVENTS);
  expect(
    events.map(({ message, count, lastTimestamp }) => [message, count, lastTimestamp]),
  ).toEqual([
    ['It is done', 2, '2030-01-02T03:05:05Z'],
    ['And again', 1, '2030-01-02T03:05:05Z'],
  ]);
});

test('after a while the same is a new event, and so is one that was deleted', async () => {
  const { harness, recorder } = await openRecorder();
  await recorder.record(pod, notified);
  await harness.clock.pass(6 * 60_000 + 1);
  await recorder.record(pod, notified);
  const names = await harness.names(EVENTS);
  expect(names).toHaveLength(2);
  for (const name of names) await harness.remove(`${EVENTS}/${name as string}`);
  await recorder.record(pod, notified);
  expect(await harness.list(EVENTS)).toMatchObject([{ count: 1 }]);
});

test('an event of a cluster-scoped object, even with an invalid name, is in the default namespace', async () => {
  const { harness, recorder } = await openRecorder();
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'Odd Name', uid: 'u' } };
  await recorder.record(node, notified);
  const [event] = await harness.list(EVENTS);
  expect(event?.metadata['name']).toMatch(/^[0-9a-f-]{36}$/);
});

test('an event that cannot be written is no failure', async () => {
  const { harness, recorder } = await openRecorder();
  const lost = { ...pod, metadata: { ...pod.metadata, namespace: 'nowhere' } };
  await expect(recorder.record(lost, notified)).resolves.toBeUndefined();
  expect(await harness.list('/api/v1/events')).toEqual([]);
});

test('two recorders that speak in the same millisecond have an event each', async () => {
  const { harness, recorder } = await openRecorder();
  const other = new EventRecorder(harness.server.parts, 'other');
  await recorder.record(pod, notified);
  await other.record(pod, { ...notified, message: 'Seen from here' });
  await other.record(pod, { ...notified, message: 'Seen from here' });
  const events = await harness.list(EVENTS);
  expect(events.map((event) => [event['message'], event['count']])).toEqual([
    ['It is done', 1],
    ['Seen from here', 2],
  ]);
});
