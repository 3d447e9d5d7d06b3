/** The steps of Kubernetes' own end-to-end tests of admission policies, in their order. */
import { describe, expect, test } from 'vitest';
import { readText } from '../../../src/api/validation/json-reading.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { ControllerHarness } from '../controllers/controller-harness.ts';
import { deployment, DEPLOYMENTS, GROUP, PolicyHarness, rule } from './policy-harness.ts';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const UNIQUE = { matchLabels: { team: 'blue' } };
const REPLICA_SETS = '/apis/apps/v1/namespaces/default/replicasets';

function replicaSet(name: string): JsonObject {
  const { spec } = deployment(name, 1);
  return { metadata: { name }, spec: spec ?? null };
}

function onDeployments(more: JsonObject): JsonObject {
  const constraints = { namespaceSelector: UNIQUE, resourceRules: [rule('deployments.apps')] };
  return { matchConstraints: constraints, ...more };
}

describe('ValidatingAdmissionPolicy', () => {
  test('should validate against a Deployment', async () => {
    const harness = await PolicyHarness.open();
    const validations = [
      {
        expression: 'object.spec.replicas > 1',
        messageExpression: "'wants replicas > 1, got ' + object.spec.replicas",
      },
      {
        expression: "namespaceObject.metadata.name == 'default'",
        message: 'Internal error! Other namespace should not be allowed.',
      },
    ];
    await harness.validating(onDeployments({ validations }), {
      matchResources: { namespaceSelector: UNIQUE },
    });
    const marker = await harness.send('POST', DEPLOYMENTS, deployment('marker-deployment', 1));
    expect([marker.code, marker.body['reason']]).toEqual([422, 'Invalid']);
    expect((await harness.send('POST', DEPLOYMENTS, deployment('replicated', 2))).code).toBe(201);
    expect((await harness.send('POST', REPLICA_SETS, replicaSet('non-replicated'))).code).toBe(201);
  });

  test('should allow expressions to refer variables', async () => {
    const harness = await PolicyHarness.open();
    const variables = [
      { name: 'replicas', expression: 'object.spec.replicas' },
      { name: 'oddReplicas', expression: 'variables.replicas % 2 == 1' },
    ];
    const validations = [
      { expression: 'variables.replicas > 1' },
      { expression: 'variables.oddReplicas' },
    ];
    await harness.validating(onDeployments({ variables, validations }));
    const codes = [1, 2, 3].map(
      async (count) =>
        (await harness.send('POST', DEPLOYMENTS, deployment(`d${count}`, count))).code,
    );
    expect(await Promise.all(codes)).toEqual([422, 422, 201]);
    expect((await harness.send('POST', REPLICA_SETS, replicaSet('non-replicated'))).code).toBe(201);
  });

  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'crontabs.stable.example.com' },
    spec: {
      group: 'stable.example.com',
      scope: 'Namespaced',
      names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
              },
            },
          },
        },
      ],
    },
  };

  test('should type check validation expressions, of a CRD, too', async () => {
    const harness = await ControllerHarness.open({ controllers: ['policy-status'] });
    await harness.make(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      crd.metadata.name,
      {
        spec: crd.spec,
      },
    );
    const statusOf = async (name: string, resource: string, validations: readonly JsonObject[]) => {
      const spec = { matchConstraints: { resourceRules: [rule(resource)] }, validations };
      const path = `${GROUP}/validatingadmissionpolicies`;
      await harness.make(path, name, { spec });
      await harness.settle();
      const { body } = await harness.get(`${path}/${name}`);
      return body['status'];
    };
    const correct = [
      { expression: "object.spec.replicas > 1 && object.metadata.labels['a'] == 'b'" },
    ];
    for (const resource of ['deployments.apps', 'crontabs.stable.example.com']) {
      expect(await statusOf(`correct.${resource}`, resource, correct)).toEqual({
        observedGeneration: 1,
        typeChecking: {},
      });
    }
    const confused = [
      {
        expression: "object.spec.replicas > '1'",
        messageExpression: "'wants replicas > 1, got ' + object.spec.replicas",
      },
    ];
    expect(await statusOf('confused', 'deployments.apps', confused)).toMatchObject({
      typeChecking: {
        expressionWarnings: [
          {
            fieldRef: 'spec.validations[0].expression',
            warning: expect.stringContaining(
              "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'",
            ),
          },
          {
            fieldRef: 'spec.validations[0].messageExpression',
            warning: expect.stringContaining(
              "found no matching overload for '_+_' applied to '(string, int)'",
            ),
          },
        ],
      },
    });
    const missing = [
      { expression: "object.spec.replicas > '1'" },
      { expression: 'object.spec.maxRetries < 10' },
    ];
    expect(await statusOf('missing', 'crontabs.stable.example.com', missing)).toMatchObject({
      typeChecking: {
        expressionWarnings: [
          { warning: expect.stringContaining("applied to '(int, string)'") },
          {
            fieldRef: 'spec.validations[1].expression',
            warning: expect.stringContaining("undefined field 'maxRetries'"),
          },
        ],
      },
    });
    await harness.stop();
  });
});

