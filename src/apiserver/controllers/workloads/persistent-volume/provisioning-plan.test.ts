import { expect, test } from 'vitest';
import { MemoryVolumes } from '../../../../../test/support/memory-volumes.ts';
import { LOCAL_PROVISIONER } from '../../../../api/local-provisioner.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { planProvisioning, type ProvisioningFacts } from './provisioning-plan.ts';

const HOSTNAME = 'kubernetes.io/hostname';
const CLASS = { metadata: { name: 'standard' }, provisioner: LOCAL_PROVISIONER };
const NODE = { metadata: { name: 'a', labels: { [HOSTNAME]: 'host-a' } } };

function factsOf(more: Partial<ProvisioningFacts> = {}): ProvisioningFacts {
  return {
    claim: claimOf(),
    className: 'standard',
    storageClass: CLASS,
    local: new MemoryVolumes('a'),
    node: NODE,
    ...more,
  };
}

function claimOf(spec: JsonObject = {}, annotations: JsonObject = {}): JsonObject {
  return { metadata: { name: 'data', namespace: 'default', annotations }, spec };
}

const selected = (node: string): JsonObject =>
  claimOf({}, { 'volume.kubernetes.io/selected-node': node });
const topology = (...values: string[]): JsonObject => ({
  ...CLASS,
  allowedTopologies: [{ matchLabelExpressions: [{ key: HOSTNAME, values }] }],
});

test('a volume is created on the node of the provisioner', () => {
  const create = { type: 'create', hostname: 'host-a' };
  expect(planProvisioning(factsOf())).toEqual(create);
  expect(planProvisioning(factsOf({ claim: selected('a') }))).toEqual(create);
  expect(planProvisioning(factsOf({ storageClass: topology('host-a') }))).toEqual(create);
});

test.each<[facts: Partial<ProvisioningFacts>, why: string]>([
  [{ storageClass: undefined }, 'storageclass.storage.k8s.io "standard" not found'],
  [
    { storageClass: { provisioner: 'kubernetes.io/no-provisioner' } },
    'no volume plugin matched name: kubernetes.io/no-provisioner',
  ],
  [{ claim: claimOf({ volumeMode: 'Block' }) }, 'does not support volumeMode Block'],
  [{ claim: claimOf({ dataSource: { kind: 'x', name: 'y' } }) }, 'is not a CSI plugin'],
  [{ claim: claimOf({ dataSourceRef: { kind: 'x', name: 'y' } }) }, 'is not a CSI plugin'],
  [{ claim: claimOf({ selector: {} }) }, 'claim.Spec.Selector is not supported'],
  [{ claim: claimOf({ volumeAttributesClassName: 'gold' }) }, 'volumeAttributesClassName'],
  [{ storageClass: { ...CLASS, mountOptions: ['ro', 'nodev'] } }, 'mount options [ro nodev]'],
  [{ storageClass: { ...CLASS, parameters: { path: '/etc' } } }, 'invalid option "path"'],
])('%j is refused', (facts, why) => {
  const plan = planProvisioning(factsOf(facts));
  expect(plan).toEqual({ type: 'refuse', message: expect.stringContaining(why) });
});

test.each<[facts: Partial<ProvisioningFacts>, why: string]>([
  [{ claim: selected('b') }, 'creates volumes on node "a" only, and not on "b"'],
  [{ claim: selected('../a') }, 'creates volumes on node "a" only'],
  [{ node: undefined }, 'node "a" not found'],
  [{ node: { metadata: { name: 'a' } } }, 'has no label kubernetes.io/hostname'],
  [{ storageClass: topology('host-b') }, 'allowedTopologies do not match node "a"'],
])('with %j another node may help', (facts, why) => {
  const plan = planProvisioning(factsOf(facts));
  expect(plan).toEqual({ type: 'reschedule', message: expect.stringContaining(why) });
});

test('other provisioners run elsewhere, and so does the local one without a node', () => {
  const storageClass = { provisioner: 'example.com/disks' };
  expect(planProvisioning(factsOf({ storageClass }))).toEqual({
    type: 'external',
    provisioner: 'example.com/disks',
  });
  expect(planProvisioning(factsOf({ local: undefined }))).toEqual({
    type: 'external',
    provisioner: LOCAL_PROVISIONER,
  });
});
