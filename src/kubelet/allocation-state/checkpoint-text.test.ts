import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { podOf } from '../../../test/suites/state-store.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { Json } from '../../lib/json.ts';
import { fnv1a32 } from '../../lib/fnv.ts';
import type { PodResourcesByUid } from '../../ports/pod/state-store.ts';
import { formatCheckpoint, parseCheckpoint } from './checkpoint-text.ts';

const encoder = new TextEncoder();
const parse = (text: string): PodResourcesByUid => parseCheckpoint(encoder.encode(text));
const format = (state: PodResourcesByUid): string =>
  new TextDecoder().decode(formatCheckpoint(state));

const KI = { requests: { cpu: '1Ki', memory: '1Ki' } };
const ONE_POD: PodResourcesByUid = new Map([['pod1', podOf({ container1: KI })]]);

/** From before pods had pod-level resources; Kubernetes tests its upgrade with this file. */
const OLDER_FILE =
  '{"data":"{\\"entries\\":{\\"pod1\\":{\\"ContainerResources\\":{\\"container1\\":' +
  '{\\"requests\\":{\\"cpu\\":\\"1Ki\\",\\"memory\\":\\"1Ki\\"}}}}}}","checksum":1178570812}';

/** Written by the kubelet of v1.36.4. */
const KUBELET_FILE =
  '{"data":"{\\"entries\\":{\\"pod1\\":{\\"ContainerResources\\":{\\"container1\\":' +
  '{\\"requests\\":{\\"cpu\\":\\"1Ki\\",\\"memory\\":\\"1Ki\\"}}},\\"PodLevelResources\\":null}}}",' +
  '"checksum":540361807}';
const KUBELET_FILE_IN_FULL =
  '{"data":"{\\"entries\\":{\\"pod-a\\":{\\"ContainerResources\\":{},\\"PodLevelResources\\":null},' +
  '\\"pod-b\\":{\\"ContainerResources\\":{\\"10\\":{},\\"9\\":{\\"requests\\":{\\"cpu\\":\\"100m\\"}},' +
  '\\"main\\":{\\"limits\\":{\\"cpu\\":\\"2\\",\\"memory\\":\\"1Gi\\"},\\"requests\\":{\\"cpu\\":' +
  '\\"500m\\",\\"example.com/gpu\\":\\"2\\",\\"memory\\":\\"1Gi\\"},\\"claims\\":[{\\"name\\":\\"gpu\\",' +
  '\\"request\\":\\"one\\"}]}},\\"PodLevelResources\\":{\\"requests\\":{\\"cpu\\":\\"1500m\\"}}},' +
  '\\"é\\\\u003c\\\\u0026\\\\u003e\\\\u2028\\":{\\"ContainerResources\\":{},' +
  '\\"PodLevelResources\\":null}}}","checksum":1018497571}';

/** A file with a correct checksum, whatever its data is. */
function sealed(data: string): string {
  const checksum = fnv1a32(encoder.encode(`(string)${data}`));
  return JSON.stringify({ data, checksum });
}

describe('a file of the kubelet', () => {
  test('loads with the checksum 1178570812 and without newer fields (KL-97, Test_stateCheckpoint_formatUpgraded)', () => {
    expect(parse(OLDER_FILE)).toEqual(ONE_POD);
  });

  test('of v1.36 is the very text that podkeep writes for the same state (KL-97)', () => {
    expect(parse(KUBELET_FILE)).toEqual(ONE_POD);
    expect(format(ONE_POD)).toBe(KUBELET_FILE);
  });

  test('loads in full: claims, pod-level resources, and characters that Go escapes', () => {
    const state = parse(KUBELET_FILE_IN_FULL);
    expect([...state.keys()]).toEqual(['pod-a', 'pod-b', 'é<&>\u2028']);
    expect(state.get('pod-a')).toEqual(podOf({}));
    expect(state.get('pod-b')?.pod).toEqual({ requests: { cpu: '1500m' } });
    expect(state.get('pod-b')?.containers.get('main')).toEqual({
      limits: { cpu: '2', memory: '1Gi' },
      requests: { cpu: '500m', 'example.com/gpu': '2', memory: '1Gi' },
      claims: [{ name: 'gpu', request: 'one' }],
    });
  });

  test('without pods loads as an empty state, and is what an empty state is written as', () => {
    expect(format(new Map())).toBe(sealed('{}'));
    for (const data of ['{}', '{"entries":null}', '{"entries":{}}', 'null']) {
      expect(parse(sealed(data))).toEqual(new Map());
    }
  });

  test('may have null where Go leaves a map or a pointer empty', () => {
    const entry = '{"ContainerResources":null,"PodLevelResources":null}';
    expect(parse(sealed(`{"entries":{"a":${entry},"b":{}}}`))).toEqual(
      new Map([
        ['a', podOf({})],
        ['b', podOf({})],
      ]),
    );
  });
});

describe('fields that podkeep does not know', () => {
  test('are kept inside of requirements, and dropped beside them', () => {
    const newer =
      '{"entries":{"a":{"ContainerResources":{"c":{"requests":{"cpu":"1"},"novel":[1]}},' +
      '"ResizeGeneration":7}},"resizes":{"a":"Deferred"}}';
    const state = parse(sealed(newer));
    const resources = { requests: { cpu: '1' }, novel: [1] };
    expect(state).toEqual(new Map([['a', podOf({ c: resources })]]));
    expect(format(state)).toBe(
      sealed(
        '{"entries":{"a":{"ContainerResources":{"c":{"requests":{"cpu":"1"},"novel":[1]}},' +
          '"PodLevelResources":null}}}',
      ),
    );
  });
});

