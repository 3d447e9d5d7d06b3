import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import { changeGivenAt, changeStructAt, structAt, valueAt } from './field-path.ts';

const paths = fc
  .array(fc.constantFrom('spec', 'template', 'metadata', 'constructor'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((words) => words.join('.'));

describe('valueAt', () => {
  it('finds own fields, and nothing on the prototype', () => {
    const object = { spec: { template: { a: 1 } } };
    expect(valueAt(object, 'spec.template.a')).toBe(1);
    expect(valueAt(object, 'spec.missing.a')).toBeUndefined();
    expect(valueAt(object, 'spec.constructor')).toBeUndefined();
  });
});

describe('changeStructAt', () => {
  it('creates the structs on its path, and shares everything beside it', () => {
    const object = deepFreeze({ metadata: { name: 'x' }, spec: { a: { b: 1 } } });
    const changed = changeStructAt(object, 'spec.template.spec', () => ({ c: 2 }));
    expect(changed).toEqual({
      metadata: { name: 'x' },
      spec: { a: { b: 1 }, template: { spec: { c: 2 } } },
    });
    expect(changed['metadata']).toBe(object.metadata);
    expect(valueAt(changed, 'spec.a')).toBe(object.spec.a);
  });

  it('what was put there is found afterwards', () => {
    fc.assert(
      fc.property(paths, fc.integer(), (path, number) => {
        const changed = changeStructAt({}, path, () => ({ number }));
        expect(structAt(changed, path)).toEqual({ number });
      }),
    );
  });

  it('returns the same object if nothing changed', () => {
    const object = deepFreeze({ spec: { template: { a: 1 } } });
    expect(changeStructAt(object, 'spec.template', (same) => same)).toBe(object);
  });
});

describe('changeGivenAt', () => {
  it('leaves an absent object absent', () => {
    const object = deepFreeze({ spec: {} });
    expect(changeGivenAt(object, 'spec.template', () => ({ a: 1 }))).toBe(object);
    expect(changeGivenAt({ spec: { t: {} } }, 'spec.t', () => ({ a: 1 }))).toEqual({
      spec: { t: { a: 1 } },
    });
  });
});
