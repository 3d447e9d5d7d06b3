import { expect, test } from 'vitest';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { silentLog } from '../../../../test/support/silent-ports.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  validatingAdmissionPolicies as policies,
  validatingAdmissionPolicyBindings as bindings,
} from '../../kinds/extension/admission-policy.ts';
import { builtInKinds } from '../../kinds/built-in-kinds.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { Catalog } from '../../registry/catalog.ts';
import { keyOf } from '../../registry/registry.ts';
import { openMemoryStore } from '../../store/memory-store.ts';
import { collectParams } from './policy-params.ts';
import { PolicySource } from './policy-source.ts';

function open() {
  const store = openMemoryStore({ clock: new VirtualClock(), log: silentLog });
  const catalog = new Catalog(builtInKinds);
  const put = (
    definition: KindDefinition,
    names: readonly string[],
    body: (name: string) => JsonObject,
  ) =>
    store.commit(
      names.map((name) => ({
        key: keyOf({ definition, namespace: definition.namespaced ? 'default' : '', name }),
        make: () => ({ metadata: { name }, ...body(name) }),
      })),
    );
  const compiled: string[] = [];
  const compile = (policy: JsonObject): string => {
    const { name } = policy['metadata'] as { readonly name: string };
    compiled.push(name);
    return name;
  };
  const source = new PolicySource({ store, catalog }, policies, bindings, compile);
  const kind = (group: string, resource: string): KindDefinition => {
    const found = catalog.find(group, 'v1', resource);
    if (!found) throw new Error(`${resource} are not served`);
    return found;
  };
  const hooks = (group: string, resource: string) =>
    source.hooksFor(kind(group, resource)).map(({ policy }) => policy.name);
  return { store, catalog, put, compiled, kind, hooks };
}

function policyFor(group: string, resource: string): JsonObject {
  const rule = {
    apiGroups: [group],
    apiVersions: ['v1'],
    resources: [resource],
    operations: ['*'],
  };
  return { spec: { matchConstraints: { resourceRules: [rule] } } };
}

const bound = (name: string): JsonObject => ({ spec: { policyName: name } });

test('a request looks at the policies of its resource only, however many others there are', async () => {
  const { put, hooks, compiled } = open();
  const others = Array.from({ length: 3000 }, (_, index) => `other${index}`);
  await put(policies, others, () => policyFor('example.com', 'widgets'));
  await put(policies, ['own'], () => policyFor('', 'configmaps'));
  await put(policies, ['part'], () => policyFor('', 'pods/exec'));
  await put(policies, ['all'], () => policyFor('*', '*'));
  await put(bindings, [...others, 'own', 'part', 'all'], bound);
  expect(hooks('', 'configmaps')).toEqual(['all', 'own']);
  expect(hooks('', 'pods')).toEqual(['all', 'part']);
  expect(compiled).toEqual([]);
});

test('a policy counts while it has a binding, and for equivalent kinds, too', async () => {
  const { put, hooks, store } = open();
  await put(policies, ['events'], () => policyFor('events.k8s.io', 'events'));
  expect(hooks('', 'events')).toEqual([]);
  await put(bindings, ['b'], () => bound('events'));
  expect(hooks('', 'events')).toEqual(['events']);
  const key = keyOf({ definition: bindings, namespace: '', name: 'b' });
  await store.commit([{ key, make: null }]);
  expect(hooks('', 'events')).toEqual([]);
});

test('a binding that selects more than a thousand parameters is refused', async () => {
  const { put, store, catalog, kind } = open();
  const names = Array.from({ length: 1001 }, (_, index) => `c${index}`);
  const configMaps = kind('', 'configmaps');
  await put(configMaps, names, () => ({}));
  const collect = (): readonly unknown[] =>
    collectParams(configMaps, { selector: {} }, 'default', { store, catalog });
  expect(collect).toThrow('paramRef.selector selects more than 1000 params');
  const key = keyOf({ definition: configMaps, namespace: 'default', name: 'c0' });
  await store.commit([{ key, make: null }]);
  expect(collect()).toHaveLength(1000);
});
