import { describe, expect, test } from 'vitest';
import { PodkeepError } from '../../lib/errors.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { structOf } from '../schema/schema.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const POD = structOf('core/v1.Pod');

function frozen<Value extends Json>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) frozen(part);
    Object.freeze(value);
  }
  return value;
}

function apply(original: JsonObject, patch: Json): JsonObject {
  return applyStrategicMergePatch(frozen(original), frozen(patch), POD);
}

/** Patches one field of the spec. */
function applySpec(original: JsonObject, patch: JsonObject): Json | undefined {
  return apply({ spec: original }, { spec: patch })['spec'];
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

describe('fields', () => {
  test('null deletes, and deleting an absent field is no change', () => {
    const original = { metadata: { labels: { a: '1', b: '2' } } };
    expect(apply(original, { metadata: { labels: { a: null } } })).toEqual({
      metadata: { labels: { b: '2' } },
    });
    expect(apply(original, { metadata: { labels: { x: null }, name: null }, spec: null })).toBe(
      original,
    );
  });

  test('objects merge and scalars are replaced', () => {
    expect(
      applySpec(
        { nodeName: 'n', securityContext: { runAsUser: 1, fsGroup: 2 } },
        { nodeName: 'm', securityContext: { runAsUser: 3 } },
      ),
    ).toEqual({ nodeName: 'm', securityContext: { runAsUser: 3, fsGroup: 2 } });
  });

  test('what the original lacks is taken without its nulls and without directed objects', () => {
    const patch = {
      affinity: { a: null, nodeAffinity: { x: null }, podAffinity: { $patch: 'replace', y: 1 } },
      volumes: [
        { name: 'v', emptyDir: null },
        { $patch: 'delete', name: 'w' },
      ],
    };
    expect(applySpec({}, patch)).toEqual({
      affinity: { nodeAffinity: {} },
      volumes: [{ name: 'v' }],
    });
    expect(applySpec({}, { securityContext: { $patch: 'replace', runAsUser: 1 } })).toEqual({});
  });

  test('a value of another type is taken as it is', () => {
    expect(apply({ metadata: { labels: { a: '1' } } }, { metadata: { labels: ['x'] } })).toEqual({
      metadata: { labels: ['x'] },
    });
    expect(applySpec({ containers: [{ name: 'a' }] }, { containers: { name: 'a' } })).toEqual({
      containers: { name: 'a' },
    });
    expect(applySpec({ volumes: null }, { volumes: names('v') })).toEqual({ volumes: names('v') });
  });

  test('$patch replaces or empties the object that contains it (P-4: anything else is an error)', () => {
    const original = { status: { phase: 'Running', reason: 'R' }, metadata: { name: 'p' } };
    expect(
      apply(original, { status: { $patch: 'replace', phase: 'Failed', reason: null } }),
    ).toEqual({ status: { phase: 'Failed', reason: null }, metadata: { name: 'p' } });
    expect(apply(original, { status: { $patch: 'delete', phase: 'X' } })).toEqual({
      status: {},
      metadata: { name: 'p' },
    });
    expect(apply(original, { $patch: 'replace', kind: 'Pod' })).toEqual({ kind: 'Pod' });
    for (const directive of ['merge', 'zap', 1, null, []]) {
      const error = errorOf(() => apply(original, { status: { $patch: directive } }));
      expect(error.code).toBe('PATCH_DIRECTIVE_UNKNOWN');
    }
  });

  test('a field whose type says replace is replaced', () => {
    const original = { spec: { selector: { matchLabels: { a: '1' } } } };
    const patch = { spec: { selector: { matchExpressions: [] } } };
    const budget = structOf('policy/v1.PodDisruptionBudget');
    expect(applyStrategicMergePatch(frozen(original), frozen(patch), budget)).toEqual(patch);
  });
});

describe('lists of objects', () => {
  test('elements with the same merge key merge, in whatever list of P-3', () => {
    const original = {
      containers: [
        {
          name: 'c',
          env: [{ name: 'A', value: '1' }],
          ports: [{ containerPort: 80, name: 'web' }],
        },
      ],
    };
    const patch = {
      containers: [
        {
          name: 'c',
          env: [{ name: 'A', value: null, valueFrom: {} }],
          ports: [{ containerPort: 80, protocol: 'UDP' }],
          volumeMounts: [{ mountPath: '/a', name: 'v' }],
        },
      ],
    };
    expect(applySpec(original, patch)).toEqual({
      containers: [
        {
          name: 'c',
          env: [{ name: 'A', valueFrom: {} }],
          ports: [{ containerPort: 80, name: 'web', protocol: 'UDP' }],
          volumeMounts: [{ mountPath: '/a', name: 'v' }],
        },
      ],
    });
  });

  test('lists without a strategy are replaced whole (P-3, SM-75)', () => {
    expect(
      apply(
        { spec: { tolerations: [{ key: 'a' }] }, status: { containerStatuses: names('a', 'b') } },
        { spec: { tolerations: [{ key: 'b' }] }, status: { containerStatuses: names('b') } },
      ),
    ).toEqual({ spec: { tolerations: [{ key: 'b' }] }, status: { containerStatuses: names('b') } });
  });

  test('P-1: new elements go in front of what only the server has', () => {
    expect(applySpec({ volumes: names('a', 'b') }, { volumes: names('x', 'y') })).toEqual({
      volumes: names('x', 'y', 'a', 'b'),
    });
  });

  test('P-1: the server keeps its elements before a named one that stood behind them', () => {
    expect(applySpec({ volumes: names('a', 'b', 'c', 'd') }, { volumes: names('c', 'x') })).toEqual(
      { volumes: names('a', 'b', 'c', 'x', 'd') },
    );
  });

  test('P-1: $setElementOrder decides over named elements, even without a list', () => {
    expect(
      applySpec(
        { volumes: names('a', 'b', 'c') },
        { '$setElementOrder/volumes': names('c', 'gone', 'a') },
      ),
    ).toEqual({ volumes: names('b', 'c', 'a') });
    expect(
      applySpec(
        { volumes: names('a', 'b', 'c') },
        { '$setElementOrder/volumes': names('b', 'x', 'a'), volumes: names('x') },
      ),
    ).toEqual({ volumes: names('b', 'x', 'a', 'c') });
  });

  test('$setElementOrder of a list that neither side has does nothing', () => {
    const original = { spec: { nodeName: 'n' } };
    expect(apply(original, { spec: { '$setElementOrder/volumes': names('a') } })).toBe(original);
  });

  test('a list that only the patch has is ordered too, without its deletions', () => {
    expect(
      applySpec(
        {},
        {
          '$setElementOrder/volumes': names('a', 'b'),
          volumes: [{ name: 'a', nfs: null }, { name: 'b' }, { $patch: 'delete', name: 'c' }],
        },
      ),
    ).toEqual({ volumes: [{ name: 'a', nfs: null }, { name: 'b' }] });
  });

  test('$patch: delete takes out every element with that key, before anything is merged', () => {
    expect(
      applySpec(
        { volumes: [...names('a', 'b'), { name: 'a', emptyDir: {} }] },
        {
          volumes: [
            { $patch: 'delete', name: 'a' },
            { $patch: 'delete', name: 'nobody' },
          ],
        },
      ),
    ).toEqual({ volumes: names('b') });
    expect(
      applySpec(
        { volumes: [{ name: 'a', emptyDir: {} }, { name: 'b' }] },
        {
          volumes: [
            { name: 'a', nfs: {} },
            { $patch: 'delete', name: 'a' },
          ],
        },
      ),
    ).toEqual({ volumes: [{ name: 'a', nfs: {} }, { name: 'b' }] });
  });

  test('P-2: $patch: replace makes the list of the plain elements, itself left out', () => {
    const original = { containers: names('a', 'b') };
    expect(
      applySpec(original, { containers: [...names('z'), { $patch: 'replace', name: 'b' }] }),
    ).toEqual({ containers: names('z') });
    expect(applySpec(original, { containers: [{ $patch: 'replace' }] })).toEqual({
      containers: [],
    });
  });

  test('of two elements with the same key the first is merged and the second stays', () => {
    expect(
      applySpec(
        { containers: [{ name: 'c', ports: [port('TCP'), port('UDP')] }] },
        { containers: [{ name: 'c', ports: [{ containerPort: 53, name: 'dns' }] }] },
      ),
    ).toEqual({
      containers: [{ name: 'c', ports: [{ ...port('TCP'), name: 'dns' }, port('UDP')] }],
    });
  });

  test('a new element that the patch names twice is one element', () => {
    expect(
      applySpec(
        { volumes: names('a') },
        {
          volumes: [
            { name: 'x', nfs: {} },
            { name: 'x', emptyDir: {} },
          ],
        },
      ),
    ).toEqual({ volumes: [{ name: 'x', nfs: {}, emptyDir: {} }, { name: 'a' }] });
  });

  test('a new element is taken as the patch has it, nulls and all', () => {
    expect(
      apply(
        { status: { conditions: [] } },
        { status: { conditions: [{ type: 'Ready', lastProbeTime: null }] } },
      ),
    ).toEqual({ status: { conditions: [{ type: 'Ready', lastProbeTime: null }] } });
  });
});

describe('lists of scalars', () => {
  test('finalizers are united, in the order of P-1', () => {
    expect(finalizers(['a', 'b'], { finalizers: ['x', 'b', 'x'] })).toEqual({
      finalizers: ['x', 'a', 'b'],
    });
  });

  test('$deleteFromPrimitiveList takes values out, after the others were put in', () => {
    expect(
      finalizers(['a', 'b'], { finalizers: ['c'], '$deleteFromPrimitiveList/finalizers': ['a'] }),
    ).toEqual({ finalizers: ['c', 'b'] });
    expect(finalizers(['a'], { '$deleteFromPrimitiveList/finalizers': ['x'] })).toEqual({
      finalizers: ['a'],
    });
    expect(finalizers(['a'], { '$deleteFromPrimitiveList/ownerReferences': ['x'] })).toEqual({
      finalizers: ['a'],
    });
  });

  test('$deleteFromPrimitiveList works on lists that do not merge, too', () => {
    expect(
      applySpec(
        { containers: [{ name: 'c', args: ['a', 'b', 'a'] }] },
        { containers: [{ name: 'c', '$deleteFromPrimitiveList/args': ['a'] }] },
      ),
    ).toEqual({ containers: [{ name: 'c', args: ['b'] }] });
  });

  test('$setElementOrder orders them', () => {
    expect(
      finalizers(['a', 'b', 'c'], {
        '$setElementOrder/finalizers': ['d', 'b', 'a'],
        finalizers: ['d'],
      }),
    ).toEqual({ finalizers: ['d', 'b', 'a', 'c'] });
  });
});

describe('$retainKeys', () => {
  test('one volume source replaces another (P-3)', () => {
    expect(
      applySpec(
        { volumes: [{ name: 'v', emptyDir: {} }] },
        { volumes: [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'c' } }] },
      ),
    ).toEqual({ volumes: [{ name: 'v', configMap: { name: 'c' } }] });
  });

  test('a patch that sets what it does not retain contradicts itself', () => {
    const patches: JsonObject[] = [
      { $retainKeys: ['name'], nodeName: 'x' },
      { $retainKeys: 'nodeName', nodeName: 'x' },
      { $retainKeys: [['nodeName']], nodeName: 'x' },
      { $retainKeys: null },
    ];
    for (const patch of patches) {
      const error = errorOf(() => applySpec({ nodeName: 'n' }, patch));
      expect(error.code).toBe('PATCH_MALFORMED');
      expect(error.message).toBe('invalid patch format of retainKeys');
    }
    expect(
      applySpec({ nodeName: 'n', hostname: 'h' }, { $retainKeys: [1, 'hostname'], nodeName: null }),
    ).toEqual({ hostname: 'h' });
  });
});

function port(protocol: string): JsonObject {
  return { containerPort: 53, protocol };
}

function finalizers(original: Json, patch: JsonObject): Json {
  return apply({ metadata: { finalizers: original } }, { metadata: patch })['metadata'] ?? null;
}
