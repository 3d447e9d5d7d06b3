/** The index gives the same answers as a plain reading of all roles and bindings. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { silentLog } from '../../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Attributes, User } from '../../objects/access.ts';
import { readText } from '../../../api/validation/json-reading.ts';
import { openMemoryStore } from '../../store/memory-store.ts';
import { readRules, ruleAllows } from './policy-rule.ts';
import { RbacAuthorizer } from './rbac-authorizer.ts';
import { RbacIndex } from './rbac-index.ts';

const PREFIX = '/rbac.authorization.k8s.io/';
/** Few of everything, so that roles, bindings and users match often. */
const NAMES = ['a', '__proto__'];
const PLACES = ['x', 'y'];
const GROUPS = ['dev', 'constructor'];
const USERS = ['jane', 'system:serviceaccount:x:a'];

const name = fc.constantFrom(...NAMES);
const place = fc.constantFrom(...PLACES);

const rule = fc.oneof(
  fc.constant({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }),
  fc.record({
    verbs: fc.subarray(['get', 'list', '*'], { minLength: 1 }),
    apiGroups: fc.subarray(['', 'apps', '*'], { minLength: 1 }),
    resources: fc.subarray(['pods', 'pods/log', '*/log', '*'], { minLength: 1 }),
    resourceNames: fc.subarray(['web', 'db']),
  }),
  fc.record({
    verbs: fc.subarray(['get', '*'], { minLength: 1 }),
    nonResourceURLs: fc.subarray(['/a', '/a/*', '*'], { minLength: 1 }),
  }),
);

const subject = fc.oneof(
  fc.record({ kind: fc.constant('User'), name: fc.constantFrom(...USERS) }),
  fc.record({ kind: fc.constant('Group'), name: fc.constantFrom(...GROUPS) }),
  fc.record({ kind: fc.constant('ServiceAccount'), name, namespace: place }),
  fc.record({ kind: fc.constant('ServiceAccount'), name }),
);

const roleRef = fc.record({ kind: fc.constantFrom('Role', 'ClusterRole'), name });
const rules = fc.array(rule, { minLength: 1, maxLength: 2 });
const subjects = fc.array(subject, { minLength: 1, maxLength: 3 });

interface Write {
  readonly key: string;
  /** Null: it is deleted. */
  readonly value: JsonObject | null;
}

function writes(
  resource: string,
  isNamespaced: boolean,
  body: fc.Arbitrary<JsonObject>,
): fc.Arbitrary<Write> {
  const where = isNamespaced ? place : fc.constant('');
  return fc
    .tuple(where, name, fc.option(body, { freq: 2 }))
    .map(([namespace, of, fields]): Write => {
      const key = `${PREFIX}${resource}/${namespace === '' ? '' : `${namespace}/`}${of}`;
      const metadata = { name: of, ...(namespace !== '' && { namespace }) };
      return { key, value: fields && { metadata, ...fields } };
    });
}

const write = fc.oneof(
  writes('roles', true, fc.record({ rules })),
  writes('clusterroles', false, fc.record({ rules })),
  writes('rolebindings', true, fc.record({ roleRef, subjects })),
  writes('clusterrolebindings', false, fc.record({ roleRef, subjects })),
);

const attributes: fc.Arbitrary<Attributes> = fc.oneof(
  fc.record({
    verb: fc.constantFrom('get', 'list', 'watch'),
    group: fc.constantFrom('', 'apps'),
    version: fc.constant('v1'),
    resource: fc.constantFrom('pods', 'nodes'),
    subresource: fc.constantFrom('', 'log'),
    namespace: fc.constantFrom('', ...PLACES),
    name: fc.constantFrom('', 'web', 'other'),
  }),
  fc.record({ verb: fc.constantFrom('get', 'post'), path: fc.constantFrom('/a', '/a/b', '/c') }),
);

const user: fc.Arbitrary<User> = fc.record({
  name: fc.constantFrom(...USERS),
  groups: fc.subarray(GROUPS),
});

