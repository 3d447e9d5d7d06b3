import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { structOf } from '../schema/schema.ts';
import { semanticallyEqual, shareEqualFields } from './semantic-equal.ts';

const STATUS = structOf('core/v1.PodStatus');

function equal(a: object, b: object): boolean {
  const answer = semanticallyEqual(a, b, STATUS);
  expect(semanticallyEqual(b, a, STATUS), 'the other way round').toBe(answer);
  return answer;
}

/** A status with this one container. */
function withContainer(fields: object): object {
  return { containerStatuses: [{ name: 'c', ...fields }] };
}

describe('where Go holds a plain value, absent and zero are one', () => {
  test.each([
    ['a text', { reason: '' }],
    ['a number', { observedGeneration: 0 }],
    ['an explicit null', { message: null }],
    ['a flag', withContainer({ ready: false })],
    ['a nested number', withContainer({ restartCount: 0 })],
    ['a struct', withContainer({ state: {} })],
    ['a struct of nothing', withContainer({ lastState: { terminated: null } })],
  ])('%s', (_name, zero) => {
    expect(equal(zero, 'containerStatuses' in zero ? withContainer({}) : {})).toBe(true);
  });

  test('what is not zero is not absent', () => {
    expect(equal({ reason: 'x' }, {})).toBe(false);
    expect(equal({ observedGeneration: 1 }, {})).toBe(false);
    expect(equal(withContainer({ ready: true }), withContainer({}))).toBe(false);
  });
});

describe('where Go holds a pointer, absent and zero are two', () => {
  test('started: false differs from no started', () => {
    expect(equal(withContainer({ started: false }), withContainer({}))).toBe(false);
    expect(equal(withContainer({ started: null }), withContainer({}))).toBe(true);
  });

  test('SM-73: waiting: {} is a waiting state, an empty state is not', () => {
    const waits = withContainer({ state: { waiting: {} } });
    expect(equal(waits, withContainer({ state: {} }))).toBe(false);
    expect(equal(waits, withContainer({ state: { waiting: { reason: '' } } }))).toBe(true);
  });

  test('resources of nothing are there, absent ones are not', () => {
    expect(equal({ resources: {} }, {})).toBe(false);
    expect(equal({ resources: { limits: {} } }, { resources: {} })).toBe(true);
  });

  test('no start time is none, written or not', () => {
    expect(equal({ startTime: null }, {})).toBe(true);
  });
});

describe('SM-25: lists and maps are empty or they are not', () => {
  test('nil and empty are the same', () => {
    expect(equal({ podIPs: [] }, {})).toBe(true);
    expect(equal({ podIPs: null }, { podIPs: [] })).toBe(true);
    expect(equal({ allocatedResources: {} }, {})).toBe(true);
  });

  test('order and length of a list count', () => {
    const [a, b] = [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }];
    expect(equal({ podIPs: [a, b] }, { podIPs: [{ ...a }, { ...b }] })).toBe(true);
    expect(equal({ podIPs: [a, b] }, { podIPs: [b, a] })).toBe(false);
    expect(equal({ podIPs: [a, b] }, { podIPs: [a] })).toBe(false);
    expect(equal({ podIPs: [a] }, {})).toBe(false);
  });

  test('the order of keys does not count, and a zero in a map is not an absent key', () => {
    const [cpu, memory] = ['1', '2Gi'];
    expect(
      equal({ allocatedResources: { cpu, memory } }, { allocatedResources: { memory, cpu } }),
    ).toBe(true);
    expect(
      equal({ allocatedResources: { cpu, memory: '0' } }, { allocatedResources: { cpu } }),
    ).toBe(false);
  });
});

