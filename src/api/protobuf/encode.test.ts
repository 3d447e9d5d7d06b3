import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../lib/json.ts';
import { structOf } from '../schema/schema.ts';
import { decodeProtobuf } from './decode.ts';
import { encodeMessage, encodeProtobuf } from './encode.ts';

interface Sample {
  readonly apiVersion: string;
  readonly kind: string;
  readonly protobuf: string;
  readonly json: JsonObject;
  /** What Go writes of the JSON, if it is not what the JSON was printed from. */
  readonly rewritten?: string;
  /** A message without its envelope. */
  readonly bare?: true;
}

// Not imported: a bundler would make `__proto__` in it the prototype.
const { samples } = JSON.parse(
  readFileSync(new URL('./go-samples.generated.json', import.meta.url), 'utf8'),
) as { readonly samples: readonly Sample[] };

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const written = (type: string, object: JsonObject): string =>
  hexOf(encodeMessage(structOf(type), object));
const failure = (code: string, part = ''): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(part) });

describe('what Go would write', () => {
  test.each(samples)('$apiVersion $kind is written byte for byte', (sample) => {
    const { kind, json, protobuf, rewritten = protobuf, bare } = sample;
    const bytes = bare ? encodeMessage(structOf(`meta/v1.${kind}`), json) : encodeProtobuf(json);
    expect(hexOf(bytes)).toBe(Buffer.from(rewritten, 'base64').toString('hex'));
  });
});

describe('fields', () => {
  test('what is no pointer is always written, and a pointer when it is there', () => {
    expect(written('core/v1.Probe', {})).toBe('0a0010001800200028003000');
    expect(written('core/v1.Probe', { terminationGracePeriodSeconds: 0 })).toMatch(/3800$/);
    expect(written('core/v1.Probe', { terminationGracePeriodSeconds: null })).not.toMatch(/3800$/);
  });

  test('null is the same as nothing', () => {
    const nothing = { metadata: null, spec: { containers: null, nodeName: null }, status: null };
    expect(written('core/v1.Pod', nothing)).toBe(written('core/v1.Pod', {}));
  });

  test('null in a list is a zero in it', () => {
    expect(written('core/v1.ExecAction', { command: ['a', null] })).toBe('0a01610a00');
    expect(written('core/v1.PodIP', {})).toBe('0a00');
    expect(
      written('core/v1.ContainerUser', { linux: { uid: 0, gid: 0, supplementalGroups: [null] } }),
    ).toBe('0a06080010001800');
  });

  test('empty bytes are written, missing ones are not, in a map or elsewhere', () => {
    const type = 'certificates/v1.CertificateSigningRequestSpec';
    expect(written(type, { request: '' })).toMatch(/^0a00/);
    expect(written(type, { request: null })).not.toMatch(/^0a/);
    const data = (value: Json): string => written('core/v1.Secret', { data: { a: value } });
    expect(data('')).toContain('12050a01611200');
    expect(data(null)).toContain('12030a0161');
  });

  test('the entries of a map are sorted by their bytes, not by their UTF-16', () => {
    const labels = { b: '1', a: '2', '\uFFFF': '3', '\u{10000}': '4', '': '5' };
    const keys = decodeProtobuf(
      encodeProtobuf({ apiVersion: 'v1', kind: 'ConfigMap', data: labels }),
    ).object['data'];
    expect(Object.keys(keys as JsonObject)).toEqual(['', 'a', 'b', '\uFFFF', '\u{10000}']);
  });

  test('keys of the prototype are plain keys', () => {
    const data = JSON.parse('{"__proto__":"p","constructor":"c"}') as JsonObject;
    const { object } = decodeProtobuf(
      encodeProtobuf({ apiVersion: 'v1', kind: 'ConfigMap', data }),
    );
    expect(JSON.stringify(object['data'])).toBe('{"__proto__":"p","constructor":"c"}');
  });

  test('what an object inherits is not written', () => {
    const object = Object.create({ name: 'inherited' }) as JsonObject;
    expect(written('core/v1.LocalObjectReference', object)).toBe('0a00');
  });

  test('unknown fields are left out', () => {
    expect(written('core/v1.PodIP', { ip: 'a', port: 1 })).toBe('0a0161');
  });

  test('the first second of the year 1 is no time', () => {
    const time = (value: string): string =>
      written('authentication/v1.TokenRequestStatus', { expirationTimestamp: value });
    expect(time('0001-01-01T00:00:00Z')).toBe('0a001200');
    expect(time('0001-01-01T00:00:00.5Z')).not.toBe('0a001200');
    expect(time('0001-01-01T00:00:00.0000005Z')).not.toBe('0a001200');
    expect(time('1970-01-01T00:00:00Z')).toBe('0a00120408001000');
    expect(time('1970-01-01T01:00:01.9+01:00')).toBe('0a00120408011000');
  });

  test('a quantity is written in its canonical form, and a number is one (Q-1)', () => {
    const limit = (value: Json): string =>
      written('core/v1.ResourceRequirements', { limits: { a: value } });
    expect(limit('1.5Gi')).toBe(limit('1536Mi'));
    expect(limit(1.5)).toBe(limit('1500m'));
    expect(limit(null)).toBe(limit('0'));
  });
});

