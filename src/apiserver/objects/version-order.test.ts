import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareVersions } from './version-order.ts';

const IN_ORDER = ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'foo1', 'v0'];

test('versions are ordered as Kubernetes prefers them', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(IN_ORDER, { minLength: IN_ORDER.length }), (shuffled) => {
      expect(shuffled.toSorted(compareVersions)).toEqual(IN_ORDER);
    }),
  );
});