describe('a file that cannot be trusted is corrupt (KL-96)', () => {
  const resources = (text: string): string =>
    sealed(`{"entries":{"a":{"ContainerResources":{"c":${text}}}}}`);
  test.each([
    ['an empty file', '', /the file is empty/],
    ['half a file', OLDER_FILE.slice(0, 60), /the file is not JSON/],
    ['a file with something after its end', `${OLDER_FILE}}`, /the file is not JSON/],
    ['a byte order mark', `\uFEFF${OLDER_FILE}`, /the file is not JSON/],
    ['a list', '[]', /not an object/],
    ['nothing', 'null', /not an object/],
    ['a file without data', '{"checksum":1}', /data is not a string/],
    ['a file without checksum', '{"data":"{}"}', /its checksum is null, that of its data is \d+/],
    ['a wrong checksum', '{"data":"{}","checksum":1178570812}', /its checksum is 1178570812/],
    ['a checksum as text', '{"data":"{}","checksum":"1"}', /its checksum is "1"/],
    ['data that is not JSON', sealed('{"entries":'), /its data is not JSON/],
    ['empty data', sealed(''), /its data is empty/],
    ['data that is a list', sealed('[]'), /its data is not an object/],
    ['entries that are a list', sealed('{"entries":[]}'), /entries is not an object/],
    ['a pod that is a number', sealed('{"entries":{"a":1}}'), /entries\.a is not an object/],
    [
      'containers that are text',
      sealed('{"entries":{"a":{"ContainerResources":"x"}}}'),
      /entries\.a\.ContainerResources is not an object/,
    ],
    [
      'pod-level resources that are a list',
      sealed('{"entries":{"a":{"PodLevelResources":[]}}}'),
      /entries\.a\.PodLevelResources: they are not an object/,
    ],
    ['resources that are null', resources('null'), /ContainerResources\.c: they are not an object/],
    ['limits that are a list', resources('{"limits":[]}'), /\.c: limits is not an object/],
    ['an amount that is none', resources('{"limits":{"cpu":"x"}}'), /limits\.cpu: quantity "x"/],
    ['an amount that is a list', resources('{"requests":{"cpu":[]}}'), /requests\.cpu: it is not/],
  ])('%s', (_name, text, reason) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        code: 'CHECKPOINT_CORRUPT',
        message: expect.stringMatching(reason),
      }),
    );
  });

  test('bytes that are not UTF-8', () => {
    const bytes = encoder.encode(OLDER_FILE);
    bytes[20] = 0xff;
    expect(() => parseCheckpoint(bytes)).toThrow(
      /checkpoint is corrupted: it is not text in UTF-8/,
    );
  });

  test('cut off anywhere', () => {
    const bytes = encoder.encode(KUBELET_FILE_IN_FULL);
    for (let length = 0; length < bytes.length; length += 1) {
      expect(() => parseCheckpoint(bytes.subarray(0, length))).toThrow(/checkpoint is corrupted/);
    }
  });

  test('with any one byte changed; at most its spacing may differ', () => {
    const bytes = encoder.encode(KUBELET_FILE_IN_FULL);
    const whole = parseCheckpoint(bytes);
    const anyIndex = fc.nat({ max: bytes.length - 1 });
    fc.assert(
      fc.property(anyIndex, fc.integer({ min: 1, max: 255 }), (index, flip) => {
        const changed = Uint8Array.from(bytes, (byte, at) => (at === index ? byte ^ flip : byte));
        expect([whole, 'CHECKPOINT_CORRUPT']).toContainEqual(stateOrCode(changed));
      }),
      { numRuns: 2000 },
    );
  });
});

function stateOrCode(bytes: Uint8Array): unknown {
  try {
    return parseCheckpoint(bytes);
  } catch (error) {
    return error instanceof PodkeepError ? error.code : error;
  }
}

const anyAmount = fc.oneof(
  fc.nat(),
  fc.constantFrom('1', '0.5', '1.5Gi', '100m', '12e6', '-1', '1E', '3n'),
);
const anyKey = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', '10', '9'));
const anyList = fc.dictionary(anyKey, anyAmount, { maxKeys: 3 });
const anyResources = fc.record({ limits: anyList, requests: anyList }, { requiredKeys: [] });
const anyPod = fc.record({
  containers: fc.array(fc.tuple(anyKey, anyResources), { maxLength: 4 }).map(mapOf),
  pod: fc.option(anyResources, { nil: undefined }),
});
const anyState = fc.array(fc.tuple(anyKey, anyPod), { maxLength: 4 }).map(mapOf);

function mapOf<Value>(entries: [string, Value][]): ReadonlyMap<string, Value> {
  return new Map(entries);
}

test('a written state is read back, down to the spelling of amounts', () => {
  fc.assert(
    fc.property(anyState, (state) => {
      expect(flat(parseCheckpoint(formatCheckpoint(state)))).toEqual(flat(state));
    }),
  );
});

test('the order in which pods came does not affect the text', () => {
  fc.assert(
    fc.property(anyState, (state) => {
      expect(format(new Map([...state].toReversed()))).toBe(format(state));
    }),
  );
});

/** As sorted pairs of JSON, in which even `__proto__` counts. */
function flat(state: PodResourcesByUid): Json {
  const pods = [...state].map(([uid, { containers, pod }]) => {
    const sorted = [...containers].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return [uid, JSON.stringify([sorted, pod ?? null])];
  });
  return pods.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
}
