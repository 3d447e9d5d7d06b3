import { expect, it } from 'vitest';
import { storageVersionHash } from './storage-version-hash.ts';

it.each([
  ['', 'ConfigMap', 'qFsyl6wFWjQ='],
  ['', 'Event', 'r2yiGXH7wu8='],
  ['apps', 'Deployment', '8aSe+NMegvE='],
  ['coordination.k8s.io', 'Lease', 'gqkMMb/YqFM='],
  ['rec-crd.example.com', 'Ship', 'mZA6zmckuJQ='],
  ['apiextensions.k8s.io', 'CustomResourceDefinition', 'jfWCUB31mvA='],
])(
  'a kind of group %j called %s has the hash that kube-apiserver publishes',
  (group, kind, hash) => {
    expect(storageVersionHash({ group, version: 'v1', kind })).toBe(hash);
  },
);
