/**
 * Whatever dies beside them, pods keep running: the same containers, no restart, and every status correct
 * again as soon as it can be written.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { CONTAINERD_VERSIONS, type ContainerdVersion } from '../../scripts/cluster/cache-folder.ts';
import {
  containerOf,
  isOver,
  isReady,
  type EndView,
  type PodView,
} from '../e2e/support/pod-view.ts';
import { criCall } from './support/cri-call.ts';
import { NODE, harnessOf, type ClusterHarness } from './support/cluster-harness.ts';
import { deployment, pod } from './support/workloads.ts';

/** Longer than the witness lives. */
const AWAY_MS = 6_000;
const ETCD_AWAY_MS = 20_000;
const PODS = 6;
const PROBE = { exec: { command: ['true'] }, periodSeconds: 1, timeoutSeconds: 10 };

interface Fault {
  readonly name: string;
  /** Absent: on each containerd. Failures of the control plane do not depend on it. */
  readonly only?: ContainerdVersion;
  readonly happen: (harness: ClusterHarness) => Promise<void>;
}

const FAULTS: readonly Fault[] = [
  {
    name: 'containerd is restarted',
    happen: async ({ containerd }) => {
      await containerd.stop('SIGKILL');
      await sleep(AWAY_MS);
      await containerd.start();
    },
  },
  {
    name: 'podkeep is killed, and what happened meanwhile is told by the next one',
    happen: async (harness) => {
      await harness.apply(pod({ name: 'unwanted' }));
      await harness.ready('unwanted');
      await harness.node.stop('SIGKILL');
      await harness.kubectl('delete pod unwanted --wait=false');
      await sleep(AWAY_MS);
      await harness.node.start();
      await harness.gone('unwanted');
    },
  },
  {
    name: 'podkeep and containerd are killed together',
    happen: async ({ node, containerd }) => {
      await Promise.all([node.stop('SIGKILL'), containerd.stop('SIGKILL')]);
      await sleep(AWAY_MS);
      await containerd.start();
      await node.start();
    },
  },
  {
    name: 'kube-apiserver is restarted',
    only: '2.1',
    happen: async ({ plane: { apiServer } }) => {
      await apiServer.stop('SIGKILL');
      await sleep(AWAY_MS);
      await apiServer.start();
    },
  },
  {
    name: 'etcd is away for twenty seconds',
    only: '2.1',
    happen: async ({ plane: { etcd } }) => {
      await etcd.stop('SIGKILL');
      await sleep(ETCD_AWAY_MS);
      await etcd.start();
    },
  },
];

describe.each(CONTAINERD_VERSIONS)('on containerd %s', (version) => {
  const harness = harnessOf('failures', version);
  const faults = FAULTS.filter(({ only = version }) => only === version);
  const named = faults.map(({ name, happen }) => [name, happen] as const);

  beforeAll(async () => {
    await harness.apply(
      deployment({ name: 'goes-on', spec: { replicas: PODS - 1 } }),
      pod({ name: 'probed', container: { livenessProbe: PROBE, readinessProbe: PROBE } }),
    );
  });

  test.each(named)('%s', async (_name, happen) => {
    const allReady = (pods: readonly PodView[]): boolean =>
      pods.length === PODS && pods.every(isReady);
    const before = livesOf(await harness.podsWhen('default', 'all pods to be ready', allReady));
    await witness(harness, () => happen(harness));
    expect(await livesAfterwards(harness)).toEqual(before);
  });
});

/**
 * A pod that ends during a failure has its own exit code afterwards. A containerd that was down itself
 * may have lost it (2.1 reports 255 and Unknown then): its report counts.
 */
async function witness(harness: ClusterHarness, fault: () => Promise<void>): Promise<void> {
  const script = 'echo seen; sleep 5; exit 7';
  await harness.apply(pod({ name: 'witness', script, pod: { restartPolicy: 'Never' } }));
  try {
    await harness.podWhen('witness', 'to run', ({ status }) => status.phase === 'Running');
    await harness.logWith('witness', 'seen');
    await fault();
    const over = await harness.podWhen('witness', 'to be over', isOver);
    const { containerID = '', state, restartCount } = containerOf(over) ?? {};
    expect(over.status.phase).toBe('Failed');
    expect(state?.terminated).toMatchObject(await endOf(harness, containerID));
    expect(restartCount).toBe(0);
    expect(await harness.kubectl('logs witness')).toBe('seen\n');
  } finally {
    await harness.kubectl('delete pod witness --timeout=60s');
  }
}

/** As containerd reports it. */
async function endOf(harness: ClusterHarness, containerID: string): Promise<Partial<EndView>> {
  const id = containerID.replace('containerd://', '');
  const { socket } = harness.containerd;
  const answer = await criCall(socket, 'RuntimeService', 'ContainerStatus', [[1, id]]);
  const status = answer.message(1);
  return { exitCode: status.number(7), reason: status.text(10) };
}

/** When the node is ready, its pods are, and it has run and removed a new one. */
async function livesAfterwards(harness: ClusterHarness): Promise<readonly string[]> {
  await harness.nodeReady(NODE);
  await harness.podsWhen(
    'default',
    'all pods to be ready again',
    (all) => all.length === PODS && all.every(isReady),
  );
  await harness.apply(pod({ name: 'next' }));
  await harness.ready('next');
  await harness.kubectl('delete pod next --timeout=60s');
  return livesOf(await harness.pods('default'));
}

/** The container of each pod, its start time, and its restart count. */
function livesOf(pods: readonly PodView[]): readonly string[] {
  return pods
    .map((each) => {
      const { restartCount, containerID, state } = containerOf(each) ?? {};
      const since = state?.running?.startedAt;
      return `${each.metadata.name} ${containerID} since ${since}, restarts ${restartCount}`;
    })
    .toSorted();
}
