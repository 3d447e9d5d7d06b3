import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PodkeepError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { decodeMessage, decodeProtobuf, type DecodedObject } from './decode.ts';
import { structOf } from '../schema/schema.ts';

interface Sample {
  readonly apiVersion: string;
  readonly kind: string;
  readonly protobuf: string;
  readonly json: JsonObject;
  /** A message without its envelope. */
  readonly bare?: true;
}

// Not imported: a bundler would make `__proto__` in it the prototype.
const { samples } = JSON.parse(
  readFileSync(new URL('./go-samples.generated.json', import.meta.url), 'utf8'),
) as { readonly samples: readonly Sample[] };

const text = (value: string): number[] => [...new TextEncoder().encode(value)];
const field = (number: number, bytes: readonly number[]): number[] => [
  (number << 3) | 2,
  ...length(bytes.length),
  ...bytes,
];

function length(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...length(value >>> 7)];
}

function envelope(apiVersion: string, kind: string, raw: readonly number[]): Uint8Array {
  const type = [...field(1, text(apiVersion)), ...field(2, text(kind))];
  return Uint8Array.from([...text('k8s\0'), ...field(1, type), ...field(2, raw)]);
}

function decodeSample({ apiVersion, kind, protobuf, bare }: Sample): DecodedObject {
  const bytes = Buffer.from(protobuf, 'base64');
  if (bare !== true) return decodeProtobuf(bytes);
  return { apiVersion, kind, object: decodeMessage(structOf(`meta/v1.${kind}`), bytes) };
}

const failure = (code: string, part = ''): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(part) });

describe('what Go wrote', () => {
  test.each(samples)('$apiVersion $kind is read as Go prints it', (sample) => {
    const { apiVersion, kind, json } = sample;
    const decoded = decodeSample(sample);
    expect(decoded).toEqual({ apiVersion, kind, object: json });
    // The order of the fields is Go's, too.
    expect(JSON.stringify(decoded.object)).toBe(JSON.stringify(json));
  });
});

describe('the envelope', () => {
  test('names the kind, which stands first in the object', () => {
    const { object, ...given } = decodeProtobuf(envelope('v1', 'Namespace', []));
    expect(given).toEqual({ apiVersion: 'v1', kind: 'Namespace' });
    expect(JSON.stringify(object)).toBe(
      '{"kind":"Namespace","apiVersion":"v1","metadata":{},"spec":{},"status":{}}',
    );
  });

  test('may lack the message: then nothing of the object was sent', () => {
    const type = [...field(1, text('v1')), ...field(2, text('Binding'))];
    const bytes = Uint8Array.from([...text('k8s\0'), ...field(1, type)]);
    expect(decodeProtobuf(bytes).object).toMatchObject({ target: {} });
  });

  test('must start with the bytes that name the format', () => {
    for (const bytes of [
      [],
      text('k8s'),
      text('k8s\0'),
      text('{"kind":"Pod"}'),
      text('k8s\u0001a'),
    ]) {
      expect(() => decodeProtobuf(Uint8Array.from(bytes))).toThrow(failure('PROTOBUF_MALFORMED'));
    }
  });

  test('must not say that its content is something else', () => {
    const plain = [...envelope('v1', 'Pod', [])];
    const zipped = Uint8Array.from([...plain, ...field(3, text('gzip'))]);
    const json = Uint8Array.from([...plain, ...field(4, text('application/json'))]);
    expect(() => decodeProtobuf(zipped)).toThrow(failure('PROTOBUF_MALFORMED', 'gzip'));
    expect(() => decodeProtobuf(json)).toThrow(failure('PROTOBUF_MALFORMED', 'application/json'));
    const same = field(4, text('application/vnd.kubernetes.protobuf'));
    expect(decodeProtobuf(Uint8Array.from([...plain, ...same])).kind).toBe('Pod');
  });

  test('may be a part of a larger buffer', () => {
    const bytes = envelope('v1', 'Pod', field(1, field(1, text('a'))));
    const larger = Uint8Array.from([1, 2, 3, ...bytes, 4]);
    expect(decodeProtobuf(larger.subarray(3, 3 + bytes.length))).toEqual(decodeProtobuf(bytes));
  });
});

