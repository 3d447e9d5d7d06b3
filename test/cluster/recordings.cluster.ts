/**
 * The recorded lives of pods under the kubelet of Kubernetes v1.36, lived again under podkeep with what
 * the kubelet had: kube-apiserver, a containerd of the same version, and the same image. All of them live
 * at the same time.
 *
 * RECORDING_SECONDS says for how long loops are watched; the kubelet was for 100.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RecordedLives } from '../e2e/recordings/lives.ts';
import { NODE_NAME, recordedPods } from '../e2e/recordings/recorded-pod.ts';
import { DIFFERENCES } from './recordings/differences.ts';
import { Rig } from './support/rig.ts';

const SECONDS = Number(process.env['RECORDING_SECONDS'] ?? 60);
const HOOK_MS = (SECONDS + 300) * 1000;
const PODS = recordedPods('containers');

const rig = new Rig('recordings', '1.6', NODE_NAME);
let lives: RecordedLives | undefined;

beforeAll(async () => {
  await rig.start();
  const { kubeconfig } = rig.plane;
  const { manifests } = rig.node;
  const home = { hands: rig, kubeconfig, manifests, differences: DIFFERENCES };
  lives = await RecordedLives.live(home, PODS, SECONDS);
}, HOOK_MS);

afterAll(() => rig.remove());

test.for(PODS)('$recording.case: containers live as they did under the kubelet', (each) => {
  expect(lives?.of(each).unexplained).toEqual([]);
});

test('nothing is said to differ that does not', () => {
  expect(lives?.unused()).toEqual([]);
});