describe('quantities are compared by amount', () => {
  test.each([
    ['1', '1000m'],
    ['1Gi', '1024Mi'],
    ['1e3', '1k'],
    ['0.5', '500m'],
    ['0', '0Mi'],
  ])('%s is %s', (a, b) => {
    expect(equal({ allocatedResources: { x: a } }, { allocatedResources: { x: b } })).toBe(true);
  });

  test('a number stands for its text', () => {
    expect(equal({ allocatedResources: { cpu: 2 } }, { allocatedResources: { cpu: '2' } })).toBe(
      true,
    );
  });

  test('1G is not 1Gi', () => {
    expect(equal({ allocatedResources: { x: '1G' } }, { allocatedResources: { x: '1Gi' } })).toBe(
      false,
    );
  });

  test('what cannot be read equals only itself', () => {
    const broken = { allocatedResources: { cpu: 'lots' } };
    expect(equal(broken, { allocatedResources: { cpu: 'lots' } })).toBe(true);
    expect(equal(broken, { allocatedResources: { cpu: 'plenty' } })).toBe(false);
    expect(equal(broken, { allocatedResources: { cpu: '1' } })).toBe(false);
  });
});

describe('times are compared by instant', () => {
  test('another zone is the same moment', () => {
    expect(
      equal({ startTime: '2026-01-02T03:04:05Z' }, { startTime: '2026-01-02T04:04:05+01:00' }),
    ).toBe(true);
  });

  test('a fraction of a second is a difference', () => {
    expect(
      equal({ startTime: '2026-01-02T03:04:05Z' }, { startTime: '2026-01-02T03:04:05.1Z' }),
    ).toBe(false);
  });

  test('the finer times of a lease as well', () => {
    const spec = structOf('coordination/v1.LeaseSpec');
    const renewed = (renewTime: string) => ({ renewTime });
    const noon = renewed('2026-01-02T12:00:00.000000Z');
    const same = renewed('2026-01-02T13:00:00.000000+01:00');
    expect(semanticallyEqual(noon, same, spec)).toBe(true);
    expect(semanticallyEqual(noon, renewed('2026-01-02T12:00:00.000001Z'), spec)).toBe(false);
  });

  test('what cannot be read equals only itself', () => {
    expect(equal({ startTime: 'noon' }, { startTime: 'noon' })).toBe(true);
    expect(equal({ startTime: 'noon' }, { startTime: '2026-01-02T03:04:05Z' })).toBe(false);
  });
});

describe('fields that the schema does not know are compared as plain JSON', () => {
  test('equal ones are equal however deep, in any order of keys', () => {
    expect(
      equal({ newField: { a: [1, { b: 2 }], c: 3 } }, { newField: { c: 3, a: [1, { b: 2 }] } }),
    ).toBe(true);
    expect(equal({ newField: { a: [1] } }, { newField: { a: [2] } })).toBe(false);
  });

  test('so are values whose form the schema leaves open', () => {
    const entry = structOf('meta/v1.ManagedFieldsEntry');
    const fields = (name: string) => ({ fieldsV1: { [name]: {} } });
    expect(semanticallyEqual(fields('f:a'), fields('f:a'), entry)).toBe(true);
    expect(semanticallyEqual(fields('f:a'), fields('f:b'), entry)).toBe(false);
  });

  test('one that only one side has is ignored', () => {
    expect(equal({ newField: 0 }, {})).toBe(true);
    expect(equal({}, { newField: { a: 1 } })).toBe(true);
    expect(equal({ newField: null }, { newField: 1 })).toBe(false);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is a key like any other',
    (key) => {
      const object = (value: number): object => JSON.parse(`{"${key}": ${value}}`) as object;
      expect(equal(object(1), object(1))).toBe(true);
      expect(equal(object(1), object(2))).toBe(false);
      expect(equal({ allocatedResources: object(1) }, { allocatedResources: { x: 1 } })).toBe(
        false,
      );
      expect(equal({ allocatedResources: object(1) }, { allocatedResources: object(1) })).toBe(
        true,
      );
    },
  );
});

describe('exceptions', () => {
  const except = new Set(['reason', 'podIPs']);

  test('fields that are excepted do not count, whichever side has them', () => {
    const other = { reason: 'y', podIPs: [{ ip: '10.0.0.1' }] };
    expect(semanticallyEqual({ reason: 'x' }, other, STATUS, except)).toBe(true);
    expect(semanticallyEqual({}, other, STATUS, except)).toBe(true);
    expect(semanticallyEqual(other, {}, STATUS, except)).toBe(true);
    expect(semanticallyEqual({ phase: 'Running' }, other, STATUS, except)).toBe(false);
  });

  test('they name fields of the outermost object only', () => {
    const [a, b] = ['a', 'b'].map((reason) => withContainer({ state: { waiting: { reason } } }));
    expect(semanticallyEqual(a ?? {}, b ?? {}, STATUS, except)).toBe(false);
  });
});

test('an object equals itself without being compared', () => {
  const object = {
    get phase(): string {
      throw new Error('looked at');
    },
  };
  expect(semanticallyEqual(object, object, STATUS)).toBe(true);
});

test('any JSON equals its copy', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      expect(equal(object, JSON.parse(JSON.stringify(object)) as object)).toBe(true);
    }),
  );
});

