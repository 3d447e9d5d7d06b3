import { expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../api/pod.ts';
import type { AdmissionNode } from '../../core/admission/admission-view.ts';
import { AllocationStage, podAsking } from '../../../test/support/allocation-stage.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { promisesSettled } from '../../../test/support/virtual-clock.ts';
import { NodeAdmission } from './node-admission.ts';

function admissionOn(stage: AllocationStage, readNode?: () => Promise<AdmissionNode | null>) {
  const statuses = new Map<string, PodStatus>();
  const rejected: string[] = [];
  const admission = new NodeAdmission({
    allocations: stage.manager,
    status: {
      setPodStatus: (pod, status) => {
        statuses.set(pod.metadata.uid ?? '', status);
        return { status, changed: true };
      },
    },
    events: { record: (_, type, reason, message) => stage.events.push([type, reason, message]) },
    log: silentLog,
    podRejected: (reason) => rejected.push(reason),
    ...(readNode && { readNode }),
  });
  const add = (pod: Pod): boolean => {
    stage.pods.set(pod);
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

test('a pod that is turned away says why, in event, status and metric (KL-62)', () => {
  const stage = new AllocationStage();
  const { add, statuses, rejected } = admissionOn(stage);
  expect(add(podAsking('a', '3'))).toBe(false);
  const message = "Node didn't have enough resource: cpu, requested: 3000, used: 0, capacity: 2000";
  expect(stage.events).toEqual([['Warning', 'OutOfcpu', message]]);
  expect(statuses.get('a')).toEqual({
    phase: 'Failed',
    reason: 'OutOfcpu',
    message: `Pod was rejected: ${message}`,
    qosClass: 'Burstable',
  });
  expect(rejected).toEqual(['OutOfcpu']);
});

test('labels may be newer than what is known of them: the node is read anew first', async () => {
  const stage = new AllocationStage();
  const { add, admission, statuses } = admissionOn(stage, () => Promise.resolve(SSD));
  const pod = podOnDisk('ssd');
  expect(add(pod)).toBe(true);
  await admission.kept(pod);
  expect(statuses.size).toBe(0);
  expect(stage.store.podResources('a')).toBeDefined();
});

test.each<[string, () => Promise<AdmissionNode | null>]>([
  ['still has other labels', () => Promise.resolve(SSD)],
  ['cannot be read', () => Promise.reject(new Error('no API'))],
])('a pod is turned away if the node %s', async (_, readNode) => {
  const stage = new AllocationStage();
  const { add, admission, statuses } = admissionOn(stage, readNode);
  const pod = podOnDisk('tape');
  expect(add(pod)).toBe(true);
  await admission.kept(pod);
  expect(statuses.get('a')?.reason).toBe('NodeAffinity');
  expect(stage.store.podResources('a')).toBeUndefined();
});

test('a pod that is deleted while the node is read is not spoken of', async () => {
  const stage = new AllocationStage();
  const { add, admission, statuses } = admissionOn(stage, () => Promise.resolve(SSD));
  const pod = podOnDisk('ssd');
  add(pod);
  const kept = admission.kept(pod);
  admission.removed(pod);
  await kept;
  expect(statuses.size).toBe(0);
  expect(stage.store.podResources('a')).toBeUndefined();
});

test('a resize that was asked for while podkeep was away is judged when all are let in', async () => {
  const stage = new AllocationStage();
  await stage.store.setPodResources('a', {
    containers: new Map([['c', { requests: { cpu: '1' } }]]),
  });
  const { add } = admissionOn(stage);
  add(podAsking('a', '1500m', { generation: 2 }));
  add(podAsking('b', '1'));
  await promisesSettled();
  expect(stage.pendingReasonOf('a')).toBe('Deferred');
});
