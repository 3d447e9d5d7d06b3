import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { OwnershipGraph } from './ownership-graph.ts';
import { withoutBlocking, withoutFinalizer, withoutOwners } from './owner-reference.ts';

function objectOf(uid: string, owners: readonly string[]): JsonObject {
  const ownerReferences = owners.map((owner) => ({ uid: owner }));
  return { metadata: { uid, ...(owners.length > 0 && { ownerReferences }) } };
}

const uid = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const step = fc.record({ uid, owners: fc.uniqueArray(uid, { maxLength: 3 }), isPut: fc.boolean() });

test('after any history the graph agrees with the objects', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const graph = new OwnershipGraph();
      const objects = new Map<string, JsonObject>();
      for (const { uid: one, owners, isPut } of steps) {
        const before = objects.get(one) ?? null;
        if (isPut) {
          const object = objectOf(one, owners);
          graph.put(`/core/configmaps/default/${one}`, object, before);
          objects.set(one, object);
        } else if (before) {
          graph.delete(before);
          objects.delete(one);
        }
      }
      for (const owner of ['a', 'b', 'c', 'd', 'e']) {
        const expected = [...objects].flatMap(([one, object]) =>
          JSON.stringify(object).includes(`"ownerReferences"`) &&
          JSON.stringify(object).includes(`{"uid":"${owner}"}`)
            ? one
            : [],
        );
        expect(new Set(graph.dependentsOf(owner))).toEqual(new Set(expected));
        expect(graph.keyOf(owner) !== undefined).toBe(objects.has(owner));
      }
    }),
  );
});

test('an object that replaces another has its own dependents', () => {
  const graph = new OwnershipGraph();
  const [first, second] = [objectOf('a', ['o']), objectOf('b', [])];
  graph.put('/k', first, null);
  graph.put('/k', second, first);
  expect(graph.keyOf('a')).toBeUndefined();
  expect(graph.keyOf('b')).toBe('/k');
  expect(graph.dependentsOf('o').size).toBe(0);
});

test('removing what is not there returns the very same object', () => {
  const object = objectOf('a', ['b']);
  expect(withoutOwners(object, new Set(['c']))).toBe(object);
  expect(withoutBlocking(object)).toBe(object);
  expect(withoutFinalizer(object, 'orphan')).toBe(object);
});

test('the last owner and the last finalizer take their lists with them', () => {
  const object: JsonObject = {
    metadata: { uid: 'a', ownerReferences: [{ uid: 'b' }], finalizers: ['orphan'] },
  };
  expect(withoutOwners(object, new Set(['b']))['metadata']).not.toHaveProperty('ownerReferences');
  expect(withoutFinalizer(object, 'orphan')['metadata']).not.toHaveProperty('finalizers');
});

test('withoutBlocking clears blockOwnerDeletion where it is true, and leaves other references alone', () => {
  const ownerReferences = [{ uid: 'b', blockOwnerDeletion: true }, { uid: 'c' }];
  expect(withoutBlocking({ metadata: { uid: 'a', ownerReferences } })).toEqual({
    metadata: {
      uid: 'a',
      ownerReferences: [{ uid: 'b', blockOwnerDeletion: false }, { uid: 'c' }],
    },
  });
});
