/**
 * Whatever dies beside them, pods go on: the same containers, no restart, and every status true again
 * as soon as it can be told.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CONTAINERD_VERSIONS } from '../../scripts/cluster/place.ts';
import { containerOf, isOver, isReady, type PodView } from '../e2e/support/pod-view.ts';
import { NODE, rigOf, type Rig } from './support/rig.ts';
import { deployment, pod } from './support/workloads.ts';

const ETCD_AWAY_MS = 20_000;
const PROBE = { exec: { command: ['true'] }, periodSeconds: 1 };

describe.each(CONTAINERD_VERSIONS)('on containerd %s', (version) => {
  const rig = rigOf('failures', version);
  let before: readonly string[] = [];

  beforeAll(async () => {
    await rig.apply(
      deployment({ name: 'goes-on', spec: { replicas: 5 } }),
      pod({ name: 'probed', container: { livenessProbe: PROBE, readinessProbe: PROBE } }),
    );
    await rig.podsWhen('default', 'all pods', (pods) => pods.length === 6 && pods.every(isReady));
  });

  beforeEach(async () => {
    before = livesOf(await rig.pods('default'));
    expect(before).toHaveLength(6);
  });

  test('containerd is restarted', async () => {
    await witness(rig, async () => {
      await rig.containerd.stop('SIGKILL');
      await sleep(4_000);
      await rig.containerd.start();
    });
    await nothingHappened(rig, before);
  });

  test('kube-apiserver is restarted', async () => {
    await witness(rig, async () => {
      await rig.plane.apiServer.stop();
      await sleep(4_000);
      await rig.plane.apiServer.start();
    });
    await nothingHappened(rig, before);
  });

  test('etcd is away for twenty seconds', async () => {
    await witness(rig, async () => {
      await rig.plane.etcd.stop('SIGKILL');
      await sleep(ETCD_AWAY_MS);
      await rig.plane.etcd.start();
    });
    await nothingHappened(rig, before);
  });

  test('podkeep is killed, and what happened meanwhile is told by the next one', async () => {
    await rig.apply(pod({ name: 'unwanted' }));
    await rig.ready('unwanted');
    await witness(rig, async () => {
      await rig.node.stop('SIGKILL');
      await rig.kubectl('delete pod unwanted --wait=false');
      await sleep(4_000);
      await rig.node.start();
    });
    await rig.gone('unwanted');
    await nothingHappened(rig, before);
  });

  test('podkeep and containerd are killed together', async () => {
    await witness(rig, async () => {
      await Promise.all([rig.node.stop('SIGKILL'), rig.containerd.stop('SIGKILL')]);
      await sleep(4_000);
      await rig.containerd.start();
      await rig.node.start();
    });
    await nothingHappened(rig, before);
  });
});

/** A pod that ends while something is away has ended with its own word when all is back. */
async function witness(rig: Rig, fault: () => Promise<void>): Promise<void> {
  const script = 'sleep 3; echo seen; exit 7';
  await rig.apply(pod({ name: 'witness', script, pod: { restartPolicy: 'Never' } }));
  await rig.podWhen('witness', 'to run', ({ status }) => status.phase === 'Running');
  await fault();
  const over = await rig.podWhen('witness', 'to be over', isOver);
  expect(over.status.phase).toBe('Failed');
  expect(containerOf(over)?.state.terminated).toMatchObject({ exitCode: 7, reason: 'Error' });
  expect(containerOf(over)?.restartCount).toBe(0);
  expect(await rig.kubectl('logs witness')).toBe('seen\n');
  await rig.kubectl('delete pod witness --timeout=60s');
}

/** The node is ready, its pods are those of before, and it takes new ones. */
async function nothingHappened(rig: Rig, before: readonly string[]): Promise<void> {
  await rig.nodeReady(NODE);
  const pods = await rig.podsWhen(
    'default',
    'all pods to be ready again',
    (all) => all.length === before.length && all.every(isReady),
  );
  expect(livesOf(pods)).toEqual(before);
  await rig.apply(pod({ name: 'next' }));
  await rig.ready('next');
  await rig.kubectl('delete pod next --timeout=60s');
  expect(livesOf(await rig.pods('default'))).toEqual(before);
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
