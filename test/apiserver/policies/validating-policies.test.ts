import { describe, expect, test } from 'vitest';
import { CONFIG_MAPS } from '../api-harness.ts';
import { deployment, DEPLOYMENTS, GROUP, PolicyHarness, rule, specFor } from './policy-harness.ts';

const BY = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request:";
const SMALL = { validations: [{ expression: 'object.data.size() < 2', message: 'too much' }] };

function refusal(name: string, why: string): string {
  return `configmaps "${name}" is forbidden: ${BY} ${why}`;
}

describe('a validating policy', () => {
  test('denies what fails, and takes effect and goes with its binding', async () => {
    const harness = await PolicyHarness.open();
    await harness.validating(specFor('configmaps', SMALL));
    expect(await harness.tryData('a', { x: '1' })).toBe('201');
    expect(await harness.tryData('c', { x: '1', y: '2' })).toBe(`422 ${refusal('c', 'too much')}`);
    const patch = await harness.send('PATCH', `${CONFIG_MAPS}/a`, '{"data":{"y":"2"}}', {
      'content-type': 'application/merge-patch+json',
    });
    expect(patch.code).toBe(422);
    await harness.send('DELETE', `${GROUP}/validatingadmissionpolicybindings/b`);
    expect(await harness.tryData('c', { x: '1', y: '2' })).toBe('201');
  });

  test('sees a deletion by its oldObject', async () => {
    const harness = await PolicyHarness.open();
    await harness.validating({
      matchConstraints: { resourceRules: [rule('configmaps', ['DELETE'])] },
      validations: [
        {
          expression: "object == null && !('keep' in oldObject.data)",
          reason: 'Forbidden',
          messageExpression: "request.operation + ' of ' + request.name",
        },
      ],
    });
    await harness.tryData('a', { keep: '1' });
    const { code, body } = await harness.send('DELETE', `${CONFIG_MAPS}/a`);
    expect([code, body['reason'], body['message']]).toEqual([
      403,
      'Forbidden',
      refusal('a', 'DELETE of a'),
    ]);
  });

  test('is for what its rules, exclusions and selectors name, and its binding, too', async () => {
    const harness = await PolicyHarness.open();
    await harness.validating(
      {
        matchConstraints: {
          resourceRules: [{ ...rule('configmaps'), resources: ['*'] }],
          excludeResourceRules: [rule('configmaps', ['*'], { resourceNames: ['free'] })],
          namespaceSelector: { matchLabels: { team: 'blue' } },
        },
        validations: [{ expression: 'false', message: 'no' }],
      },
      { matchResources: { objectSelector: { matchLabels: { strict: 'yes' } } } },
    );
    expect(await harness.tryData('plain', {})).toBe('201');
    expect(await harness.tryData('strict', {}, { strict: 'yes' })).toMatch(/^422 /);
    expect(await harness.tryData('free', {}, { strict: 'yes' })).toBe('201');
    await harness.send('POST', '/api/v1/namespaces', { metadata: { name: 'red' } });
    const metadata = { name: 'strict', labels: { strict: 'yes' } };
    const { code } = await harness.send('POST', '/api/v1/namespaces/red/configmaps', { metadata });
    expect(code).toBe(201);
  });

  test('with matchPolicy Equivalent sees other versions as the one that it names', async () => {
    const harness = await PolicyHarness.open();
    const constraints = { resourceRules: [rule('events.events.k8s.io')] };
    const expression = "object.apiVersion == 'events.k8s.io/v1' && object.note != 'bad'";
    const validations = [{ expression, message: 'bad note' }];
    await harness.validating({ matchConstraints: constraints, validations });
    const event = (name: string, message: string) =>
      harness.send('POST', '/api/v1/namespaces/default/events', {
        metadata: { name },
        involvedObject: { kind: 'Pod', name: 'x', namespace: 'default' },
        message,
      });
    expect((await event('good', 'fine')).code).toBe(201);
    expect((await event('bad', 'bad')).body['message']).toContain('bad note');
    const path = `${GROUP}/validatingadmissionpolicies/p`;
    await harness.send('PATCH', path, '{"spec":{"matchConstraints":{"matchPolicy":"Exact"}}}', {
      'content-type': 'application/merge-patch+json',
    });
    expect((await event('bad', 'bad')).code).toBe(201);
  });

  test('evaluates variables only where they are read, and names the one that fails', async () => {
    const harness = await PolicyHarness.open();
    await harness.validating(
      specFor('configmaps', {
        variables: [
          { name: 'unused', expression: 'object.data.nothing' },
          { name: 'size', expression: 'object.data.size()' },
          { name: 'isSmall', expression: 'variables.size < 2' },
        ],
        validations: [
          { expression: 'variables.isSmall' },
          { expression: "!('ask' in object.data) || variables.unused == 'x'" },
        ],
      }),
    );
    expect(await harness.tryData('a', { x: '1' })).toBe('201');
    expect(await harness.tryData('c', { x: '1', y: '2' })).toContain(
      'denied request: failed expression: variables.isSmall',
    );
    expect(await harness.tryData('d', { ask: '1' })).toContain(
      'resulted in error: composited variable "unused" fails to evaluate: no such key: nothing',
    );
  });

  test('of failurePolicy Ignore lets through what it cannot evaluate or configure', async () => {
    const harness = await PolicyHarness.open();
    await harness.validating(
      specFor('configmaps', {
        failurePolicy: 'Ignore',
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConditions: [{ name: 'c', expression: "object.data.mode != 'off'" }],
        validations: [{ expression: 'object.data.missing == params.data.x' }],
        auditAnnotations: [{ key: 'k', valueExpression: "'x' + object.data.missing" }],
      }),
      { paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } },
    );
    expect(await harness.tryData('a', {})).toBe('201');
    await harness.tryData('none', { x: '1' });
    expect(await harness.tryData('d', { mode: 'on' })).toBe('201');
  });

  test('has match conditions: false decides, an error goes to the failure policy', async () => {
    const harness = await PolicyHarness.open();
    await harness.validating(
      specFor('configmaps', {
        matchConditions: [
          { name: 'has-mode', expression: "object.data.mode == 'strict'" },
          { name: 'named', expression: "request.name != 'free'" },
        ],
        validations: [{ expression: 'false', message: 'no' }],
      }),
    );
    expect(await harness.tryData('a', { mode: 'loose' })).toBe('201');
    expect(await harness.tryData('free', {})).toBe('201');
    expect(await harness.tryData('c', { mode: 'strict' })).toBe(`422 ${refusal('c', 'no')}`);
    const error = "expression 'object.data.mode == 'strict'' resulted in error: no such key: mode";
    expect(await harness.tryData('d', { x: '1' })).toBe(`422 ${refusal('d', error)}`);
  });

  test('sees the namespace, and not for cluster-scoped objects', async () => {
    const harness = await PolicyHarness.open();
    await harness.validating({
      matchConstraints: { resourceRules: [rule('configmaps'), rule('namespaces')] },
      validations: [
        {
          expression:
            "object.kind == 'Namespace' ? namespaceObject == null : namespaceObject.metadata.labels.team == 'blue'",
        },
      ],
    });
    expect(await harness.tryData('a', {})).toBe('201');
    expect(
      (await harness.send('POST', '/api/v1/namespaces', { metadata: { name: 'n' } })).code,
    ).toBe(201);
    expect(
      (await harness.send('POST', '/api/v1/namespaces/n/configmaps', { metadata: { name: 'a' } }))
        .code,
    ).toBe(422);
  });

  test('of a kind of parameters that is not served refuses, and says so', async () => {
    const harness = await PolicyHarness.open();
    await harness.validating(
      specFor('configmaps', {
        paramKind: { apiVersion: 'example.com/v1', kind: 'Limit' },
        validations: [{ expression: 'params.max > 1' }],
      }),
      { paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } },
    );
    expect(await harness.tryData('a', {})).toBe(
      `422 configmaps "a" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'`,
    );
  });
});

