import { describe, expect, test } from 'vitest';
import { PodkeepError } from '../../lib/errors.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { structOf } from '../schema/schema.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';
import { createTwoWayMergePatch } from './two-way-merge-patch.ts';

const POD = structOf('core/v1.Pod');

function frozen<Value extends Json>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) frozen(part);
    Object.freeze(value);
  }
  return value;
}

/** Makes the patch, and checks that it gives the modified object. */
function create(original: JsonObject, modified: JsonObject): JsonObject {
  const patch = frozen(createTwoWayMergePatch(frozen(original), frozen(modified), POD));
  expect(applyStrategicMergePatch(original, patch, POD)).toEqual(modified);
  return patch;
}

function errorOf(work: () => unknown): PodkeepError {
  try {
    work();
  } catch (error) {
    if (error instanceof PodkeepError) return error;
    throw error;
  }
  throw new Error('no error');
}

const names = (...list: string[]): JsonObject[] => list.map((name) => ({ name }));

/** Stands for a part that both versions share: reading it is the bug under test. */
const TRAP = new Proxy<Record<string, Json>>(
  {},
  {
    ownKeys: () => {
      throw new Error('looked into a shared part');
    },
  },
);

test('changed and new fields come with their values, gone ones with null', () => {
  expect(
    create(
      { metadata: { name: 'p', labels: { a: '1', b: '2' } }, spec: { nodeName: 'n' } },
      { metadata: { name: 'p', labels: { a: '3', c: '4' } }, status: { phase: 'Running' } },
    ),
  ).toEqual({
    metadata: { labels: { a: '3', b: null, c: '4' } },
    spec: null,
    status: { phase: 'Running' },
  });
});

test('between equal objects the patch is empty', () => {
  const text = '{"metadata":{"finalizers":["b","a"]},"spec":{"containers":[{"name":"a"}]}}';
  const [one, two] = [JSON.parse(text) as JsonObject, JSON.parse(text) as JsonObject];
  expect(create(one, one)).toEqual({});
  expect(create(one, two)).toEqual({});
});

test('a field whose type says replace is sent whole, and only if it changed', () => {
  const budget = structOf('policy/v1.PodDisruptionBudget');
  expect(createTwoWayMergePatch(select('1'), select('2'), budget)).toEqual(select('2'));
  expect(createTwoWayMergePatch(select('1'), select('1'), budget)).toEqual({});
});

test('SM-73: a status patch is the uid and what changed', () => {
  const patch = create(
    { status: { phase: 'Pending', conditions: [{ type: 'Ready', status: 'False' }] } },
    {
      metadata: { uid: 'u' },
      status: { phase: 'Pending', conditions: [{ type: 'Ready', status: 'False' }] },
    },
  );
  expect(patch).toEqual({ metadata: { uid: 'u' } });
});

describe('lists of objects', () => {
  test('SM-75: conditions are patched by type, deletions last and sorted, the order beside them', () => {
    expect(
      create(
        { status: { conditions: ['Z', 'B', 'C', 'A'].map((type) => condition(type, 'True')) } },
        {
          status: {
            conditions: [condition('New', 'True'), condition('C', 'False'), condition('B', 'True')],
          },
        },
      ),
    ).toEqual({
      status: {
        '$setElementOrder/conditions': [{ type: 'New' }, { type: 'C' }, { type: 'B' }],
        conditions: [
          condition('New', 'True'),
          { type: 'C', status: 'False' },
          { $patch: 'delete', type: 'A' },
          { $patch: 'delete', type: 'Z' },
        ],
      },
    });
  });

  test('SM-73: a changed order alone is a change', () => {
    expect(
      create({ spec: { volumes: names('a', 'b') } }, { spec: { volumes: names('b', 'a') } }),
    ).toEqual({ spec: { '$setElementOrder/volumes': names('b', 'a') } });
  });

  test('a list that becomes empty is patched by deletions alone', () => {
    expect(create({ spec: { volumes: names('a') } }, { spec: { volumes: [] } })).toEqual({
      spec: { volumes: [{ $patch: 'delete', name: 'a' }] },
    });
  });

  test('an empty list is filled, and an absent one set, without an order', () => {
    const patch = { spec: { volumes: names('b', 'a') } };
    expect(create({ spec: { volumes: [] } }, { spec: { volumes: names('b', 'a') } })).toEqual(
      patch,
    );
    expect(create({ spec: {} }, { spec: { volumes: names('b', 'a') } })).toEqual(patch);
  });

  test('SM-75: container statuses are one value', () => {
    const statuses = [
      { name: 'a', ready: true },
      { name: 'b', ready: false },
    ];
    expect(
      create(
        { status: { containerStatuses: names('a', 'b') } },
        { status: { containerStatuses: statuses } },
      ),
    ).toEqual({ status: { containerStatuses: statuses } });
  });

  test('a list with the same key twice is replaced as a whole (P-2)', () => {
    expect(create(ports('TCP', 'UDP'), ports('TCP'))).toHaveProperty('spec.containers.0.ports', [
      { $patch: 'replace' },
      { containerPort: 53, protocol: 'TCP' },
    ]);
    create(ports('TCP'), ports('UDP', 'TCP', 'SCTP'));
    create(ports(), ports('UDP', 'TCP'));
    expect(create(ports('TCP', 'UDP'), ports('TCP', 'UDP'))).toEqual({});
  });
});

