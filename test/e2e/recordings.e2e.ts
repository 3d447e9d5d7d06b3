/**
 * The recorded lives of pods under the kubelet of Kubernetes v1.36, played by real processes under one
 * `podkeep up`, all of them at the same time.
 *
 * RECORDING_SECONDS sets for how long loops are watched; the kubelet's were for 100.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DIFFERENCES } from './recordings/differences.ts';
import { RecordedLives } from './recordings/lives.ts';
import { NODE_NAME, recordedPods } from './recordings/recorded-pod.ts';
import { PodCluster } from './support/pod-cluster.ts';

const SECONDS = Number(process.env['RECORDING_SECONDS'] ?? 45);
const HOOK_MS = (SECONDS + 300) * 1000;
const PODS = recordedPods('processes');
/** The user of root's containers without runAsUser. */
const NOBODY = { uid: 65_534, gid: 65_534 };

const cluster = new PodCluster('recordings', { hasManifests: true });
let lives: RecordedLives | undefined;
/** Why they cannot be played here; empty: they can. */
let obstacle = '';

beforeAll(async () => {
  obstacle = await findObstacle();
  if (obstacle) return console.log(`skipped: ${obstacle}`);
  await cluster.start('--name', NODE_NAME);
  const { account, isRoot, kubeconfig, manifests } = cluster;
  const runner = isRoot ? NOBODY : account;
  const differences = DIFFERENCES.filter(({ isForRoot = false }) => isRoot || !isForRoot);
  const home = { client: cluster, kubeconfig, manifests, differences, runner };
  lives = await RecordedLives.live(home, PODS, SECONDS);
}, HOOK_MS);

afterAll(() => cluster.remove());

test.for(PODS)('$recording.case: processes live as the containers did', (each, { skip }) => {
  skip(obstacle !== '', obstacle);
  expect(lives?.of(each).unexplained).toEqual([]);
});

test('every listed difference occurs', ({ skip }) => {
  skip(obstacle !== '', obstacle);
  expect(lives?.unused()).toEqual([]);
});

/** Recorded pods mount volumes, and write where others would see it. */
async function findObstacle(): Promise<string> {
  const own = cluster.isRoot ? [] : ['--user', '--map-root-user'];
  const { code, stderr } = await cluster.run(['unshare', ...own, '--mount', 'true']);
  return code === 0 ? '' : `containers have no mounts of their own here: ${stderr.trim()}`;
}