describe('values that do not fit their field', () => {
  test.each<[string, JsonObject, string]>([
    ['core/v1.Container', { image: 1 }, 'core/v1.Container.image must be a string'],
    ['core/v1.Container', { stdin: 'yes' }, 'stdin must be true or false'],
    ['core/v1.Container', { ports: {} }, 'ports must be a list'],
    ['core/v1.Container', { ports: [1] }, 'ports must be an object'],
    ['core/v1.Container', { resources: [] }, 'resources must be an object'],
    ['core/v1.Container', { ports: [{ containerPort: 1.5 }] }, 'ContainerPort.containerPort'],
    ['core/v1.ContainerPort', { containerPort: '80' }, 'must be an integer'],
    ['core/v1.ContainerPort', { containerPort: 2 ** 31 }, 'must be between'],
    ['meta/v1.ObjectMeta', { generation: 2 ** 53 }, 'must be between'],
    ['meta/v1.ObjectMeta', { labels: [] }, 'labels must be an object'],
    ['meta/v1.ObjectMeta', { labels: { a: 1 } }, 'labels must be a string'],
    ['meta/v1.ObjectMeta', { creationTimestamp: 5 }, 'creationTimestamp must be a time'],
    ['core/v1.Secret', { data: { a: 'no base64' } }, 'data must be a string of base64'],
    ['core/v1.ResourceRequirements', { limits: { a: true } }, 'limits must be a quantity'],
    ['core/v1.TCPSocketAction', { port: true }, 'port must be an integer or a string'],
    ['core/v1.TCPSocketAction', { port: 1.5 }, 'port must be an integer'],
    ['meta/v1.APIResource', { verbs: 'get' }, 'verbs must be a list'],
    ['apiextensions/v1.JSONSchemaProps', { maximum: 'x' }, 'maximum must be a number'],
    ['apiextensions/v1.JSONSchemaProps', { items: 'x' }, 'items must be a schema'],
    [
      'apiextensions/v1.JSONSchemaProps',
      { additionalItems: 1 },
      'additionalItems must be a schema',
    ],
  ])('%s %j is refused by name', (type, object, message) => {
    expect(() => encodeMessage(structOf(type), object)).toThrow(
      failure('PROTOBUF_VALUE_INVALID', message),
    );
  });

  test('texts that are no time or no quantity are refused', () => {
    expect(() => written('meta/v1.ObjectMeta', { creationTimestamp: 'now' })).toThrow(
      failure('TIME_INVALID'),
    );
    expect(() => written('core/v1.ResourceRequirements', { limits: { a: 'much' } })).toThrow(
      failure('QUANTITY_INVALID'),
    );
  });
});

describe('kinds', () => {
  test('an object must say what it is', () => {
    expect(() => encodeProtobuf({ kind: 'Pod' })).toThrow(failure('PROTOBUF_KIND_MISSING'));
    expect(() => encodeProtobuf({ apiVersion: 'v1', kind: 7 })).toThrow(
      failure('PROTOBUF_KIND_MISSING'),
    );
    expect(() => encodeProtobuf({ apiVersion: 'example.com/v1', kind: 'Widget' })).toThrow(
      failure('PROTOBUF_KIND_UNKNOWN'),
    );
    expect(() => encodeProtobuf({ apiVersion: 'meta.k8s.io/v1', kind: 'Table' })).toThrow(
      failure('PROTOBUF_KIND_UNSUPPORTED'),
    );
  });
});

describe('depth', () => {
  const crd = (depth: number): JsonObject => {
    let schema: JsonObject = {};
    for (let level = 0; level < depth; level++) schema = { properties: { a: schema } };
    const versions = [{ name: 'v1', schema: { openAPIV3Schema: schema } }];
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      spec: { versions },
    };
  };

  test('what can be written can be read', () => {
    const { object } = decodeProtobuf(encodeProtobuf(crd(190)));
    expect(decodeProtobuf(encodeProtobuf(object)).object).toEqual(object);
  });

  test('endless nesting is refused', () => {
    expect(() => encodeProtobuf(crd(200))).toThrow(failure('PROTOBUF_TOO_DEEP'));
    expect(() => encodeProtobuf(crd(50_000))).toThrow(failure('PROTOBUF_TOO_DEEP'));
  });
});

test('a list of ten thousand is written', () => {
  const items = Array.from({ length: 10_000 }, (_, index) => ({ metadata: { name: `p${index}` } }));
  const bytes = encodeProtobuf({ apiVersion: 'v1', kind: 'PodList', items });
  const names = (decodeProtobuf(bytes).object['items'] as JsonObject[]).map(
    (pod) => pod['metadata'],
  );
  expect(names).toEqual(items.map(({ metadata }) => metadata));
});
