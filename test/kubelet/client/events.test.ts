/** Events on their way from the node to the embedded API server, and how users find them. */
import { expect, onTestFinished, test } from 'vitest';
import { ApiEventRecorder } from '../../../src/kubelet/events/api-event-recorder.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import type { PodReference } from '../../../src/api/pod-reference.ts';
import { silentLog } from '../../support/silent-ports.ts';
import { ClientHarness, NODE } from './client-harness.ts';

const CORE = '/api/v1/namespaces/default/events';
const GROUP = '/apis/events.k8s.io/v1/namespaces/default/events';

async function open() {
  const harness = await ClientHarness.open();
  const { api, clock } = harness;
  const recorder = new ApiEventRecorder({
    api,
    clock,
    random: seededRandom(5),
    log: silentLog,
    component: 'kubelet',
    host: NODE,
    qps: 50,
    burst: 100,
  });
  onTestFinished(() => recorder.stop());
  const { metadata } = await harness.createPod('web');
  const { uid } = metadata as { readonly uid: string };
  const pod: PodReference = { uid, name: 'web', namespace: 'default' };

  /** Time passes until all is written. */
  const flush = async (): Promise<void> => {
    const progress = { isOver: false };
    void recorder.flush().then(() => (progress.isOver = true));
    while (!progress.isOver) await clock.pass(1);
  };
  const list = async (path: string, fieldSelector?: string): Promise<readonly JsonObject[]> => {
    const query = fieldSelector === undefined ? {} : { fieldSelector };
    const { items } = await api.send({ method: 'GET', path, query });
    return items as readonly JsonObject[];
  };
  return { harness, recorder, pod, flush, list };
}

test('an event that is recorded again is one event with a count, in both groups', async () => {
  const { harness, recorder, pod, flush, list } = await open();
  const container = { ...pod, fieldPath: 'spec.containers{c}' };
  for (let repeats = 0; repeats < 3; repeats++) {
    recorder.record(container, 'Warning', 'BackOff', 'Back-off restarting failed container');
    await flush();
    await harness.clock.pass(20_000);
  }
  const involvedObject = {
    kind: 'Pod',
    namespace: 'default',
    name: 'web',
    uid: pod.uid,
    apiVersion: 'v1',
    fieldPath: 'spec.containers{c}',
  };
  const times = { first: '2030-01-02T03:04:05Z', last: '2030-01-02T03:04:45Z' };
  const core = await list(CORE);
  expect(core).toHaveLength(1);
  expect(core[0]).toMatchObject({
    involvedObject,
    type: 'Warning',
    reason: 'BackOff',
    message: 'Back-off restarting failed container',
    source: { component: 'kubelet', host: NODE },
    reportingComponent: 'kubelet',
    reportingInstance: NODE,
    count: 3,
    firstTimestamp: times.first,
    lastTimestamp: times.last,
  });
  const group = await list(GROUP);
  expect(group).toHaveLength(1);
  expect(group[0]).toMatchObject({
    metadata: core[0]?.['metadata'],
    regarding: involvedObject,
    note: 'Back-off restarting failed container',
    reportingController: 'kubelet',
    reportingInstance: NODE,
    deprecatedCount: 3,
    deprecatedFirstTimestamp: times.first,
    deprecatedLastTimestamp: times.last,
    deprecatedSource: { component: 'kubelet', host: NODE },
  });
});

test('kubectl finds the events of a pod and of the node by its field selectors', async () => {
  const { recorder, pod, flush, list } = await open();
  recorder.record(pod, 'Normal', 'Killing', 'Stopping container c');
  recorder.recordNode('Normal', 'Starting', 'Starting kubelet.');
  await flush();
  const ofPod = `involvedObject.name=web,involvedObject.namespace=default,involvedObject.uid=${pod.uid}`;
  const ofNode = `involvedObject.name=${NODE},involvedObject.kind=Node,involvedObject.uid=${NODE}`;
  expect(await list(CORE, ofPod)).toMatchObject([{ reason: 'Killing' }]);
  expect(await list('/api/v1/events', ofNode)).toMatchObject([
    { metadata: { namespace: 'default' }, reason: 'Starting' },
  ]);
});

test('an event that was deleted meanwhile comes back with its whole count', async () => {
  const { harness, recorder, pod, flush, list } = await open();
  recorder.record(pod, 'Normal', 'Pulled', 'here');
  await flush();
  const before = (await list(CORE))[0]?.['metadata'] as { readonly name: string };
  await harness.api.send({ method: 'DELETE', path: `${CORE}/${before.name}` });
  recorder.record(pod, 'Normal', 'Pulled', 'here');
  await flush();
  expect(await list(CORE)).toMatchObject([{ metadata: { name: before.name }, count: 2 }]);
});

test('similar events are combined in the end', async () => {
  const { recorder, pod, flush, list } = await open();
  for (let index = 1; index <= 14; index++) {
    recorder.record(pod, 'Warning', 'Unhealthy', `probe failed: ${index}`);
  }
  await flush();
  const events = await list(CORE);
  expect(events).toHaveLength(10);
  expect(events.at(-1)).toMatchObject({
    message: '(combined from similar events): probe failed: 14',
    count: 5,
  });
});

test('fifty pods have all their events, each pod in the order of recording', async () => {
  const { recorder, pod, flush, list } = await open();
  const reasons = ['Scheduled', 'Pulling', 'Pulled', 'Created', 'Started'];
  for (const reason of reasons) {
    for (let index = 0; index < 50; index++) {
      recorder.record({ ...pod, name: `p${index}`, uid: `u${index}` }, 'Normal', reason, reason);
    }
  }
  await flush();
  const events = [...(await list(CORE))].sort((a, b) => versionOf(a) - versionOf(b));
  expect(events).toHaveLength(250);
  const ofOne = events.filter(
    ({ involvedObject }) => (involvedObject as { readonly uid: string }).uid === 'u7',
  );
  expect(ofOne.map(({ reason }) => reason)).toEqual(reasons);
});

test('events of a missing namespace are lost, and no others', async () => {
  const { recorder, pod, flush, list } = await open();
  recorder.record({ ...pod, namespace: 'nowhere' }, 'Normal', 'Pulled', 'lost');
  recorder.record(pod, 'Normal', 'Pulled', 'kept');
  await flush();
  expect(await list('/api/v1/events')).toMatchObject([{ message: 'kept' }]);
});

function versionOf({ metadata }: JsonObject): number {
  return Number((metadata as { readonly resourceVersion: string }).resourceVersion);
}
