/**
 * A node switches from podkeep to Kubernetes' own kubelet and back, with pods running: no pod notices.
 * Each adopts the containers of the other, because it finds its own labels and annotations on them.
 */
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CONTAINERD_VERSIONS } from '../../scripts/cluster/cache-folder.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { containerOf, isReady, LIVE, type PodView } from '../e2e/support/pod-view.ts';
import { objectionToKubelet, RealKubelet } from './support/real-kubelet.ts';
import { NODE, harnessOf } from './support/cluster-harness.ts';
import { deployment, pod } from './support/workloads.ts';

const OBJECTION = objectionToKubelet();
if (OBJECTION !== null) console.log(`skipped: ${OBJECTION}`);

/**
 * The settings of both: where logs are, and no pod control groups. One that creates such groups restarts
 * pods that have none, be it podkeep or the kubelet.
 */
const SAME = (folder: string): JsonObject => ({
  podLogsDir: path.join(folder, 'logs/pods'),
  cgroupsPerQOS: false,
  enforceNodeAllocatable: [],
});
const MOUNTS = { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] };
const VOLUMES = { volumes: [{ name: 'scratch', emptyDir: {} }] };
/** Fails in its first run, which a file marks. */
const SECOND = `[ -e /scratch/been ] || { touch /scratch/been; exit 1; }; echo life; ${LIVE}`;

describe.skipIf(OBJECTION !== null).each(CONTAINERD_VERSIONS)('on containerd %s', (version) => {
  const harness = harnessOf('switch', version, SAME);

  const ready = (count: number): Promise<readonly PodView[]> =>
    harness.podsWhen(
      'default',
      `${count} pods to be ready`,
      (pods) => pods.length === count && pods.every((each) => isReady(each) && isSettled(each)),
    );

  test('no container is restarted when podkeep gives way to a kubelet, or a kubelet to podkeep', async () => {
    const twice = (name: string) => pod({ name, script: SECOND, container: MOUNTS, pod: VOLUMES });
    await harness.apply(deployment({ name: 'podkeeps', spec: { replicas: 3 } }), twice('twice'));
    const before = livesOf(await ready(4));

    await harness.node.stop();
    const { folder, plane, containerd } = harness;
    const kubelet = await RealKubelet.start({
      name: NODE,
      folder: path.join(folder, 'kubelet'),
      plane,
      containerd,
      config: SAME(folder),
    });
    onTestFinished(() => kubelet.stop());
    await harness.apply(deployment({ name: 'kubelets', spec: { replicas: 2 } }), twice('again'));
    const during = livesOf(await ready(7));
    expect(during).toEqual(expect.arrayContaining([...before]));

    await kubelet.stop();
    await harness.node.start();
    await harness.nodeReady(NODE);
    await harness.apply(pod({ name: 'next' }));
    const after = livesOf(await ready(8));
    expect(after).toEqual(expect.arrayContaining([...during]));
    expect(await harness.kubectl('exec again -- cat /etc/hostname')).toBe('again\n');
    expect(await harness.kubectl('logs again')).toBe('life\n');
    expect(await harness.kubectl('logs twice')).toBe('life\n');
    await harness.kubectl('delete deployments,pods --all --timeout=60s');
    await harness.podsWhen('default', 'all pods to be gone', (pods) => pods.length === 0);
    expect(harness.containerd.ctr('task', 'list', '-q')).toBe('');
  });
});

/** Those that fail in their first run are in their second. */
function isSettled(each: PodView): boolean {
  return !['twice', 'again'].includes(each.metadata.name) || containerOf(each)?.restartCount === 1;
}

/** The container of each pod, its start time, and its restart count. */
function livesOf(pods: readonly PodView[]): readonly string[] {
  return pods.map((each) => {
    const { restartCount, containerID, state } = containerOf(each) ?? {};
    const since = state?.running?.startedAt;
    return `${each.metadata.name} ${containerID} since ${since}, restarts ${restartCount}`;
  });
}
