/** Storage goes when nobody uses it any more. */
import { expect, test } from 'vitest';
import { textAt } from '../../../src/apiserver/kinds/field-path.ts';
import { ControllerStage } from './stage.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const CLAIMS = `${NAMESPACE}/persistentvolumeclaims`;
const VOLUMES = '/api/v1/persistentvolumes';
const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const volumeSpec = {
  accessModes: ['ReadWriteOnce'],
  capacity: { storage: '1Gi' },
  hostPath: { path: '/d' },
};

function podWith(claimName: string, nodeName?: string) {
  return {
    metadata: { name: 'p' },
    spec: {
      ...(nodeName !== undefined && { nodeName }),
      containers: [{ name: 'c', image: 'nginx:1' }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }],
    },
  };
}

async function openWithClaim(): Promise<ControllerStage> {
  const stage = await ControllerStage.open({ controllers: ['storage-protection'] });
  await stage.send('POST', CLAIMS, { metadata: { name: 'claim' }, spec: claimSpec });
  await stage.settle();
  return stage;
}

test('a claim that came in unprotected is protected', async () => {
  const stage = await openWithClaim();
  const { body } = await stage.send('GET', `${CLAIMS}/claim`);
  expect(body.metadata['finalizers']).toEqual(['kubernetes.io/pvc-protection']);
});

test('a claim that nobody uses goes at once', async () => {
  const stage = await openWithClaim();
  await stage.send('DELETE', `${CLAIMS}/claim`);
  await stage.settle();
  expect((await stage.send('GET', `${CLAIMS}/claim`)).code).toBe(404);
});

test('a claim waits for the pod on a node that uses it, and not for one on none', async () => {
  const stage = await openWithClaim();
  await stage.send('POST', `${NAMESPACE}/pods`, podWith('claim', 'n'));
  await stage.send('DELETE', `${CLAIMS}/claim`);
  await stage.settle();
  expect((await stage.send('GET', `${CLAIMS}/claim`)).code).toBe(200);
  await stage.send('DELETE', `${NAMESPACE}/pods/p?gracePeriodSeconds=0`);
  await stage.settle();
  expect((await stage.send('GET', `${CLAIMS}/claim`)).code).toBe(404);
});

test('a pod that never came to a node does not hold its claim', async () => {
  const stage = await openWithClaim();
  await stage.send('POST', `${NAMESPACE}/pods`, podWith('claim'));
  await stage.send('DELETE', `${CLAIMS}/claim`);
  await stage.settle();
  expect((await stage.send('GET', `${CLAIMS}/claim`)).code).toBe(404);
});

test('a volume waits until it is not bound any more, and says since when it is', async () => {
  const stage = await ControllerStage.open({ controllers: ['storage-protection'] });
  await stage.send('POST', VOLUMES, { metadata: { name: 'v' }, spec: volumeSpec });
  await stage.settle(5000);
  await stage.patch(`${VOLUMES}/v/status`, { status: { phase: 'Bound' } });
  await stage.send('DELETE', `${VOLUMES}/v`);
  await stage.settle();
  const { code, body } = await stage.send('GET', `${VOLUMES}/v`);
  const changedAt = Date.parse(textAt(body, 'status.lastPhaseTransitionTime'));
  expect(code).toBe(200);
  expect(changedAt - Date.parse(textAt(body, 'metadata.creationTimestamp'))).toBe(5000);
  await stage.patch(`${VOLUMES}/v/status`, { status: { phase: 'Released' } });
  await stage.settle();
  expect((await stage.send('GET', `${VOLUMES}/v`)).code).toBe(404);
});
