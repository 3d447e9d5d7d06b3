/** Integers beyond 2^53 on every way through the server: each must come back with all its digits. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decodeProtobuf } from '../../src/api/protobuf/decode.ts';
import { encodeProtobuf } from '../../src/api/protobuf/encode.ts';
import { openLmdbStore } from '../../src/apiserver/store/lmdb-store.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { promisesSettled, VirtualClock } from '../support/virtual-clock.ts';
import { silentLog } from '../support/silent-ports.ts';
import { ApiHarness } from './api-harness.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const METERS = '/apis/lab.example.com/v1/meters';
const BIG = '9007199254740993';
const MAX = '9223372036854775807';

const TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
  strategic: 'application/strategic-merge-patch+json',
} as const;

const SPEC = {
  type: 'object',
  properties: {
    count: { type: 'integer', format: 'int64' },
    plain: { type: 'integer' },
    small: { type: 'integer', format: 'int32' },
    limited: { type: 'integer', maximum: 9007199254740992, minimum: -5 },
    even: { type: 'integer', multipleOf: 2 },
    ratio: { type: 'number' },
    set: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
    map: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['id'],
      items: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer' }, text: { type: 'string' } },
      },
    },
    any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
  'x-kubernetes-validations': [
    { rule: `!has(self.plain) || self.plain != ${BIG}`, message: 'not this one' },
    {
      rule: `!has(self.plain) || !has(oldSelf.plain) || self.plain - oldSelf.plain <= 1`,
      message: 'one by one',
    },
  ],
};

const METER = JSON.stringify({
  metadata: { name: 'meters.lab.example.com' },
  spec: {
    group: 'lab.example.com',
    scope: 'Cluster',
    names: { plural: 'meters', singular: 'meter', kind: 'Meter' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: SPEC } } },
        additionalPrinterColumns: [{ name: 'Count', type: 'integer', jsonPath: '.spec.count' }],
      },
    ],
  },
}).replace('"format":"int64"', `"format":"int64","default":${MAX}`);

let harness: ApiHarness;

beforeEach(async () => {
  harness = await ApiHarness.open();
  await harness.fetch('POST', CRDS, METER);
  await promisesSettled();
});

const HEAD = '"apiVersion":"lab.example.com/v1","kind":"Meter","metadata":{"name":"a"}';

async function text(response: Promise<Response>): Promise<string> {
  return (await response).text();
}

function create(spec: string): Promise<string> {
  return text(harness.fetch('POST', METERS, `{${HEAD},"spec":${spec}}`));
}

function patch(type: keyof typeof TYPES, body: string, query = ''): Promise<string> {
  const headers = { 'content-type': TYPES[type] };
  return text(harness.fetch('PATCH', `${METERS}/a${query}`, body, headers));
}

function get(accept = 'application/json'): Promise<string> {
  return text(harness.fetch('GET', `${METERS}/a`, undefined, { accept }));
}

describe('a custom object', () => {
  test('is created, read, listed and watched', async () => {
    const watched = await harness.fetch('GET', `${METERS}?watch=1&timeoutSeconds=1`);
    expect(await create(`{"any":{"n":[${BIG},-${BIG}]}}`)).toContain(`"n":[${BIG},-${BIG}]`);
    expect(await get()).toContain(`"n":[${BIG},-${BIG}]`);
    expect(await text(harness.fetch('GET', METERS))).toContain(`"n":[${BIG},-${BIG}]`);
    const { value } = (await watched.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value)).toContain(`"n":[${BIG},-${BIG}]`);
  });

  test('gets its default, and a column of a table', async () => {
    expect(await create('{}')).toContain(`"spec":{"count":${MAX}}`);
    const table = await get('application/json;as=Table;g=meta.k8s.io;v=v1');
    expect(table).toContain(`"cells":["a",${MAX}]`);
  });

  test('is sent and served as YAML', async () => {
    const yaml = { 'content-type': 'application/yaml', accept: 'application/yaml' };
    const body = `apiVersion: lab.example.com/v1\nkind: Meter\nmetadata: {name: a}\nspec: {plain: ${MAX}, any: {s: "${BIG}", f: 9007199254740993.0}}\n`;
    const answer = await text(harness.fetch('POST', METERS, body, yaml));
    expect(answer).toContain(`plain: ${MAX}`);
    expect(await get()).toContain(`"any":{"s":"${BIG}","f":9007199254740992}`);
  });

  test('beyond 64 bits a number is a double, as is one with a point', async () => {
    const answer = await create('{"any":{"a":9223372036854775808,"b":1.0,"c":1e3,"d":-0}}');
    expect(answer).toContain('"any":{"a":9223372036854776000,"b":1,"c":1000,"d":0}');
  });
});

describe('a schema', () => {
  test.each([
    [`{"limited":${BIG}}`, 'should be less than or equal to 9007199254740992'],
    [`{"limited":-${BIG}}`, 'should be greater than or equal to -5'],
    [`{"even":${BIG}}`, 'should be a multiple of 2'],
    [`{"small":${BIG}}`, 'Checked value must be of type integer with format int32'],
    ['{"plain":9223372036854775808}', 'must be of type integer'],
    [`{"set":[${BIG},9007199254740992,${BIG}]}`, 'Duplicate value'],
    [`{"map":[{"id":${BIG}},{"id":${BIG}}]}`, 'Duplicate value'],
    [`{"plain":${BIG}}`, 'not this one'],
  ])('refuses %s', async (spec, why) => {
    const answer = await create(spec);
    expect(answer).toContain('"code":422');
    expect(answer).toContain(why);
  });

  test.each([
    '{"limited":9007199254740992}',
    '{"even":9007199254740994}',
    `{"ratio":${BIG}}`,
    `{"set":[${BIG},9007199254740992]}`,
    '{"plain":9007199254740994}',
  ])('takes %s', async (spec) => {
    expect(await create(spec)).toContain(spec.slice(0, -1));
  });

  test('rules compute with all digits', async () => {
    await create('{"plain":9007199254740994}');
    expect(await patch('merge', '{"spec":{"plain":9007199254740995}}')).not.toContain('"code"');
    expect(await patch('merge', '{"spec":{"plain":9007199254740997}}')).toContain('one by one');
  });
});

describe('patches', () => {
  beforeEach(() => create(`{"plain":1,"any":{"n":${BIG}}}`));

  test('a merge patch', async () => {
    expect(await patch('merge', `{"spec":{"any":{"n":${MAX}}}}`)).toContain(`"n":${MAX}`);
  });

  test('a JSON patch tests and copies it', async () => {
    const off = '[{"op":"test","path":"/spec/any/n","value":9007199254740992}]';
    expect(await patch('json', off)).toContain('"code":422');
    const body = `[{"op":"test","path":"/spec/any/n","value":${BIG}},{"op":"copy","from":"/spec/any/n","path":"/spec/any/m"}]`;
    expect(await patch('json', body)).toContain(`"any":{"n":${BIG},"m":${BIG}}`);
  });

  test('an update that changes nothing is none', async () => {
    const before = await get();
    expect(await patch('merge', `{"spec":{"any":{"n":${BIG}}}}`)).toBe(before);
  });

  test('apply merges sets and maps by it, and names it in managedFields', async () => {
    const applied = (set: string, id: string): string =>
      `{${HEAD},"spec":{"set":[${set}],"map":[{"id":${id},"text":"x"}]}}`;
    await patch('apply', applied(BIG, BIG), '?fieldManager=one');
    const answer = await patch(
      'apply',
      applied('9007199254740992', '9007199254740992'),
      '?fieldManager=two',
    );
    expect(answer).toContain(`"set":[${BIG},9007199254740992]`);
    expect(answer).toContain(`"v:${BIG}":{}`);
    expect(answer).toContain(String.raw`"k:{\"id\":${BIG}}":`);
    const less = await patch('apply', applied(MAX, MAX), '?fieldManager=one');
    expect(less).toContain(`"set":[9007199254740992,${MAX}]`);
  });
});

describe('a built-in object', () => {
  const PODS = '/api/v1/namespaces/default/pods';
  const spec = (grace: string, more = ''): string =>
    `{"terminationGracePeriodSeconds":${grace},"containers":[{"name":"c","image":"x"${more}}]}`;
  const pod = (of: string): string => `{"metadata":{"name":"a"},"spec":${of}}`;

  beforeEach(async () => {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await harness.send('POST', accounts, { metadata: { name: 'default' } });
  });

  test('has fields of 64 bits, also in a strategic patch', async () => {
    const answer = await text(harness.fetch('POST', PODS, pod(spec(BIG))));
    expect(answer).toContain(`"terminationGracePeriodSeconds":${BIG}`);
    const tolerations = ['not-ready', 'unreachable'].map(
      (name) =>
        `{"key":"node.kubernetes.io/${name}","operator":"Exists","effect":"NoExecute","tolerationSeconds":${MAX}}`,
    );
    const body = `{"spec":{"tolerations":[${tolerations.join(',')}]}}`;
    const headers = { 'content-type': TYPES.strategic };
    const patched = await text(harness.fetch('PATCH', `${PODS}/a`, body, headers));
    expect(patched).toContain(`"tolerationSeconds":${MAX}`);
  });

  test('whose field has 32 bits does not take it', async () => {
    const more = `,"ports":[{"containerPort":${BIG}}]`;
    const answer = await text(harness.fetch('POST', PODS, pod(spec('30', more))));
    expect(answer).toContain('"code":400');
  });

  test('is validated: an integer beyond 2^53 is not skipped', async () => {
    const answer = await text(
      harness.fetch(
        'POST',
        PODS,
        pod(`${spec('30').slice(0, -1)},"activeDeadlineSeconds":${BIG}}`),
      ),
    );
    expect(answer).toContain('"code":422');
    expect(answer).toContain(`Invalid value: ${BIG}`);
  });

  test('a quantity that is a number keeps its digits', async () => {
    const more = `,"resources":{"limits":{"example.com/a":${BIG}}}`;
    const answer = await text(harness.fetch('POST', PODS, pod(spec('30', more))));
    expect(answer).toContain(`"example.com/a":"${BIG}"`);
  });

  describe('that is deleted', () => {
    const END = '"deletionTimestamp":"9999-12-31T23:59:59Z"';
    const bound = (grace: string): string => pod(`{"nodeName":"n",${spec(grace).slice(1)}`);
    const remove = (query: string, body?: string): Promise<string> =>
      text(harness.fetch('DELETE', `${PODS}/a${query}`, body));

    test.each(['300000000000', BIG, MAX])('has a grace period of %s seconds', async (grace) => {
      await harness.fetch('POST', PODS, bound(grace));
      expect(await remove('')).toContain(END);
      expect(await remove('?gracePeriodSeconds=0')).toContain('"deletionGracePeriodSeconds":0');
      expect(await text(harness.fetch('GET', `${PODS}/a`))).toContain('"code":404');
    });

    test.each([
      ['in the query', `?gracePeriodSeconds=${MAX}`, undefined],
      ['in the body', '', `{"gracePeriodSeconds":${MAX}}`],
    ])('may be asked for it %s', async (_where, query, body) => {
      await harness.fetch('POST', PODS, bound('30'));
      const answer = await remove(query, body);
      expect(answer).toContain(END);
      // The largest that is exact, and an integer of 64 bits for every client.
      expect(answer).toContain('"deletionGracePeriodSeconds":9007199254740991');
    });

    test.each([
      [`{"kind":"X","apiVersion":${BIG}}`, 'unmarshal number into Go struct field .apiVersion'],
      [`{"kind":${BIG}}`, 'unmarshal number into Go struct field .kind'],
      [`{"orphanDependents":${BIG}}`, 'unmarshal number into Go struct field DeleteOptions.orphan'],
    ])('is not by the options %s', async (body, why) => {
      await harness.fetch('POST', PODS, bound('30'));
      const answer = await remove('', body);
      expect(answer).toContain('"code":400');
      expect(answer).toContain(why);
    });
  });

  test.each([
    ['metadata.ownerReferences', `"ownerReferences":[{"uid":${BIG}}]`],
    [
      'metadata.managedFields',
      `"managedFields":[{"operation":"Update","apiVersion":"v1","fieldsType":${BIG}}]`,
    ],
  ])('does not take it as a text in %s', async (_field, more) => {
    const body = `{"metadata":{"name":"a",${more}},"spec":${spec('30')}}`;
    expect(await text(harness.fetch('POST', PODS, body))).toContain('"code":400');
    const custom = `{${HEAD.slice(0, -1)},${more}}}`;
    expect(await text(harness.fetch('POST', METERS, custom))).toContain('"code":400');
  });

  test('whose owner has an unknown field with it is taken without the field', async () => {
    const owner = `{"apiVersion":"v1","kind":"Node","name":"n","uid":"u","strange":${BIG}}`;
    const more = `"ownerReferences":[${owner}]`;
    const body = `{"metadata":{"name":"a",${more}},"spec":${spec('30')}}`;
    const custom = `{${HEAD.slice(0, -1)},${more}}}`;
    for (const [to, object] of [
      [PODS, body],
      [METERS, custom],
    ] as const) {
      const answer = await text(harness.fetch('POST', to, object));
      expect(answer).toContain('"uid":"u"}]');
      expect(answer).not.toContain(BIG);
    }
  });

  test('is not bound to it', async () => {
    await harness.fetch('POST', PODS, pod(spec('30')));
    const body = `{"target":{"kind":${BIG},"name":"n"}}`;
    const answer = await text(harness.fetch('POST', `${PODS}/a/binding`, body));
    expect(answer).toContain('"code":400');
  });

  test('travels as protobuf', () => {
    const object: JsonObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { hostname: 'a', terminationGracePeriodSeconds: -9223372036854775808n },
    };
    expect(decodeProtobuf(encodeProtobuf(object)).object).toMatchObject(object);
  });
});

describe('on disk', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'podkeep-integers-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('it is the same after a restart', async () => {
    const ports = { folder, clock: new VirtualClock(), log: silentLog };
    const store = await openLmdbStore(ports);
    const object = { spec: { a: 9007199254740993n, b: [2n ** 62n, 1, '9007199254740993'] } };
    await store.commit([{ key: '/a', make: () => object }]);
    await store.close();
    const again = await openLmdbStore(ports);
    expect(again.get('/a')?.value).toEqual(object);
    await again.close();
  });
});
