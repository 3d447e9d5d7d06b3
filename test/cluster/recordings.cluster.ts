/**
 * The recorded lives of pods under the kubelet of Kubernetes v1.36, played under podkeep with what the
 * kubelet had: kube-apiserver, a containerd of the same version, and the same image. All of them run at
 * the same time.
 *
 * RECORDING_SECONDS sets for how long loops are watched; the kubelet's were for 100.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RecordedLives } from '../e2e/recordings/lives.ts';
import { NODE_NAME, recordedPods } from '../e2e/recordings/recorded-pod.ts';
import { DIFFERENCES } from './recordings/differences.ts';
import { ClusterHarness } from './support/cluster-harness.ts';

const SECONDS = Number(process.env['RECORDING_SECONDS'] ?? 60);
const HOOK_MS = (SECONDS + 300) * 1000;
const PODS = recordedPods('containers');

const harness = new ClusterHarness('recordings', '1.6', NODE_NAME);
let lives: RecordedLives | undefined;

beforeAll(async () => {
  await harness.start();
  const { kubeconfig } = harness.plane;
  const { manifests } = harness.node;
  const home = { client: harness, kubeconfig, manifests, differences: DIFFERENCES };
  lives = await RecordedLives.live(home, PODS, SECONDS);
}, HOOK_MS);

afterAll(() => harness.remove());

test.for(PODS)('$recording.case: containers live as they did under the kubelet', (each) => {
  expect(lives?.of(each).unexplained).toEqual([]);
});

test('every listed difference occurs', () => {
  expect(lives?.unused()).toEqual([]);
});
