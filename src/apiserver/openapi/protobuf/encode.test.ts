/** gnostic-samples.json: documents, and the bytes that gnostic's own encoder in Go made of them. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { encodeDocument, type OpenApiVersion } from './encode.ts';
import samples from './gnostic-samples.json' with { type: 'json' };

interface Sample {
  readonly version: OpenApiVersion;
  readonly document: JsonObject;
  readonly hex: string;
}

describe('a document in protobuf', () => {
  test.each(samples as unknown as readonly Sample[])(
    'is what gnostic makes of a document of $version, byte for byte',
    ({ version, document, hex }) => {
      expect(Buffer.from(encodeDocument(version, document)).toString('hex')).toBe(hex);
    },
  );

  test('has an extension as a name and a text of YAML', () => {
    const paths = { '/a': { get: { 'x-kubernetes-action': 'list' } } };
    expect(textsIn(encodeDocument('v2', { paths }))).toContain(
      'x-kubernetes-action\x12\x08\x12\x06"list"',
    );
  });

  test('has the values of an enum as texts of YAML', () => {
    const definitions = { A: { type: 'string', enum: ['Always', 'no'] } };
    const texts = textsIn(encodeDocument('v2', { definitions }));
    expect(texts).toContain('"Always"');
    // Without the quotes, YAML would read false.
    expect(texts).toContain('"no"');
  });

  test('escapes what YAML does not allow in a text', () => {
    const definitions = { A: { example: 'a\u007fb\u2028c' } };
    expect(textsIn(encodeDocument('v2', { definitions }))).toContain('"a\\u007fb\\u2028c"');
  });

  test('takes a key named __proto__ for what it is', () => {
    const definitions = JSON.parse('{"__proto__":{"type":"string"}}') as JsonObject;
    expect(textsIn(encodeDocument('v3', { components: { schemas: definitions } }))).toContain(
      '__proto__',
    );
  });

  test('leaves out what it has no place for', () => {
    expect(encodeDocument('v3', { host: 'example.com' })).toHaveLength(0);
  });
});

function textsIn(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
