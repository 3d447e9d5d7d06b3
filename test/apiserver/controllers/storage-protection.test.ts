/** Storage is deleted when no pod or claim uses it any more. */
import { expect, test } from 'vitest';
import { textAt } from '../../../src/apiserver/objects/field-path.ts';
import { ControllerHarness } from './controller-harness.ts';

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

async function openWithClaim(): Promise<ControllerHarness> {
  const harness = await ControllerHarness.open({ controllers: ['storage-protection'] });
  await harness.send('POST', CLAIMS, { metadata: { name: 'claim' }, spec: claimSpec });
  await harness.settle();
  return harness;
}

test('a claim that was created unprotected is protected', async () => {
  const harness = await openWithClaim();
  const { body } = await harness.send('GET', `${CLAIMS}/claim`);
  expect(body.metadata['finalizers']).toEqual(['kubernetes.io/pvc-protection']);
});

test('an unused claim goes immediately', async () => {
  const harness = await openWithClaim();
  await harness.send('DELETE', `${CLAIMS}/claim`);
  await harness.settle();
  expect((await harness.send('GET', `${CLAIMS}/claim`)).code).toBe(404);
});

test('a claim waits for a pod on a node that uses it, and not for an unbound one', async () => {
  const harness = await openWithClaim();
  await harness.send('POST', `${NAMESPACE}/pods`, podWith('claim', 'n'));
  await harness.send('DELETE', `${CLAIMS}/claim`);
  await harness.settle();
  expect((await harness.send('GET', `${CLAIMS}/claim`)).code).toBe(200);
  await harness.send('DELETE', `${NAMESPACE}/pods/p?gracePeriodSeconds=0`);
  await harness.settle();
  expect((await harness.send('GET', `${CLAIMS}/claim`)).code).toBe(404);
});

test('a pod that was never bound does not hold its claim', async () => {
  const harness = await openWithClaim();
  await harness.send('POST', `${NAMESPACE}/pods`, podWith('claim'));
  await harness.send('DELETE', `${CLAIMS}/claim`);
  await harness.settle();
  expect((await harness.send('GET', `${CLAIMS}/claim`)).code).toBe(404);
});

test('a volume waits until it is not bound any more, and records since when it is', async () => {
  const harness = await ControllerHarness.open({ controllers: ['storage-protection'] });
  await harness.send('POST', VOLUMES, { metadata: { name: 'v' }, spec: volumeSpec });
  await harness.settle(5000);
  await harness.patch(`${VOLUMES}/v/status`, { status: { phase: 'Bound' } });
  await harness.send('DELETE', `${VOLUMES}/v`);
  await harness.settle();
  const { code, body } = await harness.send('GET', `${VOLUMES}/v`);
  const changedAt = Date.parse(textAt(body, 'status.lastPhaseTransitionTime'));
  expect(code).toBe(200);
  expect(changedAt - Date.parse(textAt(body, 'metadata.creationTimestamp'))).toBe(5000);
  await harness.patch(`${VOLUMES}/v/status`, { status: { phase: 'Released' } });
  await harness.settle();
  expect((await harness.send('GET', `${VOLUMES}/v`)).code).toBe(404);
});
