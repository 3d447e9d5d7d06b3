/** Which pod's status the mirror of a static pod shows when manifests change. */
import { expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../../src/api/pod.ts';
import { NodePodManager } from '../../../src/kubelet/pod-manager/pod-manager.ts';
import { StatusManager } from '../../../src/kubelet/status-manager/status-manager.ts';
import { MemoryApi } from '../../support/memory-api.ts';
import { waiting, running, terminated } from '../../support/pod-parts.ts';
import {
  noProbes,
  silentDecisions,
  silentLog,
  silentStatusObserver,
} from '../../support/silent-ports.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const SOURCE = 'kubernetes.io/config.source';
const HASH = 'kubernetes.io/config.hash';
const MIRROR = 'kubernetes.io/config.mirror';

function manifest(uid: string): Pod {
  const annotations = { [SOURCE]: 'file', [HASH]: uid };
  return {
    metadata: { name: 'web', namespace: 'default', uid, annotations },
    spec: { containers: [{ name: 'main', image: 'app:1' }] },
    status: { phase: 'Pending' },
  };
}

function mirrorOf({ metadata, spec }: Pod, status: PodStatus): Pod {
  const { name = '', namespace = '', uid = '' } = metadata;
  const annotations = { [SOURCE]: 'api', [MIRROR]: uid };
  const image = { name, namespace, uid: `mirror-of-${uid}`, annotations };
  return { metadata: image, spec, status };
}

/** podkeep has just started: the API shows a pod that ran before, and there is another manifest. */
function makeHarness() {
  const clock = new VirtualClock();
  const api = new MemoryApi({ clock });
  const pods = new NodePodManager();
  const status = new StatusManager({
    clock,
    random: { next: () => 0 },
    api,
    pods,
    probes: noProbes,
    decisions: silentDecisions,
    log: silentLog,
    observer: silentStatusObserver,
    couldHaveRunningContainers: () => false,
  });
  status.start();
  const see = (mirror: Pod): void => {
    const seen = api.put(mirror);
    pods.update(seen);
    status.apiPodSeen(seen);
  };
  const stateOf = (uid: string) => api.findByUid(uid)?.status?.containerStatuses?.[0]?.state;
  return { clock, api, pods, status, see, stateOf };
}

const RUNNING: PodStatus = { phase: 'Running', containerStatuses: [running('main')] };

test('a pod that ended before it began leaves no trace on the mirror of the previous one (SM-42)', async () => {
  const { clock, pods, status, see, stateOf } = makeHarness();
  const [old, young] = [manifest('old'), manifest('young')];
  see(mirrorOf(old, RUNNING));
  pods.update(young);
  status.setPodStatus(young, { phase: 'Pending', containerStatuses: [waiting('main')] });
  await clock.pass(30_000);
  status.terminatePod(young);
  await clock.pass(30_000);
  expect(stateOf('mirror-of-old')).toEqual(RUNNING.containerStatuses?.[0]?.state);
});

test('the mirror of a pod that is replaced shows its exit code, and the next one the next pod', async () => {
  const { clock, api, pods, status, see, stateOf } = makeHarness();
  const [old, young] = [manifest('old'), manifest('young')];
  pods.update(old);
  see(mirrorOf(old, {}));
  status.setPodStatus(old, RUNNING);
  pods.remove(old);
  pods.update(young);
  status.setPodStatus(young, { phase: 'Pending', containerStatuses: [waiting('main')] });
  status.setPodStatus(old, { phase: 'Running', containerStatuses: [terminated('main', 7)] });
  await clock.pass(30_000);
  expect(stateOf('mirror-of-old')?.terminated?.exitCode).toBe(7);

  const gone = api.findByUid('mirror-of-old');
  if (!gone) throw new Error('no mirror');
  api.remove({ namespace: 'default', name: 'web' });
  pods.remove(gone);
  status.apiPodGone(gone);
  see(mirrorOf(young, {}));
  await clock.pass(30_000);
  expect(stateOf('mirror-of-young')).toHaveProperty('waiting');
});