describe('parameters', () => {
  const spec = specFor('deployments.apps', {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    validations: [{ expression: 'params == null || object.spec.replicas <= int(params.data.max)' }],
  });

  async function replicas(harness: PolicyHarness, count: number): Promise<number> {
    const body = deployment('web', count);
    return (await harness.send('POST', `${DEPLOYMENTS}?dryRun=All`, body)).code;
  }

  test('are selected by labels, and each one counts', async () => {
    const harness = await PolicyHarness.open();
    const selector = { matchLabels: { limit: 'yes' } };
    await harness.validating(spec, { paramRef: { selector, parameterNotFoundAction: 'Allow' } });
    expect(await replicas(harness, 9)).toBe(201);
    await harness.tryData('five', { max: '5' }, { limit: 'yes' });
    await harness.tryData('three', { max: '3' }, { limit: 'yes' });
    await harness.tryData('other', { max: '0' });
    expect([await replicas(harness, 3), await replicas(harness, 4)]).toEqual([201, 422]);
  });

  test('are in the namespace of the request, unless the binding names another', async () => {
    const harness = await PolicyHarness.open();
    await harness.validating(spec, {
      paramRef: { name: 'limit', parameterNotFoundAction: 'Deny' },
    });
    await harness.send('POST', '/api/v1/namespaces', { metadata: { name: 'limits' } });
    const limit = { metadata: { name: 'limit' }, data: { max: '2' } };
    await harness.send('POST', '/api/v1/namespaces/limits/configmaps', limit);
    expect(await replicas(harness, 1)).toBe(422);
    const path = `${GROUP}/validatingadmissionpolicybindings/b`;
    await harness.send('PATCH', path, '{"spec":{"paramRef":{"namespace":"limits"}}}', {
      'content-type': 'application/merge-patch+json',
    });
    expect([await replicas(harness, 2), await replicas(harness, 3)]).toEqual([201, 422]);
  });

  test('are null for a binding without paramRef', async () => {
    const harness = await PolicyHarness.open();
    await harness.validating(spec);
    expect(await replicas(harness, 9)).toBe(201);
  });

  test('of a namespaced kind need a namespace for cluster-scoped requests', async () => {
    const harness = await PolicyHarness.open();
    await harness.validating(
      specFor('priorityclasses.scheduling.k8s.io', {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        validations: [{ expression: 'true' }],
      }),
      { paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } },
    );
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses';
    const { body } = await harness.send('POST', path, { metadata: { name: 'c' }, value: 1 });
    expect(body['message']).toContain(
      'failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  });
});
