import { describe, expect, test } from 'vitest';
import { readText } from '../../../src/api/validation/json-reading.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { CONFIG_MAPS } from '../api-harness.ts';
import { deployment, DEPLOYMENTS, GROUP, PolicyHarness, specFor } from './policy-harness.ts';

function apply(expression: string): JsonObject {
  return { patchType: 'ApplyConfiguration', applyConfiguration: { expression } };
}

function json(expression: string): JsonObject {
  return { patchType: 'JSONPatch', jsonPatch: { expression } };
}

function mutations(resource: string, ...list: readonly JsonObject[]): JsonObject {
  return specFor(resource, { mutations: list });
}

async function dataOf(harness: PolicyHarness, data: JsonObject) {
  const { body } = await harness.create('a', { data });
  return body['data'] ?? body['message'];
}

describe('a mutating policy', () => {
  test('merges lists by their keys, and the object gets its defaults', async () => {
    const harness = await PolicyHarness.open();
    const sidecar = `Object{spec: Object.spec{template: Object.spec.template{
      spec: Object.spec.template.spec{containers: [
        Object.spec.template.spec.containers{name: 'log', image: 'log:' + object.metadata.name}
      ]}}}}`;
    await harness.mutating('m', mutations('deployments.apps', apply(sidecar)));
    const { code, body } = await harness.send('POST', DEPLOYMENTS, deployment('web', 1));
    expect(code).toBe(201);
    const { containers } = (body as never as { spec: { template: { spec: JsonObject } } }).spec
      .template.spec;
    expect(containers).toMatchObject([
      { name: 'web', image: 'web:1' },
      { name: 'log', image: 'log:web', terminationMessagePath: '/dev/termination-log' },
    ]);
  });

  test('applies JSON patches one after the other, with escaped keys', async () => {
    const harness = await PolicyHarness.open();
    const first = json(
      "[JSONPatch{op: 'test', path: '/data/a', value: '1'}, JSONPatch{op: 'add', path: '/metadata/annotations', value: {}}, JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('b.io/c'), value: 'x'}]",
    );
    const second = json(
      "has(object.metadata.annotations) && 'b.io/c' in object.metadata.annotations ? [JSONPatch{op: 'copy', from: '/data/a', path: '/data/d'}, JSONPatch{op: 'remove', path: '/data/a'}] : []",
    );
    await harness.mutating('m', mutations('configmaps', first, second));
    expect(await dataOf(harness, { a: '1' })).toEqual({ d: '1' });
    const other = await harness.create('other', { data: { a: '2' } });
    expect(other.body['data']).toEqual({ a: '2' });
  });

  test('refuses in words when its patch does not fit', async () => {
    const harness = await PolicyHarness.open();
    const message = async (mutation: JsonObject): Promise<unknown> => {
      await harness.mutating('m', mutations('configmaps', mutation));
      const { code, body } = await harness.create('a', { data: { a: '1' } });
      for (const kind of ['policies', 'policybindings']) {
        await harness.send('DELETE', `${GROUP}/mutatingadmission${kind}/m`);
      }
      return `${code} ${readText(body['message'])}`.replace(
        "policy 'm' with binding 'm' denied request: ",
        '',
      );
    };
    expect(await message(apply('Object{nope: 1}'))).toBe(
      '403 error applying patch: failed to convert patch object to typed object: .nope: field not declared in schema',
    );
    expect(await message(apply('Object{metadata: Object.wrong{}}'))).toBe(
      '403 type mismatch: unexpected type name "Object.wrong", expected "Object.metadata", which matches field name path from root Object type',
    );
    expect(await message(json("[JSONPatch{op: 'add', path: '/x/y', value: 1}]"))).toMatch(
      /^403 JSON Patch: add operation does not apply/,
    );
    expect(await message(json("[JSONPatch{op: 'add', path: '/unknown', value: 1}]"))).toMatch(
      /^500 .*unknown field "unknown"/,
    );
  });

  test('may not change a part of what is one value', async () => {
    const harness = await PolicyHarness.open();
    const selector = `Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'b'}}}}`;
    await harness.mutating('m', mutations('deployments.apps', apply(selector)));
    const { body } = await harness.send('POST', DEPLOYMENTS, deployment('web', 1));
    expect(body['message']).toBe(
      "policy 'm' with binding 'm' denied request: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector",
    );
  });

  test('sees what the one before it did, in the order of names', async () => {
    const harness = await PolicyHarness.open();
    const append = (letter: string) =>
      mutations(
        'configmaps',
        json(`[JSONPatch{op: 'replace', path: '/data/log', value: object.data.log + '${letter}'}]`),
      );
    await harness.mutating('b', append('b'));
    await harness.mutating('a', append('a'));
    expect(await dataOf(harness, { log: '' })).toEqual({ log: 'ab' });
  });

  test('is invoked again with IfNeeded if a later one changed the object, and only once', async () => {
    const harness = await PolicyHarness.open();
    const append = (letter: string, reinvocationPolicy: string) => ({
      ...mutations(
        'configmaps',
        json(`[JSONPatch{op: 'replace', path: '/data/log', value: object.data.log + '${letter}'}]`),
      ),
      reinvocationPolicy,
    });
    await harness.mutating('a', append('a', 'IfNeeded'));
    await harness.mutating('b', append('b', 'Never'));
    expect(await dataOf(harness, { log: '' })).toEqual({ log: 'aba' });
  });

  test('has parameters, variables and match conditions, and its changes are validated', async () => {
    const harness = await PolicyHarness.open();
    await harness.tryData('param', { team: 'red team' });
    await harness.mutating(
      'm',
      specFor('configmaps', {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        variables: [{ name: 'team', expression: 'params.data.team' }],
        matchConditions: [{ name: 'c', expression: "!('skip' in object.data)" }],
        mutations: [apply("Object{metadata: Object.metadata{labels: {'team': variables.team}}}")],
      }),
      { paramRef: { name: 'param', namespace: 'default', parameterNotFoundAction: 'Deny' } },
    );
    expect(await harness.tryData('a', { skip: '' })).toBe('201');
    expect(await harness.tryData('c', { x: '' })).toMatch(/^422 .*metadata.labels.*red team/);
    await harness.send('DELETE', `${CONFIG_MAPS}/param`);
    expect(await harness.tryData('c', { x: '' })).toBe(
      "403 policy 'm' with binding 'm' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
    );
  });

  test('of failurePolicy Ignore leaves the object as it is when it fails', async () => {
    const harness = await PolicyHarness.open();
    const spec = mutations(
      'configmaps',
      apply("Object{metadata: Object.metadata{labels: {'a': object.data.nope}}}"),
    );
    await harness.mutating('m', { ...spec, failurePolicy: 'Ignore' });
    expect(await dataOf(harness, { a: '1' })).toEqual({ a: '1' });
  });

  test('changes the Scale of a Deployment through its subresource', async () => {
    const harness = await PolicyHarness.open();
    await harness.send('POST', DEPLOYMENTS, deployment('web', 1));
    await harness.mutating(
      'm',
      mutations('deployments/scale.apps', apply('Object{spec: Object.spec{replicas: 3}}')),
    );
    const scale = await harness.send(
      'PATCH',
      `${DEPLOYMENTS}/web/scale`,
      '{"spec":{"replicas":9}}',
      {
        'content-type': 'application/merge-patch+json',
      },
    );
    expect(scale.body['spec']).toEqual({ replicas: 3 });
  });

  test('cannot be for deletions', async () => {
    const harness = await PolicyHarness.open();
    const rules = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
    const { body } = await harness.send('POST', `${GROUP}/mutatingadmissionpolicies`, {
      metadata: { name: 'm' },
      spec: {
        reinvocationPolicy: 'Never',
        matchConstraints: { resourceRules: [{ ...rules, operations: ['DELETE'] }] },
        mutations: [apply('Object{}')],
      },
    });
    expect(body['message']).toContain(
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    );
  });
});
