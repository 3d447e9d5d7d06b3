import { expect, test } from 'vitest';
import { EventRecorder } from '../../../src/apiserver/controllers/event-recorder.ts';
import { ControllerStage } from './stage.ts';

const EVENTS = '/api/v1/namespaces/default/events';
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: 'u1', resourceVersion: '7' },
};
const told = { type: 'Normal', reason: 'Done', message: 'It is done' } as const;

async function openRecorder(): Promise<{ stage: ControllerStage; recorder: EventRecorder }> {
  const stage = await ControllerStage.open({ controllers: [] });
  return { stage, recorder: new EventRecorder(stage.server.parts, 'tester') };
}

test('an event says who saw what about whom, and when', async () => {
  const { stage, recorder } = await openRecorder();
  await recorder.tell(pod, told);
  expect(await stage.list(EVENTS)).toMatchObject([
    {
      metadata: { name: expect.stringMatching(/^web\.[0-9a-f]+$/), namespace: 'default' },
      involvedObject: { ...pod.metadata, apiVersion: 'v1', kind: 'Pod' },
      ...told,
      source: { component: 'tester' },
      reportingComponent: 'tester',
      firstTimestamp: '2030-01-02T03:04:05Z',
      lastTimestamp: '2030-01-02T03:04:05Z',
      count: 1,
    },
  ]);
});

test('the same words again are counted, other words are another event', async () => {
  const { stage, recorder } = await openRecorder();
  await recorder.tell(pod, told);
  await stage.clock.pass(60_000);
  await recorder.tell(pod, told);
  await recorder.tell(pod, { ...told, message: 'And again' });
  const events = await stage.list(EVENTS);
  expect(
    events.map(({ message, count, lastTimestamp }) => [message, count, lastTimestamp]),
  ).toEqual([
    ['It is done', 2, '2030-01-02T03:05:05Z'],
    ['And again', 1, '2030-01-02T03:05:05Z'],
  ]);
});

test('of the new kind, the same again is a series, whatever the words', async () => {
  const { stage, recorder } = await openRecorder();
  await recorder.report(pod, { ...told, action: 'Doing' });
  await recorder.report(pod, { ...told, action: 'Doing', message: 'other' });
  await recorder.report(pod, { ...told, action: 'Doing' });
  const [event, ...others] = await stage.list('/apis/events.k8s.io/v1/namespaces/default/events');
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    note: 'It is done',
    series: { count: 3, lastObservedTime: '2030-01-02T03:04:05.000000Z' },
  });
});

test('after a while the same is news again, and so is what was deleted', async () => {
  const { stage, recorder } = await openRecorder();
  await recorder.tell(pod, told);
  await stage.clock.pass(6 * 60_000 + 1);
  await recorder.tell(pod, told);
  const names = await stage.names(EVENTS);
  expect(names).toHaveLength(2);
  for (const name of names) await stage.remove(`${EVENTS}/${name as string}`);
  await recorder.tell(pod, told);
  expect(await stage.list(EVENTS)).toMatchObject([{ count: 1 }]);
});

test('what is in no namespace is told of in the default one, and a bad name is not in the way', async () => {
  const { stage, recorder } = await openRecorder();
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'Odd Name', uid: 'u' } };
  await recorder.tell(node, told);
  const [event] = await stage.list(EVENTS);
  expect(event?.metadata['name']).toMatch(/^[0-9a-f-]{36}$/);
});

test('an event that cannot be written is no failure', async () => {
  const { stage, recorder } = await openRecorder();
  const lost = { ...pod, metadata: { ...pod.metadata, namespace: 'nowhere' } };
  await expect(recorder.tell(lost, told)).resolves.toBeUndefined();
  expect(await stage.list('/api/v1/events')).toEqual([]);
});
