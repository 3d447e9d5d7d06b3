import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Lanes } from './lanes.ts';

type Lane = 'urgent' | 'normal';

function lanesOf(...entries: readonly (readonly [string, Lane])[]): Lanes<string> {
  const lanes = new Lanes<string>();
  for (const [key, lane] of entries) lanes.add(key, lane);
  return lanes;
}

function drain(lanes: Lanes<string>): readonly (string | undefined)[] {
  return Array.from({ length: lanes.size }, () => lanes.shift());
}

describe('which key is next', () => {
  test('in one lane, the first to arrive', () => {
    expect(drain(lanesOf(['a', 'normal'], ['b', 'normal'], ['c', 'normal']))).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  test('one of the urgent lane, however late it arrived', () => {
    expect(
      drain(lanesOf(['a', 'normal'], ['b', 'urgent'], ['c', 'normal'], ['d', 'urgent'])),
    ).toEqual(['b', 'd', 'a', 'c']);
  });

  test('an urgent one that comes while the normal lane is served goes next', () => {
    const lanes = lanesOf(['a', 'normal'], ['b', 'normal']);
    expect(lanes.shift()).toBe('a');
    lanes.add('c', 'urgent');
    expect(drain(lanes)).toEqual(['c', 'b']);
  });
});

describe('each key is in it once', () => {
  test('a key that is added again keeps its position', () => {
    const lanes = lanesOf(['a', 'normal'], ['b', 'normal'], ['a', 'normal']);
    expect(lanes.size).toBe(2);
    expect(drain(lanes)).toEqual(['a', 'b']);
  });

  test('a key moves up behind those that are urgent already', () => {
    const lanes = lanesOf(['a', 'normal'], ['b', 'urgent'], ['a', 'urgent']);
    expect(lanes.size).toBe(2);
    expect(drain(lanes)).toEqual(['b', 'a']);
  });

  test('but never down', () => {
    expect(drain(lanesOf(['a', 'urgent'], ['b', 'urgent'], ['a', 'normal']))).toEqual(['a', 'b']);
  });

  test('once taken, it may be added again, at the end', () => {
    const lanes = lanesOf(['a', 'normal'], ['b', 'normal']);
    lanes.shift();
    lanes.add('a', 'normal');
    expect(drain(lanes)).toEqual(['b', 'a']);
  });
});

test('a key can be removed from either lane, and removing an absent one does nothing', () => {
  const lanes = lanesOf(['a', 'normal'], ['b', 'urgent'], ['c', 'normal']);
  for (const key of ['a', 'b', 'z']) lanes.delete(key);
  expect(drain(lanes)).toEqual(['c']);
});

test('an empty queue gives nothing, and works again afterwards', () => {
  const lanes = lanesOf();
  expect(lanes.shift()).toBeUndefined();
  lanes.add('a', 'normal');
  expect(lanes.shift()).toBe('a');
  expect(lanes.shift()).toBeUndefined();
  lanes.add('a', 'urgent');
  expect(drain(lanes)).toEqual(['a']);
});

/** Two plain lists, with the same rules implemented the slow way. */
class SlowLanes {
  readonly #lines: Record<Lane, string[]> = { urgent: [], normal: [] };

  add(key: string, lane: Lane): void {
    const { urgent, normal } = this.#lines;
    if (urgent.includes(key) || (lane === 'normal' && normal.includes(key))) return;
    this.delete(key);
    this.#lines[lane].push(key);
  }

  delete(key: string): void {
    for (const lane of ['urgent', 'normal'] as const) {
      this.#lines[lane] = this.#lines[lane].filter((other) => other !== key);
    }
  }

  shift(): string | undefined {
    return this.#lines.urgent.shift() ?? this.#lines.normal.shift();
  }

  get size(): number {
    return this.#lines.urgent.length + this.#lines.normal.length;
  }
}

test('through any history it behaves like two plain lists', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const step = fc.oneof(
    fc.record({
      do: fc.constant('add' as const),
      key,
      lane: fc.constantFrom<Lane>('urgent', 'normal'),
    }),
    fc.record({ do: fc.constant('delete' as const), key }),
    fc.record({ do: fc.constant('shift' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const lanes = new Lanes<string>();
      const slow = new SlowLanes();
      for (const each of steps) {
        const [fast, plain] = [lanes, slow].map((either) => {
          if (each.do === 'add') return either.add(each.key, each.lane);
          if (each.do === 'delete') return either.delete(each.key);
          return either.shift();
        });
        expect(fast).toBe(plain);
        expect(lanes.size).toBe(slow.size);
      }
    }),
  );
});
