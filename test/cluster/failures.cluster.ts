/**
 * Whatever dies beside them, pods go on: the same containers, no restart, and every status true again
 * as soon as it can be told.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { CONTAINERD_VERSIONS, type ContainerdVersion } from '../../scripts/cluster/place.ts';
import {
  containerOf,
  isOver,
  isReady,
  type EndView,
  type PodView,
} from '../e2e/support/pod-view.ts';
import { criCall } from './support/cri-call.ts';
import { NODE, rigOf, type Rig } from './support/rig.ts';
import { deployment, pod } from './support/workloads.ts';

/** Longer than the witness lives. */
const AWAY_MS = 6_000;
const ETCD_AWAY_MS = 20_000;
const PODS = 6;
const PROBE = { exec: { command: ['true'] }, periodSeconds: 1, timeoutSeconds: 10 };

interface Fault {
  readonly name: string;
  /** Absent: on each containerd. What the control plane goes through is all the same to them. */
  readonly only?: ContainerdVersion;
  readonly happen: (rig: Rig) => Promise<void>;
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
    happen: async (rig) => {
      await rig.apply(pod({ name: 'unwanted' }));
      await rig.ready('unwanted');
      await rig.node.stop('SIGKILL');
      await rig.kubectl('delete pod unwanted --wait=false');
      await sleep(AWAY_MS);
      await rig.node.start();
      await rig.gone('unwanted');
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
  const rig = rigOf('failures', version);
  const faults = FAULTS.filter(({ only = version }) => only === version);
  const named = faults.map(({ name, happen }) => [name, happen] as const);

  beforeAll(async () => {
    await rig.apply(
      deployment({ name: 'goes-on', spec: { replicas: PODS - 1 } }),
      pod({ name: 'probed', container: { livenessProbe: PROBE, readinessProbe: PROBE } }),
    );
  });

  test.each(named)('%s', async (_name, happen) => {
    const allReady = (pods: readonly PodView[]): boolean =>
      pods.length === PODS && pods.every(isReady);
    const before = livesOf(await rig.podsWhen('default', 'all pods to be ready', allReady));
    await witness(rig, () => happen(rig));
    expect(await livesAfterwards(rig)).toEqual(before);
  });
});

/**
 * A pod that ends while something is away has ended with its own word when all is back. A containerd
 * that was away itself may have lost the word (2.1 says 255 and Unknown then): what counts is what it says.
 */
async function witness(rig: Rig, fault: () => Promise<void>): Promise<void> {
  const script = 'echo seen; sleep 5; exit 7';
  await rig.apply(pod({ name: 'witness', script, pod: { restartPolicy: 'Never' } }));
  try {
    await rig.podWhen('witness', 'to run', ({ status }) => status.phase === 'Running');
    await rig.logWith('witness', 'seen');
    await fault();
    const over = await rig.podWhen('witness', 'to be over', isOver);
    const { containerID = '', state, restartCount } = containerOf(over) ?? {};
    expect(over.status.phase).toBe('Failed');
    expect(state?.terminated).toMatchObject(await endOf(rig, containerID));
    expect(restartCount).toBe(0);
    expect(await rig.kubectl('logs witness')).toBe('seen\n');
  } finally {
    await rig.kubectl('delete pod witness --timeout=60s');
  }
}

/** As containerd tells it. */
async function endOf(rig: Rig, containerID: string): Promise<Partial<EndView>> {
  const id = containerID.replace('containerd://', '');
  const { socket } = rig.containerd;
  const answer = await criCall(socket, 'RuntimeService', 'ContainerStatus', [[1, id]]);
  const status = answer.message(1);
  return { exitCode: status.number(7), reason: status.text(10) };
}

/** When the node is ready, its pods are, and it has taken and given back a new one. */
async function livesAfterwards(rig: Rig): Promise<readonly string[]> {
  await rig.nodeReady(NODE);
  await rig.podsWhen(
    'default',
    'all pods to be ready again',
    (all) => all.length === PODS && all.every(isReady),
  );
  await rig.apply(pod({ name: 'next' }));
  await rig.ready('next');
  await rig.kubectl('delete pod next --timeout=60s');
  return livesOf(await rig.pods('default'));
}

/** Which container each pod has, since when, and how often it was restarted. */
function livesOf(pods: readonly PodView[]): readonly string[] {
  return pods
    .map((each) => {
      const { restartCount, containerID, state } = containerOf(each) ?? {};
      const since = state?.running?.startedAt;
      return `${each.metadata.name} ${containerID} since ${since}, restarts ${restartCount}`;
    })
    .toSorted();
}