describe('MutatingAdmissionPolicy', () => {
  test.each([
    [`Object{ metadata: Object.metadata{ annotations: { "mutated-by": "admission-policy" } } }`],
    ['Object{spec: Object.spec{replicas: 1337}}'],
  ])('should mutate a Deployment: %s', async (expression) => {
    const harness = await PolicyHarness.open();
    const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }];
    await harness.mutating('m', onDeployments({ mutations }), {
      matchResources: { namespaceSelector: UNIQUE },
    });
    const { body } = await harness.send('POST', DEPLOYMENTS, deployment('marker-deployment', 1));
    const isSpec = expression.includes('1337');
    expect(isSpec ? body['spec'] : body.metadata).toMatchObject(
      isSpec ? { replicas: 1337 } : { annotations: { 'mutated-by': 'admission-policy' } },
    );
  });
});

const EXAMPLE_MUTATION = {
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression: 'Object{spec: Object.spec{replicas: 100}}' },
};

test.each([
  [
    'validatingadmissionpolicies',
    onDeployments({ validations: [{ expression: 'object.spec.replicas <= 100' }] }),
    { failurePolicy: 'Ignore' },
  ],
  [
    'validatingadmissionpolicybindings',
    { policyName: 'replicalimit-policy.example.com', validationActions: ['Deny'] },
    { validationActions: ['Warn'] },
  ],
  [
    'mutatingadmissionpolicies',
    onDeployments({ reinvocationPolicy: 'Never', mutations: [EXAMPLE_MUTATION] }),
    { reinvocationPolicy: 'IfNeeded' },
  ],
  ['mutatingadmissionpolicybindings', { policyName: 'policy' }, { policyName: 'policy-2' }],
])('%s support the operations of the API', async (resource, spec, changed) => {
  const harness = await PolicyHarness.open();
  const { body: discovery } = await harness.send('GET', GROUP);
  expect(JSON.stringify(discovery['resources'])).toContain(`"name":"${resource}"`);
  const path = `${GROUP}/${resource}`;
  const metadata = { generateName: 'e2e-example-', labels: { example: 'yes' } };
  const names: string[] = [];
  for (let count = 0; count < 3; count++) {
    const made = await harness.send('POST', path, { metadata, spec });
    expect([made.code, made.warnings]).toEqual([201, null]);
    names.push(readText(made.body.metadata['name']));
  }
  const own = `${path}/${names[0]}`;
  const { body: list } = await harness.send('GET', `${path}?labelSelector=example=yes`);
  expect(list['items']).toHaveLength(3);
  const from = readText(list.metadata['resourceVersion']);
  const { events } = await harness.watch(`&resourceVersion=${from}`, `${path}?watch=1`);
  const patch = JSON.stringify({ metadata: { annotations: { patched: 'true' } }, spec: changed });
  const patched = await harness.send('PATCH', own, patch, MERGE);
  expect([patched.code, patched.body.metadata['annotations']]).toEqual([200, { patched: 'true' }]);
  expect(patched.body['spec']).toMatchObject(changed);
  expect(patched.body.metadata['generation']).toBe(2);
  const updated = { ...patched.body, metadata: { ...patched.body.metadata, annotations: {} } };
  expect((await harness.send('PUT', own, updated)).code).toBe(200);
  expect((await harness.send('DELETE', own)).code).toBe(200);
  expect((await harness.send('GET', own)).code).toBe(404);
  expect((await harness.send('DELETE', `${path}?labelSelector=example=yes`)).code).toBe(200);
  expect((await harness.send('GET', path)).body['items']).toEqual([]);
  expect(events.map(({ type }) => type).filter((type) => type === 'DELETED')).toHaveLength(3);
});

test('the status of a ValidatingAdmissionPolicy is patched and read by itself', async () => {
  const harness = await PolicyHarness.open();
  const validations = [{ expression: 'true' }];
  await harness.validating(onDeployments({ validations }));
  const own = `${GROUP}/validatingadmissionpolicies/p/status`;
  const conditions = [
    {
      type: 'PatchStatusFailed',
      status: 'False',
      reason: 'e2e',
      message: 'Set from an e2e test',
      lastTransitionTime: '2026-01-02T03:04:05Z',
    },
  ];
  const answer = await harness.send(
    'PATCH',
    own,
    JSON.stringify({ status: { conditions } }),
    MERGE,
  );
  expect([answer.code, answer.body['status']]).toEqual([200, { conditions }]);
  expect((await harness.send('GET', own)).body['status']).toEqual({ conditions });
  const typeChecking = { expressionWarnings: [{ fieldRef: '', warning: '' }] };
  const wrong = await harness.send(
    'PATCH',
    own,
    JSON.stringify({ status: { typeChecking } }),
    MERGE,
  );
  expect(wrong.body['message']).toContain(
    'status.typeChecking.expressionWarnings[0].warning: Required value',
  );
});