describe('shareEqualFields', () => {
  const base = {
    phase: 'Running',
    startTime: '2026-01-02T03:04:05Z',
    podIPs: [{ ip: '10.0.0.1' }],
    allocatedResources: { cpu: '1' },
  };

  test('if everything is equal, the base comes back itself', () => {
    expect(shareEqualFields(base, structuredClone(base), STATUS)).toBe(base);
    const respelled = {
      ...base,
      startTime: '2026-01-02T04:04:05+01:00',
      allocatedResources: { cpu: '1000m' },
      reason: '',
    };
    expect(shareEqualFields<object>(base, respelled, STATUS)).toBe(base);
  });

  test('what differs is the new one, and the rest is the base’s, with its spelling', () => {
    const next = {
      ...structuredClone(base),
      phase: 'Failed',
      allocatedResources: { cpu: '1000m' },
    };
    const shared = shareEqualFields(base, next, STATUS);
    expect(shared).toEqual({ ...base, phase: 'Failed' });
    expect(shared.podIPs).toBe(base.podIPs);
    expect(shared.allocatedResources).toBe(base.allocatedResources);
  });

  test('a field that is gone is gone, and one that is new is there', () => {
    const { phase: _, ...gone } = base;
    expect(shareEqualFields<object>(base, gone, STATUS)).toEqual(gone);
    const more = { ...base, reason: 'Evicted' };
    expect(shareEqualFields<object>(base, more, STATUS)).toEqual(more);
  });

  test('a zero that the base does not spell is not spelled', () => {
    const next = { ...base, phase: 'Failed', reason: '', hostIPs: [] };
    expect(Object.keys(shareEqualFields<object>(base, next, STATUS))).toEqual(Object.keys(base));
  });

  test('a zero that the base spells stays spelled', () => {
    const spelled = { ...base, reason: '' };
    const next = { ...base, phase: 'Failed' };
    expect(shareEqualFields<object>(spelled, next, STATUS)).toEqual({ ...next, reason: '' });
  });

  test('__proto__ is a field like any other', () => {
    const [one, two] = ['{"__proto__": 1, "phase": "a"}', '{"__proto__": 1, "phase": "b"}'].map(
      (text) => JSON.parse(text) as object,
    );
    expect(Object.entries(shareEqualFields(one ?? {}, two ?? {}, STATUS))).toEqual([
      ['__proto__', 1],
      ['phase', 'b'],
    ]);
  });

  test('neither side is touched', () => {
    const [one, two] = [Object.freeze({ ...base }), Object.freeze({ ...base, phase: 'Failed' })];
    expect(shareEqualFields(one, two, STATUS)).toEqual(two);
  });
});
