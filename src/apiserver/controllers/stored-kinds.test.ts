import { expect, test } from 'vitest';
import { Catalog } from '../registry/catalog.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { events, groupEvents } from '../kinds/core/event.ts';
import { deployments } from '../kinds/apps/deployment.ts';
import { pods } from '../kinds/core/pods.ts';
import { readKey } from './object-key.ts';
import { kindOfReference, storedKinds, targetOfKey } from './stored-kinds.ts';

const catalog = new Catalog([groupEvents, events, pods, deployments]);

test('a key has resource, namespace and name', () => {
  expect(readKey('/core/pods/default/web')).toEqual({
    group: '',
    resource: 'pods',
    namespace: 'default',
    name: 'web',
  });
  expect(readKey('/rbac.authorization.k8s.io/clusterroles/r')).toEqual({
    group: 'rbac.authorization.k8s.io',
    resource: 'clusterroles',
    namespace: '',
    name: 'r',
  });
});

test('the kind of a key is found by the version of the object, or else by any served version', () => {
  const key = '/apps/deployments/default/web';
  const known = targetOfKey(catalog, key, { apiVersion: 'apps/v1' });
  expect(known).toMatchObject({ definition: deployments, namespace: 'default', name: 'web' });
  expect(targetOfKey(catalog, key, { apiVersion: 'apps/v0' })?.definition).toBe(deployments);
  expect(targetOfKey(catalog, '/example.com/widgets/default/w', {})).toBeUndefined();
});

test('a reference means a kind in one version', () => {
  expect(kindOfReference(catalog, 'v1', 'Pod')).toBe(pods);
  expect(kindOfReference(catalog, 'apps/v1', 'Deployment')).toBe(deployments);
  expect(kindOfReference(catalog, 'apps/v2', 'Deployment')).toBeUndefined();
  expect(kindOfReference(catalog, 'v1', 'Deployment')).toBeUndefined();
});

test('two kinds with the same stored objects are listed once, as the kind that stores them', () => {
  expect(storedKinds(catalog)).toEqual([events, pods, deployments]);
});

test('kinds that lack a required verb are left out', () => {
  const readOnly: KindDefinition = { ...pods, resource: 'views', verbs: ['get'] };
  const all = new Catalog([pods, readOnly]);
  expect(storedKinds(all, ['delete'])).toEqual([pods]);
});
