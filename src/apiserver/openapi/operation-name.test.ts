import { expect, test } from 'vitest';
import { groupTag, operationId, tagOf } from './operation-name.ts';

test('the core group is called core', () => {
  const core = { group: '', version: 'v1' };
  expect(operationId('read', core, 'NamespacedPod')).toBe('readCoreV1NamespacedPod');
  expect(tagOf(core)).toBe('core_v1');
});

test('a group of Kubernetes is called by its first words', () => {
  const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };
  expect(operationId('list', rbac, 'ClusterRole')).toBe('listRbacAuthorizationV1ClusterRole');
  expect(tagOf(rbac)).toBe('rbacAuthorization_v1');
  expect(groupTag('rbac.authorization.k8s.io')).toBe('rbacAuthorization');
});

test('characters that a name cannot have are left out', () => {
  const custom = { group: 'my-group.example.com', version: 'v1alpha1' };
  expect(operationId('create', custom, 'Thing')).toBe('createMyGroupExampleComV1alpha1Thing');
  expect(tagOf(custom)).toBe('myGroupExampleCom_v1alpha1');
});
