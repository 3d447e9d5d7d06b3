/** Kubernetes' own controllers and scheduler give work to a podkeep node, and take it back. */
import { expect, test } from 'vitest';
import { containerOf, isReady } from '../e2e/support/pod-view.ts';
import { rigOf } from './support/rig.ts';
import { deployment } from './support/workloads.ts';

const rig = rigOf('workloads');

test('a Deployment is scaled from one to twenty and to none', async () => {
  await rig.apply(deployment({ name: 'scaled', spec: { replicas: 1 } }));
  const all = (count: number): Promise<unknown> =>
    rig.podsWhen(
      'default',
      `${count} pods to be ready`,
      (pods) => pods.length === count && pods.every(isReady),
      'app=scaled',
    );
  await all(1);
  await rig.kubectl('scale deployment/scaled --replicas=20');
  await all(20);
  const pods = await rig.pods('default', 'app=scaled');
  expect(new Set(pods.map(({ status }) => status.podIP)).size).toBe(20);
  expect(pods.map((each) => containerOf(each)?.restartCount)).toEqual(pods.map(() => 0));
  await rig.kubectl('scale deployment/scaled --replicas=0');
  await all(0);
});
