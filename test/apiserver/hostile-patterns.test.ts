/** Slow patterns and rules of custom kinds. */
import { expect, test } from 'vitest';
import { textOf } from '../../src/apiserver/objects/metadata.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { ApiHarness } from './api-harness.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const THINGS = '/apis/e.com/v1/namespaces/default/things';

function things(properties: JsonObject): JsonObject {
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  return {
    metadata: { name: 'things.e.com' },
    spec: {
      group: 'e.com',
      names: { plural: 'things', kind: 'Thing' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

test('a pattern whose program is too large is refused with its definition', async () => {
  const harness = await ApiHarness.open();
  const definition = things({ text: { type: 'string', pattern: `(${'a'.repeat(500)}){1000}` } });
  const startedMs = performance.now();
  const { code, body } = await harness.send('POST', DEFINITIONS, definition);
  expect(code).toBe(422);
  expect(body['message']).toContain('expression too large');
  expect(performance.now() - startedMs).toBeLessThan(1000);
});

test('a value that would take too long to match is refused', async () => {
  const harness = await ApiHarness.open();
  const pattern = '([ab]?){900}[ab]{900}$';
  await harness.send('POST', DEFINITIONS, things({ text: { type: 'string', pattern } }));
  await harness.clock.pass(1000);
  const send = (text: string) => harness.send('POST', THINGS, { metadata: { name: 'a' }, text });
  const startedMs = performance.now();
  const { code, body } = await send(`${'a'.repeat(500_000)}!`);
  expect([code, textOf(body['message'])]).toEqual([
    422,
    expect.stringContaining('too long to be matched') as string,
  ]);
  expect(performance.now() - startedMs).toBeLessThan(1000);
  expect(await send('a'.repeat(1000))).toMatchObject({ code: 201 });
});

test('a rule that searches again and again runs out of its budget', async () => {
  const harness = await ApiHarness.open();
  const rule = "self.findAll('a.*z|a').size() > 0";
  const text = { type: 'string', 'x-kubernetes-validations': [{ rule }] };
  const made = await harness.send('POST', DEFINITIONS, things({ text }));
  expect(made.code).toBe(201);
  await harness.clock.pass(1000);
  const startedMs = performance.now();
  const { code, body } = await harness.send('POST', THINGS, {
    metadata: { name: 'a' },
    text: 'a'.repeat(50_000),
  });
  expect(performance.now() - startedMs).toBeLessThan(2000);
  expect([code, textOf(body['message'])]).toEqual([
    422,
    expect.stringContaining('cost limit exceeded') as string,
  ]);
});
