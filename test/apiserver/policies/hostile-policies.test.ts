/** Policies as an attacker would write them, or use them. */
import { describe, expect, test } from 'vitest';
import { AccessHarness } from '../access-harness.ts';
import { GROUP, PolicyHarness, specFor } from './policy-harness.ts';

const POLICIES = `${GROUP}/validatingadmissionpolicies`;
const BINDINGS = `${GROUP}/validatingadmissionpolicybindings`;
const HUNDRED = `[${Array.from({ length: 100 }, (_, index) => index).join(',')}]`;
/** A million steps and more. */
const LONG = `${HUNDRED}.all(a, ${HUNDRED}.all(b, ${HUNDRED}.all(c, a + b + c >= 0)))`;
const CHECK = "authorizer.group('').resource('pods').check('get').allowed()";
/** Takes little time, and two thirds of what one expression may cost. */
const COSTLY = `[1, 2].all(i, ${CHECK})`;

describe('an expression that costs too much', () => {
  test('is stopped, and fails as any other error', async () => {
    const harness = await PolicyHarness.open();
    await harness.validating(specFor('configmaps', { validations: [{ expression: LONG }] }));
    expect(await harness.tryData('a', {})).toContain(
      'resulted in error: operation cancelled: actual cost limit exceeded',
    );
  });

  test('ends its policy if all together cost too much', async () => {
    const harness = await PolicyHarness.open();
    const validations = Array.from({ length: 15 }, () => ({ expression: COSTLY }));
    await harness.validating(specFor('configmaps', { validations }));
    expect(await harness.tryData('a', {})).toContain(
      'denied request: validation failed due to running out of cost budget, no further validation rules will be run',
    );
  });

  test('costs the same in variables and match conditions', async () => {
    const harness = await PolicyHarness.open();
    const names = Array.from({ length: 15 }, (_, index) => `v${index}`);
    await harness.validating(
      specFor('configmaps', {
        variables: names.map((name) => ({ name, expression: COSTLY })),
        validations: [{ expression: names.map((name) => `variables.${name}`).join(' && ') }],
      }),
    );
    expect(await harness.tryData('a', {})).toContain('running out of cost budget');
    await harness.send('DELETE', `${POLICIES}/p`);
    await harness.ok(POLICIES, 'p', {
      ...specFor('configmaps', { validations: [{ expression: 'true' }] }),
      matchConditions: names.map((name) => ({ name, expression: COSTLY })),
    });
    expect(await harness.tryData('a', {})).toContain('running out of cost budget');
  });

  test('is stopped even if each policy alone may go on', async () => {
    const harness = await PolicyHarness.open();
    const validations = Array.from({ length: 14 }, () => ({ expression: COSTLY }));
    for (const name of ['p1', 'p2', 'p3', 'p4']) {
      await harness.ok(POLICIES, name, specFor('configmaps', { validations }));
      const bound = { policyName: name, validationActions: ['Deny'] };
      await harness.ok(BINDINGS, name, bound);
    }
    expect(await harness.tryData('a', {})).toContain(
      "ValidatingAdmissionPolicy 'p4' with binding 'p4' denied request: validation failed due to running out of cost budget",
    );
  });

  test('that reads a failing variable twice, which reads another twice, is evaluated once each', async () => {
    const harness = await PolicyHarness.open();
    const variables = [{ name: 'v0', expression: '1 / 0 == 1' }];
    for (let index = 1; index < 40; index += 1) {
      const before = `variables.v${index - 1}`;
      variables.push({ name: `v${index}`, expression: `${before} || ${before}` });
    }
    const validations = [{ expression: 'variables.v39' }];
    await harness.validating(specFor('configmaps', { variables, validations }));
    expect(await harness.tryData('a', {})).toContain('division by zero');
  });

  test('may ask the authorizer only a few times', async () => {
    const harness = await PolicyHarness.open();
    await harness.validating(
      specFor('configmaps', { validations: [{ expression: `[1, 2, 3].all(i, ${CHECK})` }] }),
    );
    expect(await harness.tryData('a', {})).toContain('actual cost limit exceeded');
  });
});

