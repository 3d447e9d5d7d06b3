/** gnostic-samples.json: documents, and the bytes of gnostic's own encoder in Go. */
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
    'is the same as from gnostic for a document of $version, byte for byte',
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

  test('keeps a key named __proto__', () => {
    const definitions = JSON.parse('{"__proto__":{"type":"string"}}') as JsonObject;
    expect(textsIn(encodeDocument('v3', { components: { schemas: definitions } }))).toContain(
      '__proto__',
    );
  });

  test('has integers beyond 2^53, exact as a count and as a double as a bound', () => {
    const of = (schema: JsonObject): string =>
      Buffer.from(encodeDocument('v2', { definitions: { A: schema } })).toString('hex');
    // The varint of 2^63 - 1, and 2^60 as a double.
    expect(of({ minLength: 2n ** 63n - 1n })).toContain('ffffffffffffffff7f');
    expect(of({ maximum: 2n ** 60n })).toContain('000000000000b043');
  });

  test('leaves out unknown fields', () => {
    expect(encodeDocument('v3', { host: 'example.com' })).toHaveLength(0);
  });
});

function textsIn(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
