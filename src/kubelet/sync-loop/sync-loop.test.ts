import { expect, test } from 'vitest';
import type { Log, LogFacts } from '../../ports/log.ts';
import { pod } from '../../../test/support/pods.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { NodePodManager } from '../pod-manager/pod-manager.ts';
import type { PodOperation } from '../sources/pod-update.ts';
import { SyncLoop } from './sync-loop.ts';

function makeHarness() {
  const lines: (readonly [number, string, LogFacts])[] = [];
  const sent: string[] = [];
  const log: Log = {
    ...silentLog,
    info: (message, facts = {}, v = 0) => lines.push([v, message, facts]),
  };
  const nothing = (): void => {};
  const loop = new SyncLoop({
    clock: new VirtualClock(),
    log,
    pods: new NodePodManager(),
    workers: {
      updatePod: ({ updateType }) => void sent.push(updateType),
      isPodTerminationRequested: () => false,
      hasWorker: () => true,
    },
    status: { getPodStatus: () => undefined },
    admission: { admit: () => true, durable: async () => {}, changed: nothing, removed: nothing },
    areSourcesReady: () => true,
    refresh: async () => {},
    predecessorEnded: async () => {},
    mirrorSeen: nothing,
    evicted: nothing,
  });
  return { loop, lines, sent };
}

test('an update is logged with the message and the verbosity of the kubelet', () => {
  const { loop, lines } = makeHarness();
  const pods = [pod('web'), pod('db')];
  const operations: readonly PodOperation[] = ['ADD', 'UPDATE', 'DELETE', 'RECONCILE', 'REMOVE'];
  for (const operation of operations) loop.handle({ operation, source: 'api', pods });
  const facts = { source: 'api', pods: ['default/web', 'default/db'] };
  expect(lines).toEqual([
    [2, 'SyncLoop ADD', facts],
    [2, 'SyncLoop UPDATE', facts],
    [2, 'SyncLoop DELETE', facts],
    [4, 'SyncLoop RECONCILE', facts],
    [2, 'SyncLoop REMOVE', facts],
  ]);
});

test('an event of the PLEG is logged, and requests a sync, only for a known pod', () => {
  const { loop, lines, sent } = makeHarness();
  const event = { type: 'ContainerDied', id: 'c1' } as const;
  loop.handle({ operation: 'UPDATE', source: 'api', pods: [pod('web', { uid: 'web-1' })] });
  lines.length = 0;
  sent.length = 0;
  loop.handleLifecycle({ podUid: 'web-1', ...event });
  loop.handleLifecycle({ podUid: 'unknown', ...event });
  const facts = { ID: 'web-1', Type: 'ContainerDied', Data: 'c1' };
  expect(lines).toEqual([
    [2, 'SyncLoop (PLEG): event for pod', { pod: 'default/web', event: facts }],
  ]);
  expect(sent).toEqual(['sync']);
});