/** Every binding, every subject, every rule: no index. */
function isAllowedPlainly(
  objects: ReadonlyMap<string, JsonObject>,
  who: User,
  wanted: Attributes,
): boolean {
  const namespace = 'path' in wanted ? '' : wanted.namespace;
  return [...objects].some(([key, binding]) => {
    const [, , resource = '', ...rest] = key.split('/');
    const isLocal = resource === 'rolebindings';
    if (!isLocal && resource !== 'clusterrolebindings') return false;
    const bound = isLocal ? (rest[0] ?? '') : '';
    if (isLocal && bound !== namespace) return false;
    const isMeant = (binding['subjects'] as readonly JsonObject[]).some((one) => {
      if (one['kind'] === 'User') return one['name'] === who.name;
      if (one['kind'] === 'Group') return who.groups.includes(readText(one['name']));
      const home = readText(one['namespace']) || bound;
      return home !== '' && who.name === `system:serviceaccount:${home}:${readText(one['name'])}`;
    });
    const { kind, name: roleName } = binding['roleRef'] as JsonObject;
    const roleKey =
      kind === 'Role'
        ? `${PREFIX}roles/${bound}/${readText(roleName)}`
        : `${PREFIX}clusterroles/${readText(roleName)}`;
    const role = objects.get(roleKey);
    return isMeant && role !== undefined && readRules(role).some((one) => ruleAllows(one, wanted));
  });
}

test('a service account that is bound without a namespace is that of the binding', async () => {
  const store = openMemoryStore({ clock: new VirtualClock(), log: silentLog });
  const authorizer = new RbacAuthorizer(new RbacIndex(store));
  const all = { rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] };
  const subject = { kind: 'ServiceAccount', name: 'a' };
  const binding = { roleRef: { kind: 'ClusterRole', name: 'all' }, subjects: [subject] };
  const wanted = { verb: 'get', group: '', version: 'v1', resource: 'pods', subresource: '' };
  const ask = (account: string): ReturnType<RbacAuthorizer['authorize']> => {
    const who = { name: `system:serviceaccount:${account}`, groups: [] };
    return authorizer.authorize(who, { ...wanted, namespace: 'x', name: '' });
  };
  await store.commit([
    { key: `${PREFIX}clusterroles/all`, make: () => ({ metadata: { name: 'all' }, ...all }) },
    {
      key: `${PREFIX}rolebindings/x/b`,
      make: () => ({ metadata: { name: 'b', namespace: 'x' }, ...binding }),
    },
    // In a ClusterRoleBinding, it matches no user.
    {
      key: `${PREFIX}clusterrolebindings/b`,
      make: () => ({ metadata: { name: 'b' }, ...binding }),
    },
  ]);
  expect(ask('x:a')).toEqual({
    isAllowed: true,
    reason: 'RBAC: allowed by RoleBinding "b/x" of ClusterRole "all" to ServiceAccount "a/x"',
  });
  expect(ask('y:a').isAllowed).toBe(false);
  expect(ask(':a').isAllowed).toBe(false);
});

test('the index allows the same as a plain reading of all objects, after every write', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(write, { minLength: 8, maxLength: 40 }),
      fc.nat({ max: 8 }),
      fc.array(fc.tuple(user, attributes), { minLength: 1, maxLength: 8 }),
      async (changes, early, questions) => {
        const store = openMemoryStore({ clock: new VirtualClock(), log: silentLog });
        const model = new Map<string, JsonObject>();
        const apply = async ({ key, value }: Write): Promise<void> => {
          await store.commit([{ key, make: value && (() => value) }]);
          if (value) model.set(key, value);
          else model.delete(key);
        };
        for (const change of changes.slice(0, early)) await apply(change);
        const authorizer = new RbacAuthorizer(new RbacIndex(store));
        for (const change of [null, ...changes.slice(early)]) {
          if (change) await apply(change);
          for (const [who, wanted] of questions) {
            const { isAllowed } = authorizer.authorize(who, wanted);
            expect(isAllowed).toBe(isAllowedPlainly(model, who, wanted));
          }
        }
      },
    ),
    { numRuns: 100 },
  );
});
