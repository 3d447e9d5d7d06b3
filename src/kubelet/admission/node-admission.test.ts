import { expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../api/pod.ts';
import type { AdmissionNode } from '../../core/admission/admission-view.ts';
import { AllocationHarness, podAsking } from '../../../test/support/allocation-harness.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { promisesSettled } from '../../../test/support/virtual-clock.ts';
import { NodeAdmission } from './node-admission.ts';

function admissionOn(harness: AllocationHarness, readNode?: () => Promise<AdmissionNode | null>) {
  const statuses = new Map<string, PodStatus>();
  const rejected: string[] = [];
  const admission = new NodeAdmission({
    allocations: harness.manager,
    status: {
      setPodStatus: (pod, status) => {
        statuses.set(pod.metadata.uid ?? '', status);
        return { status, changed: true };
      },
    },
    events: { record: (_, type, reason, message) => harness.events.push([type, reason, message]) },
    log: silentLog,
    podRejected: (reason) => rejected.push(reason),
    ...(readNode && { readNode }),
  });
  const add = (pod: Pod): boolean => {
    harness.pods.set(pod);
    return admission.admit(pod);
  };
  return { admission, statuses, rejected, add };
}

function podOnDisk(disk: string): Pod {
  const pod = podAsking('a', '1');
  const spec = { ...pod.spec, nodeSelector: { disk } };
  return { ...pod, spec };
}

const SSD: AdmissionNode = { metadata: { name: 'n1', labels: { disk: 'ssd' } } };

test('a rejected pod has the reason in its event, status and metric (KL-62)', () => {
  const harness = new AllocationHarness();
  const { add, statuses, rejected } = admissionOn(harness);
  expect(add(podAsking('a', '3'))).toBe(false);
  const message = "Node didn't have enough resource: cpu, requested: 3000, used: 0, capacity: 2000";
  expect(harness.events).toEqual([['Warning', 'OutOfcpu', message]]);
  expect(statuses.get('a')).toEqual({
    phase: 'Failed',
    reason: 'OutOfcpu',
    message: `Pod was rejected: ${message}`,
    qosClass: 'Burstable',
  });
  expect(rejected).toEqual(['OutOfcpu']);
});

test('the known labels may be stale: the node is read again before a pod is rejected', async () => {
  const harness = new AllocationHarness();
  const { add, admission, statuses } = admissionOn(harness, () => Promise.resolve(SSD));
  const pod = podOnDisk('ssd');
  expect(add(pod)).toBe(true);
  await admission.durable(pod);
  expect(statuses.size).toBe(0);
  expect(harness.store.podResources('a')).toBeDefined();
});

test.each<[string, () => Promise<AdmissionNode | null>]>([
  ['still has other labels', () => Promise.resolve(SSD)],
  ['cannot be read', () => Promise.reject(new Error('no API'))],
])('a pod is rejected if the node %s', async (_, readNode) => {
  const harness = new AllocationHarness();
  const { add, admission, statuses } = admissionOn(harness, readNode);
  const pod = podOnDisk('tape');
  expect(add(pod)).toBe(true);
  await admission.durable(pod);
  expect(statuses.get('a')?.reason).toBe('NodeAffinity');
  expect(harness.store.podResources('a')).toBeUndefined();
});

test('a pod that is deleted while the node is read is not reported', async () => {
  const harness = new AllocationHarness();
  const { add, admission, statuses } = admissionOn(harness, () => Promise.resolve(SSD));
  const pod = podOnDisk('ssd');
  add(pod);
  const durable = admission.durable(pod);
  admission.removed(pod);
  await durable;
  expect(statuses.size).toBe(0);
  expect(harness.store.podResources('a')).toBeUndefined();
});

test('a resize requested while podkeep was down is decided when all pods are admitted', async () => {
  const harness = new AllocationHarness();
  await harness.store.setPodResources('a', {
    containers: new Map([['c', { requests: { cpu: '1' } }]]),
  });
  const { add } = admissionOn(harness);
  add(podAsking('a', '1500m', { generation: 2 }));
  add(podAsking('b', '1'));
  await promisesSettled();
  expect(harness.pendingReasonOf('a')).toBe('Deferred');
});
