import { expect, test, describe } from 'vitest';

import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import { seededRandom } from '../../platform/seeded-random.ts';
import { aggregatedRules } from '../auth/rbac/aggregation.ts';
import { metadataOf, nameOf } from '../objects/metadata.ts';
import { openMemoryStore } from '../store/memory-store.ts';
import { bootstrapPolicy } from './rbac-bootstrap.ts';
import { nodeRules, policyObjects } from '../auth/rbac/rbac-policy.ts';
import { reconcile } from './rbac-reconciliation.ts';

const PREFIX = '/rbac.authorization.k8s.io/';

function open(): Parameters<typeof bootstrapPolicy>[0] {
  const clock = new VirtualClock();
  const store = openMemoryStore({ clock, log: silentLog });
  return { store, clock, random: seededRandom(1) };
}

describe('the first start', () => {
  test('creates every role and binding, in one commit', async () => {
    const parts = open();
    await bootstrapPolicy(parts);
    expect(parts.store.revision).toBe(1);
    const { objects } = parts.store.list(PREFIX);
    expect(objects).toHaveLength(policyObjects().length);
    const names = objects.map(({ key }) => key.slice(PREFIX.length));
    for (const name of [
      'clusterroles/cluster-admin',
      'clusterroles/system:controller:job-controller',
      'clusterroles/system:kube-scheduler',
      'clusterrolebindings/system:public-info-viewer',
      'roles/kube-system/extension-apiserver-authentication-reader',
      'rolebindings/kube-public/system:controller:bootstrap-signer',
    ]) {
      expect(names).toContain(name);
    }
    for (const { value, key } of objects) {
      expect(metadataOf(value), key).toMatchObject({
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        resourceVersion: '1',
        labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
        annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
      });
    }
  });

  test('leaves nothing to do for the role aggregator', async () => {
    const parts = open();
    await bootstrapPolicy(parts);
    const { objects } = parts.store.list(`${PREFIX}clusterroles/`);
    const roles = objects.map(({ value }) => value);
    for (const role of roles) expect(aggregatedRules(role, roles), nameOf(role)).toBeNull();
    const rulesOf = (name: string): unknown[] =>
      (roles.find((role) => nameOf(role) === name)?.['rules'] ?? []) as unknown[];
    expect(rulesOf('view').length).toBeGreaterThan(5);
    expect(rulesOf('admin').length).toBeGreaterThan(rulesOf('edit').length);
  });
});

describe('the next start', () => {
  test('changes nothing if there were no changes', async () => {
    const parts = open();
    await bootstrapPolicy(parts);
    await bootstrapPolicy(parts);
    expect(parts.store.revision).toBe(1);
  });

  test('restores what was removed, and keeps what was added', async () => {
    const parts = open();
    await bootstrapPolicy(parts);
    const key = `${PREFIX}clusterrolebindings/system:discovery`;
    const role = `${PREFIX}clusterroles/system:basic-user`;
    const extra = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' };
    const change = (at: string, fields: JsonObject): Promise<number> =>
      parts.store.commit([{ key: at, make: () => ({ ...parts.store.get(at)?.value, ...fields }) }]);
    await change(key, { subjects: [extra] });
    await change(role, { rules: [] });
    await parts.store.commit([{ key: `${PREFIX}clusterroles/view`, make: null }]);
    await bootstrapPolicy(parts);
    expect(parts.store.get(key)?.value['subjects']).toMatchObject([
      { name: 'jane' },
      { name: 'system:authenticated' },
    ]);
    expect(parts.store.get(role)?.value['rules']).toHaveLength(3);
    expect(parts.store.get(`${PREFIX}clusterroles/view`)).toBeDefined();
  });
});

describe('a role that users have changed', () => {
  const expected = {
    metadata: { name: 'r', labels: { a: '1' }, annotations: {} },
    rules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }],
  };
  const AUTO = 'rbac.authorization.kubernetes.io/autoupdate';

  test('is left alone if autoupdate is off', () => {
    const existing = { ...expected, rules: [], metadata: { annotations: { [AUTO]: 'false' } } };
    expect(reconcile(existing, expected)).toBe(existing);
  });

  test('gets single permissions that are missing, and its labels', () => {
    const rules = [{ verbs: ['get'], apiGroups: ['', 'apps'], resources: ['pods'] }];
    const existing = { ...expected, rules, metadata: { name: 'r', labels: { a: '2', b: '3' } } };
    expect(reconcile(existing, expected)).toMatchObject({
      metadata: { labels: { a: '2', b: '3' } },
      rules: [...rules, { verbs: ['list'], apiGroups: [''], resources: ['pods'] }],
    });
  });

  test('aggregates no others if it should not', () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const gathering = { ...expected, aggregationRule };
    expect(reconcile(gathering, expected)).not.toHaveProperty('aggregationRule');
    expect(reconcile(expected, gathering)).toMatchObject({ aggregationRule });
    expect(reconcile(gathering, gathering)).toBe(gathering);
  });
});

test('a binding to another role is deleted and created again', () => {
  const binding = (name: string): JsonObject => ({ metadata: { name: 'b' }, roleRef: { name } });
  expect(reconcile(binding('a'), binding('b'))).toBeNull();
});

test('kubelets may do with services what their role says', () => {
  expect(nodeRules()).toContainEqual(
    expect.objectContaining({ resources: ['services'], verbs: ['get', 'list', 'watch'] }),
  );
});