describe('kinds', () => {
  test('a custom resource has no protobuf', () => {
    expect(() => decodeProtobuf(envelope('example.com/v1', 'Widget', []))).toThrow(
      failure(
        'PROTOBUF_KIND_UNKNOWN',
        'no kind "Widget" is registered for version "example.com/v1"',
      ),
    );
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(() => decodeProtobuf(envelope('v1', name, []))).toThrow(
        failure('PROTOBUF_KIND_UNKNOWN'),
      );
      expect(() => decodeProtobuf(envelope(name, 'Pod', []))).toThrow(
        failure('PROTOBUF_KIND_UNKNOWN'),
      );
    }
  });

  test('options are read in every apiVersion, those of custom resources included', () => {
    for (const apiVersion of ['v1', 'apps/v1', 'meta.k8s.io/v1', 'example.com/v1']) {
      expect(decodeProtobuf(envelope(apiVersion, 'DeleteOptions', [0x08, 0x00])).object).toEqual({
        kind: 'DeleteOptions',
        apiVersion,
        gracePeriodSeconds: 0,
      });
    }
  });

  test('a table exists as JSON only', () => {
    expect(() => decodeProtobuf(envelope('meta.k8s.io/v1', 'Table', []))).toThrow(
      failure('PROTOBUF_KIND_UNSUPPORTED', 'Table'),
    );
  });

  test('a body that does not name its kind is read as what its path says', () => {
    const bare = envelope('', '', field(1, field(1, text('a'))));
    const decoded = decodeProtobuf(bare, { apiVersion: 'v1', kind: 'Pod' });
    expect(decoded).toMatchObject({
      kind: 'Pod',
      object: { kind: 'Pod', metadata: { name: 'a' } },
    });
    expect(() => decodeProtobuf(bare)).toThrow(failure('PROTOBUF_KIND_MISSING', "'Kind'"));
    expect(() => decodeProtobuf(bare, { kind: 'Pod' })).toThrow(
      failure('PROTOBUF_KIND_MISSING', "'apiVersion'"),
    );
  });

  test('the body takes precedence over the path', () => {
    const bytes = envelope('apps/v1', 'Deployment', []);
    expect(decodeProtobuf(bytes, { apiVersion: 'v1', kind: 'Pod' }).kind).toBe('Deployment');
  });
});

describe('hostile bytes', () => {
  const crd = (schema: readonly number[]): Uint8Array =>
    // spec.versions[0].schema.openAPIV3Schema
    envelope(
      'apiextensions.k8s.io/v1',
      'CustomResourceDefinition',
      field(2, field(7, field(4, field(1, schema)))),
    );

  /** A schema in `not`, in `not`, and so on. */
  function nested(depth: number): number[] {
    const tag = [0xe2, 0x01];
    return depth === 0 ? [] : wrap(tag, nested(depth - 1));
  }

  const wrap = (tag: readonly number[], bytes: readonly number[]): number[] =>
    [tag, length(bytes.length), bytes].flat();

  test('nesting is read up to a limit, and then refused', () => {
    expect(decodeProtobuf(crd(nested(150))).kind).toBe('CustomResourceDefinition');
    expect(() => decodeProtobuf(crd(nested(300)))).toThrow(failure('PROTOBUF_TOO_DEEP'));
    expect(() => decodeProtobuf(crd(nested(900)))).toThrow(failure('PROTOBUF_TOO_DEEP'));
  });

  test('a few bytes for each of many messages do not become a gigabyte', () => {
    const items = Array.from({ length: 200_000 }, () => [0x12, 0x00]).flat();
    expect(() => decodeProtobuf(envelope('v1', 'PodList', items))).toThrow(
      failure('PROTOBUF_MALFORMED', 'more messages'),
    );
  });

  test('a list of ten thousand is read', () => {
    const pod = field(2, field(1, field(1, text('some-name-of-a-pod'))));
    const items = Array.from({ length: 10_000 }, () => pod).flat();
    const { object } = decodeProtobuf(envelope('v1', 'PodList', items));
    expect(object['items']).toHaveLength(10_000);
  });

  test('a message in twenty thousand pieces is read in one go', () => {
    const pieces = Array.from({ length: 20_000 }, () => field(1, field(14, text('f')))).flat();
    const { object } = decodeProtobuf(envelope('v1', 'Pod', pieces));
    expect(object).toMatchObject({ metadata: { finalizers: { length: 20_000 } } });
  });

  test('integers of 64 bits are exact', () => {
    // metadata.generation: 9007199254740993
    const generation = [0x38, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
    const { object } = decodeProtobuf(envelope('v1', 'Pod', field(1, generation)));
    expect(object).toMatchObject({ metadata: { generation: 9007199254740993n } });
  });
});

describe('laws', () => {
  const bodies = samples
    .filter((sample) => sample.bare !== true)
    .map((sample) => Uint8Array.from(Buffer.from(sample.protobuf, 'base64')));

  /** The result of reading: an object, our error, or something that must not happen. */
  const outcomeOf = (bytes: Uint8Array): string => {
    try {
      return typeof decodeProtobuf(bytes).object;
    } catch (error) {
      return error instanceof PodkeepError ? 'our error' : String(error);
    }
  };

  test('a body that was cut off is an object or our error, never anything else', () => {
    for (const bytes of bodies.slice(0, 10)) {
      for (let end = 0; end < bytes.length; end += 7) {
        expect(['object', 'our error']).toContain(outcomeOf(bytes.subarray(0, end)));
      }
    }
  });

  test('a body with wrong bytes is an object or our error, never anything else', () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(fc.constantFrom(...bodies), damage, (body, changes) => {
        const bytes = Uint8Array.from(body);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        expect(['object', 'our error']).toContain(outcomeOf(bytes));
      }),
      { numRuns: 2000 },
    );
  });

  test('reading does not change the bytes, and no text or object is a view of them', () => {
    for (const sample of bodies) {
      const bytes = Uint8Array.from(sample);
      const before = decodeProtobuf(bytes);
      expect(bytes).toEqual(sample);
      const printed = JSON.stringify(before);
      bytes.fill(0);
      expect(JSON.stringify(before)).toBe(printed);
    }
  });
});