describe('a policy for everything', () => {
  const everything = {
    apiGroups: ['*'],
    apiVersions: ['*'],
    resources: ['*/*'],
    operations: ['*'],
  };
  const spec = {
    matchConstraints: { resourceRules: [everything] },
    validations: [{ expression: 'false', message: 'nothing may change' }],
  };

  test('does not keep itself, its binding or a webhook configuration', async () => {
    const harness = await PolicyHarness.open();
    await harness.validating(spec);
    expect(await harness.tryData('a', {})).toMatch(/^422 /);
    const path = `${GROUP}/validatingwebhookconfigurations`;
    expect((await harness.send('POST', path, { metadata: { name: 'w' } })).code).toBe(201);
    expect((await harness.send('DELETE', `${path}/w`)).code).toBe(200);
    expect((await harness.send('DELETE', `${BINDINGS}/b`)).code).toBe(200);
    expect((await harness.send('DELETE', `${POLICIES}/p`)).code).toBe(200);
    expect(await harness.tryData('a', {})).toBe('201');
  });

  test('does not refuse reviews of access, which are never stored', async () => {
    const harness = await AccessHarness.open();
    await harness.admin('POST', POLICIES, { metadata: { name: 'p' }, spec });
    const binding = { policyName: 'p', validationActions: ['Deny'] };
    await harness.admin('POST', BINDINGS, { metadata: { name: 'b' }, spec: binding });
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const review = { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } };
    expect((await harness.admin('POST', path, review)).code).toBe(201);
  });
});

describe('parameters that a user may not read', () => {
  const paramKind = { apiVersion: 'v1', kind: 'Secret' };
  const spec = specFor('configmaps', { validations: [{ expression: 'false' }], paramKind });
  const paramRef = { name: 'key', namespace: 'kube-system', parameterNotFoundAction: 'Deny' };
  const binding = { policyName: 'p', validationActions: ['Deny'], paramRef };

  /** Eve may write policies and bindings, and read secrets in `default` only. */
  async function open(): Promise<AccessHarness> {
    const harness = await AccessHarness.open();
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const grant = async (path: string, rules: readonly object[]): Promise<void> => {
      const kind = path.includes('namespaces') ? 'Role' : 'ClusterRole';
      await harness.admin('POST', `${path}/${kind.toLowerCase()}s`, {
        metadata: { name: 'eve' },
        rules,
      } as never);
      await harness.admin('POST', `${path}/${kind.toLowerCase()}bindings`, {
        metadata: { name: 'eve' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: 'eve' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'eve' }],
      });
    };
    const groups = ['admissionregistration.k8s.io'];
    await grant(rbac, [{ apiGroups: groups, resources: ['*'], verbs: ['*'] }]);
    await grant(`${rbac}/namespaces/default`, [
      { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] },
    ]);
    return harness;
  }

  test('cannot be used by a policy', async () => {
    const harness = await open();
    const { code, body } = await harness.as('eve', 'POST', POLICIES, {
      metadata: { name: 'p' },
      spec,
    });
    expect([code, body.message]).toEqual([
      422,
      'ValidatingAdmissionPolicy.admissionregistration.k8s.io "p" is invalid: spec.paramKind: Forbidden: user &{eve  [system:authenticated] map[]} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)',
    ]);
  });

  test('cannot be named by a binding; those that the user may read can', async () => {
    const harness = await open();
    await harness.admin('POST', POLICIES, { metadata: { name: 'p' }, spec });
    const bind = (more: object) =>
      harness.as('eve', 'POST', BINDINGS, {
        metadata: { name: 'b' },
        spec: { ...binding, paramRef: { ...paramRef, ...more } },
      });
    expect((await bind({})).body.message).toContain(
      'spec.paramRef: Forbidden: user &{eve  [system:authenticated] map[]} does not have "get" permission on the object referenced by paramRef',
    );
    expect((await bind({ namespace: '' })).code).toBe(422);
    expect((await bind({ namespace: 'default' })).code).toBe(201);
    const missing = { ...binding, policyName: 'none' };
    const answer = await harness.as('eve', 'POST', BINDINGS, {
      metadata: { name: 'c' },
      spec: missing,
    });
    expect(answer.body.message).toContain('unable to get policy none to determine minimum');
  });
});
