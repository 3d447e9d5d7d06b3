import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvariantError } from '../assert.ts';
import { Counter } from './counter.ts';
import { Family } from './family.ts';

function family<const Label extends string>(...labels: readonly Label[]): Family<Counter, Label> {
  return new Family({ kind: 'counter', name: 'x', help: 'X.', labels }, () => new Counter());
}

function texts(of: Family<Counter, string>): readonly string[] {
  return [...of.members()].map(({ labelText }) => labelText);
}

describe('with', () => {
  test('the same values find the same metric, in whatever order they are given', () => {
    const requests = family('method', 'code');
    const kept = requests.with({ method: 'GET', code: '200' });
    expect(requests.with({ code: '200', method: 'GET' })).toBe(kept);
    expect(requests.with({ code: '404', method: 'GET' })).not.toBe(kept);
  });

  test('values that look alike when joined stay apart', () => {
    const pairs = family('a', 'b');
    expect(pairs.with({ a: 'x,y', b: '' })).not.toBe(pairs.with({ a: 'x', b: 'y,' }));
    expect(pairs.with({ a: '', b: 'x' })).not.toBe(pairs.with({ a: 'x', b: '' }));
  });

  test('an undeclared label is a bug', () => {
    const requests = family('method');
    const values = { method: 'GET', code: '200' };
    expect(() => requests.with(values)).toThrow(new InvariantError('x has no label code'));
  });

  test('a missing label is a bug, and shows nothing', () => {
    const requests = family('method', 'constructor');
    // @ts-expect-error: the label `constructor` is missing, and the prototype's does not count.
    expect(() => requests.with({ method: 'GET' })).toThrow(InvariantError);
    expect(texts(requests)).toEqual([]);
  });

  test('a metric without labels takes none', () => {
    expect(() => family().with({ code: '200' })).toThrow(InvariantError);
  });

  test('a value that is no string is a bug', () => {
    // @ts-expect-error: a number is no label value.
    expect(() => family('code').with({ code: 200 })).toThrow(InvariantError);
  });

  test('names from the prototype are values like others', () => {
    const names = family('constructor');
    names.with({ constructor: '__proto__' }).inc();
    names.with({ constructor: 'constructor' }).inc();
    expect(texts(names)).toEqual(['constructor="__proto__"', 'constructor="constructor"']);
  });

  test('any two sets of values share a metric only if they are equal', () => {
    const values = fc.record({ a: fc.string(), b: fc.string() });
    fc.assert(
      fc.property(fc.array(values), (list) => {
        const pairs = family('a', 'b');
        const model = new Map<string, number>();
        for (const each of list) {
          pairs.with(each).inc();
          const key = JSON.stringify([each.a, each.b]);
          model.set(key, (model.get(key) ?? 0) + 1);
        }
        for (const [key, count] of model) {
          const [a, b] = JSON.parse(key) as [string, string];
          expect(pairs.with({ a, b }).value).toBe(count);
        }
        expect([...pairs.members()]).toHaveLength(model.size);
      }),
    );
  });
});

describe('what is shown', () => {
  test('labels are in alphabetical order, metrics in the order of their values', () => {
    const requests = family('method', 'code');
    requests.with({ method: 'PUT', code: '200' });
    requests.with({ method: 'GET', code: '404' });
    requests.with({ method: 'GET', code: '200' });
    expect(requests.labels).toEqual(['code', 'method']);
    expect(texts(requests)).toEqual([
      'code="200",method="GET"',
      'code="200",method="PUT"',
      'code="404",method="GET"',
    ]);
  });

  test('backslashes, quotes and line breaks in values are escaped', () => {
    const files = family('path');
    files.with({ path: 'C:\\new "dir"\n' });
    expect(texts(files)).toEqual(['path="C:\\\\new \\"dir\\"\\n"']);
  });
});

describe('remove and reset', () => {
  test('a removed metric is gone, and its neighbours stay', () => {
    const pods = family('namespace', 'pod');
    pods.with({ namespace: 'a', pod: 'x' }).inc();
    pods.with({ namespace: 'a', pod: 'y' }).inc();
    expect(pods.remove({ namespace: 'a', pod: 'x' })).toBe(true);
    expect(texts(pods)).toEqual(['namespace="a",pod="y"']);
    expect(pods.remove({ namespace: 'a', pod: 'x' })).toBe(false);
    expect(pods.remove({ namespace: 'b', pod: 'y' })).toBe(false);
    expect(pods.with({ namespace: 'a', pod: 'x' }).value).toBe(0);
  });

  test('removing with an undeclared label is a bug', () => {
    const values = { pod: 'x', node: 'n' };
    expect(() => family('pod').remove(values)).toThrow(InvariantError);
  });

  test('what was added and removed again leaves the same as before', () => {
    const values = fc.record({ a: fc.constantFrom('1', '2'), b: fc.constantFrom('1', '2') });
    const steps = fc.array(fc.tuple(fc.boolean(), values));
    fc.assert(
      fc.property(steps, (steps) => {
        const pairs = family('a', 'b');
        const model = new Set<string>();
        for (const [add, { a, b }] of steps) {
          const text = `a="${a}",b="${b}"`;
          const had = model.has(text);
          if (add) model.add(text);
          else model.delete(text);
          expect(add ? pairs.with({ a, b }) !== null : pairs.remove({ a, b }) === had).toBe(true);
        }
        expect(texts(pairs)).toEqual([...model].toSorted());
      }),
    );
  });

  test('a reset family shows only what is set again (SM-101)', () => {
    const reasons = family('reason');
    const kept = reasons.with({ reason: 'old' });
    reasons.reset();
    reasons.with({ reason: 'new' });
    kept.inc();
    expect(texts(reasons)).toEqual(['reason="new"']);
  });
});

describe('invalid labels', () => {
  test.each(['', '1a', 'a-b', 'ä', '__name__', '__proto__', 'le'])('%j is refused', (label) => {
    expect(() => family(label)).toThrow(InvariantError);
  });

  test('a label that is declared twice is refused', () => {
    expect(() => family('a', 'b', 'a')).toThrow(InvariantError);
  });
});