describe('lists of scalars', () => {
  test('removed values are in a separate list', () => {
    expect(create(finalizers('c', 'b', 'a'), finalizers('x', 'b'))).toEqual({
      metadata: {
        finalizers: ['x'],
        '$deleteFromPrimitiveList/finalizers': ['a', 'c'],
        '$setElementOrder/finalizers': ['x', 'b'],
      },
    });
    expect(create(finalizers('a'), finalizers())).toEqual({
      metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] },
    });
  });

  test('a changed order is a change, even into the sorted one', () => {
    expect(create(finalizers('b', 'a'), finalizers('a', 'b'))).toEqual({
      metadata: { '$setElementOrder/finalizers': ['a', 'b'] },
    });
  });

  test('a value twice arrives once: the format cannot say it', () => {
    const [one, two] = [finalizers('a'), finalizers('b', 'b')];
    expect(applyStrategicMergePatch(one, createTwoWayMergePatch(one, two, POD), POD)).toEqual(
      finalizers('b'),
    );
  });
});

describe('$retainKeys', () => {
  test('a volume whose source changed names what it keeps', () => {
    expect(
      create(
        { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
        { spec: { volumes: [{ name: 'v', configMap: { name: 'c' } }] } },
      ),
    ).toEqual({
      spec: {
        '$setElementOrder/volumes': names('v'),
        volumes: [
          {
            $retainKeys: ['configMap', 'name'],
            name: 'v',
            emptyDir: null,
            configMap: { name: 'c' },
          },
        ],
      },
    });
  });

  test('so does the strategy of a Deployment, which is an object', () => {
    const deployment = structOf('apps/v1.Deployment');
    const original = {
      spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
    };
    const modified = { spec: { strategy: { type: 'Recreate' } } };
    const patch = createTwoWayMergePatch(original, modified, deployment);
    expect(patch).toEqual({
      spec: { strategy: { $retainKeys: ['type'], type: 'Recreate', rollingUpdate: null } },
    });
    expect(applyStrategicMergePatch(original, patch, deployment)).toEqual(modified);
  });
});

describe('what the format cannot express', () => {
  test('a field that is null in the modified object will be absent', () => {
    const original = { spec: { nodeName: 'n' } };
    const patch = createTwoWayMergePatch(original, { spec: { nodeName: null } }, POD);
    expect(patch).toEqual({ spec: { nodeName: null } });
    expect(applyStrategicMergePatch(original, patch, POD)).toEqual({ spec: {} });
  });

  test('a field that is undefined is absent already', () => {
    const patch = createTwoWayMergePatch(
      { spec: { a: 1 } },
      { spec: { a: undefined, b: undefined } },
      POD,
    );
    expect(patch).toEqual({ spec: { a: null } });
  });
});

describe('fields that the type does not have', () => {
  test('may be added, removed, and stay, even as objects', () => {
    expect(
      create(
        { spec: { same: { a: [1] }, old: { a: 1 } } },
        { spec: { same: { a: [1] }, new: [[1]] } },
      ),
    ).toEqual({ spec: { old: null, new: [[1]] } });
  });

  test('cannot be changed inside, since their merge rule is unknown', () => {
    for (const [one, two] of [
      [{ x: 1 }, { x: 2 }],
      [[1], [2]],
    ] satisfies [Json, Json][]) {
      const error = errorOf(() =>
        createTwoWayMergePatch({ spec: { a: one } }, { spec: { a: two } }, POD),
      );
      expect(error.code).toBe('PATCH_FIELD_UNKNOWN');
    }
  });
});

test('parts that both versions share are not looked into', () => {
  const status = (phase: string): JsonObject => ({ phase, extra: TRAP, containerStatuses: [TRAP] });
  const pod = (phase: string): JsonObject => ({
    metadata: TRAP,
    spec: TRAP,
    status: status(phase),
  });
  expect(createTwoWayMergePatch(pod('Pending'), pod('Running'), POD)).toEqual({
    status: { phase: 'Running' },
  });
  const list = [TRAP];
  expect(
    createTwoWayMergePatch({ spec: { volumes: list } }, { spec: { volumes: list } }, POD),
  ).toEqual({});
});

test('__proto__ is a key like any other', () => {
  const evil = JSON.parse(
    '{"metadata":{"labels":{"__proto__":"x"}},"__proto__":{"p":1}}',
  ) as JsonObject;
  const patch = createTwoWayMergePatch({ metadata: { labels: {} } }, evil, POD);
  expect(JSON.stringify(patch)).toBe(JSON.stringify(evil));
  expect(JSON.stringify(createTwoWayMergePatch(evil, {}, POD))).toBe(
    '{"metadata":null,"__proto__":null}',
  );
});

test('values that cannot be compared give an error', () => {
  expect(errorOf(() => createTwoWayMergePatch({}, {}, undefined)).code).toBe('PATCH_UNSUPPORTED');
  for (const value of [null, 1, 'x', [], undefined]) {
    expect(errorOf(() => createTwoWayMergePatch({}, value, POD)).code).toBe('PATCH_MALFORMED');
    expect(errorOf(() => createTwoWayMergePatch(value, {}, POD)).code).toBe('PATCH_MALFORMED');
  }
  const lists: Json[] = [[{}], [null], ['c'], [[]], [{ name: [] }], [{ name: 'a' }, 1]];
  for (const containers of lists) {
    const [one, two] = [{ spec: { containers: names('c') } }, { spec: { containers } }];
    expect(errorOf(() => createTwoWayMergePatch(one, two, POD)).code).toMatch(/^PATCH_/);
    expect(errorOf(() => createTwoWayMergePatch(two, one, POD)).code).toMatch(/^PATCH_/);
  }
});

test('objects nested beyond reason are refused, not a stack overflow', () => {
  const schema = structOf('apiextensions/v1.JSONSchemaProps');
  expect(errorOf(() => createTwoWayMergePatch(deep('{}'), deep('{"a":1}'), schema)).code).toBe(
    'PATCH_TOO_DEEP',
  );
});

test('lists of tens of thousands are compared without comparing each with each', () => {
  const patch = create(
    { spec: { containers: many('i') } },
    { spec: { containers: many('j').reverse() } },
  );
  expect(patch).toHaveProperty(['spec', 'containers', 0], { name: 'c29999', image: 'j' });
});

function select(value: string): JsonObject {
  return { spec: { selector: { matchLabels: { a: value, b: 'x' } } } };
}

function condition(type: string, status: string): JsonObject {
  return { type, status, reason: 'R' };
}

function ports(...protocols: string[]): JsonObject {
  const list = protocols.map((protocol) => ({ containerPort: 53, protocol }));
  return { spec: { containers: [{ name: 'c', ports: list }] } };
}

function finalizers(...list: string[]): JsonObject {
  return { metadata: { finalizers: list } };
}

function deep(end: string): JsonObject {
  return JSON.parse(`${'{"not":'.repeat(100_000)}${end}${'}'.repeat(100_000)}`) as JsonObject;
}

function many(image: string): JsonObject[] {
  return Array.from({ length: 30_000 }, (_, index) => ({ name: `c${index}`, image }));
}
