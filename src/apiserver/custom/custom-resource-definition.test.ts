import { describe, expect, test } from 'vitest';
import { cronTabs } from '../../../test/apiserver/custom-definitions.ts';
import { ApiHarness } from '../../../test/apiserver/api-harness.ts';
import { encodeProtobuf } from '../../api/protobuf/encode.ts';
import type { JsonObject } from '../../lib/json.ts';
import { hold } from '../requests/body.ts';
import { customResourceDefinitions } from './custom-resource-definition.ts';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function withSpec(schema: JsonObject): JsonObject {
  const text = JSON.stringify(cronTabs());
  const crd = JSON.parse(text) as { spec: { versions: { schema: { openAPIV3Schema: object } }[] } };
  const [version] = crd.spec.versions;
  if (version) {
    version.schema.openAPIV3Schema = { type: 'object', properties: { spec: schema } };
  }
  return crd as unknown as JsonObject;
}

function held(crd: JsonObject): { readonly text: string; readonly warnings: readonly string[] } {
  const { object, warnings } = hold({ value: crd }, customResourceDefinitions, 'Warn');
  return { text: JSON.stringify(object), warnings };
}

describe('a body', () => {
  test('keeps schemas within schemas, wherever they are', () => {
    const spec = {
      type: 'array',
      items: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
    };
    const { text, warnings } = held(withSpec(spec));
    expect(text).toContain(JSON.stringify(spec));
    expect(warnings).toEqual([]);
  });

  test('loses unknown fields of schemas, of which Go reports only those it decodes itself', () => {
    const spec = { type: 'array', strange: 1, items: { type: 'string', hidden: 1 } };
    const { text, warnings } = held(withSpec(spec));
    expect(text).not.toMatch(/strange|hidden/);
    expect(warnings).toEqual([
      'unknown field "spec.versions[0].schema.openAPIV3Schema.properties.spec.strange"',
    ]);
  });

  test('may be protobuf, as kubectl sends it', async () => {
    const harness = await ApiHarness.open();
    const request = new Request(`http://podkeep${PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
      body: Buffer.from(encodeProtobuf(cronTabs())),
    });
    const response = await harness.server.fetch(request);
    expect(response.status).toBe(201);
    const { body } = await harness.send('GET', `${PATH}/crontabs.stable.example.com`);
    expect(body['spec']).toMatchObject(cronTabs()['spec'] as JsonObject);
  });
});

describe('a definition', () => {
  test('with an unchecked format is accepted with a warning', async () => {
    const harness = await ApiHarness.open();
    const answer = await harness.send(
      'POST',
      PATH,
      withSpec({ type: 'string', format: 'zip-code' }),
    );
    expect(answer.code).toBe(201);
    expect(answer.warnings).toBe('299 - "unrecognized format \\"zip-code\\""');
  });

  test('whose rules do not compile is refused, with their position', async () => {
    const harness = await ApiHarness.open();
    const rule = { rule: 'self.size() > nothing' };
    const crd = withSpec({ type: 'string', 'x-kubernetes-validations': [rule] });
    const { code, body } = await harness.send('POST', PATH, crd);
    expect(code).toBe(422);
    expect((body as { message?: string }).message).toContain(
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: ' +
        'Invalid value: {"Rule":"self.size() > nothing","Message":"","MessageExpression":"",' +
        '"Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ' +
        "ERROR: <input>:1:15: undeclared reference to 'nothing' (in container '')",
    );
  });

  test('keeps every version in which objects may be stored', async () => {
    const harness = await ApiHarness.open();
    await harness.send('POST', PATH, cronTabs());
    const name = `${PATH}/crontabs.stable.example.com`;
    const patch = (versions: JsonObject[]) =>
      harness.send(
        'PATCH',
        name,
        { spec: { versions } },
        {
          'content-type': 'application/merge-patch+json',
        },
      );
    const spec = cronTabs()['spec'] as { versions: JsonObject[] };
    const [v1 = {}] = spec.versions;
    const v2 = { ...v1, name: 'v2' };
    const moved = await patch([{ ...v1, storage: false }, v2]);
    expect(moved.body['status']).toMatchObject({ storedVersions: ['v1', 'v2'] });
    const dropped = await patch([v2]);
    expect((dropped.body as { message?: string }).message).toContain(
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was ' +
        'previously a storage version',
    );
  });
});
