import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairQueues } from './fair-queues.ts';

const LIMITS = { seats: 4, seatsPerUser: 2, queuePerUser: 3, queueTotal: 7 };

function queues(): FairQueues<'high' | 'low'> {
  return new FairQueues(
    new Map([
      ['high', LIMITS],
      ['low', LIMITS],
    ]),
  );
}

test('users take turns, however many requests one of them sent', () => {
  const fair = new FairQueues(
    new Map([['only', { seats: 1, seatsPerUser: 1, queuePerUser: 100, queueTotal: 100 }]]),
  );
  const user = new Map<number, string>();
  for (const name of ['a', 'a', 'a', 'b', 'c', 'b']) {
    const id = fair.enqueue('only', name);
    if (id !== null) user.set(id, name);
  }
  const order: (string | undefined)[] = [];
  for (let id = fair.take(); id !== undefined; id = fair.take()) {
    order.push(user.get(id));
    fair.finish(id);
  }
  expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

test('a level of higher priority comes first, and takes no seats from the others', () => {
  const fair = queues();
  const low = fair.enqueue('low', 'a');
  const high = ['a', 'b', 'c'].map((user) => fair.enqueue('high', user));
  expect([fair.take(), fair.take(), fair.take(), fair.take()]).toEqual([...high, low]);
});

test('a user has its share of the seats and no more', () => {
  const fair = queues();
  const [first, second, third] = [1, 2, 3].map(() => fair.enqueue('low', 'a'));
  const other = fair.enqueue('low', 'b');
  expect([fair.take(), fair.take(), fair.take(), fair.take()]).toEqual([
    first,
    other,
    second,
    undefined,
  ]);
  fair.finish(first ?? 0);
  expect(fair.take()).toBe(third);
});

test('a full queue refuses, and a request that left makes space', () => {
  const fair = queues();
  const ids = [1, 2, 3].map(() => fair.enqueue('low', 'a'));
  expect(fair.enqueue('low', 'a')).toBeNull();
  expect(fair.enqueue('low', 'b')).not.toBeNull();
  expect([fair.remove(ids[1] ?? 0), fair.remove(ids[1] ?? 0)]).toEqual([true, false]);
  expect(fair.enqueue('low', 'a')).not.toBeNull();
});

describe('whatever happens', () => {
  const step = fc.oneof(
    fc.record({
      type: fc.constant('enqueue' as const),
      level: fc.constantFrom('high' as const, 'low' as const),
      user: fc.constantFrom('a', 'b', 'c', 'd'),
    }),
    fc.record({ type: fc.constantFrom('take' as const, 'finish' as const, 'remove' as const) }),
  );

  test('the limits hold, and no seat is free while a request could have it', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const fair = queues();
        const broken: string[] = [];
        const check = (holds: boolean, rule: string): void => void (holds || broken.push(rule));
        const model = new Map<number, { level: string; user: string; isExecuting: boolean }>();
        const first = (isExecuting: boolean): number | undefined =>
          [...model].find(([, one]) => one.isExecuting === isExecuting)?.[0];
        const count = (level: string, isExecuting: boolean, user?: string): number =>
          [...model.values()].filter(
            (one) =>
              one.level === level &&
              one.isExecuting === isExecuting &&
              (user === undefined || one.user === user),
          ).length;
        for (const one of steps) {
          if (one.type === 'enqueue') {
            const isFull =
              count(one.level, false, one.user) >= LIMITS.queuePerUser ||
              count(one.level, false) >= LIMITS.queueTotal;
            const id = fair.enqueue(one.level, one.user);
            check((id === null) === isFull, 'refused if and only if full');
            if (id !== null) model.set(id, { ...one, isExecuting: false });
          } else if (one.type === 'take') {
            const id = fair.take();
            const taken = id === undefined ? undefined : model.get(id);
            const couldRun = [...model.values()].some(
              ({ level, user, isExecuting }) =>
                !isExecuting &&
                count(level, true) < LIMITS.seats &&
                count(level, true, user) < LIMITS.seatsPerUser,
            );
            check((taken !== undefined) === couldRun, 'a seat is used if one can run');
            if (!taken) continue;
            const oldest = [...model].find(
              ([, other]) =>
                !other.isExecuting && other.user === taken.user && other.level === taken.level,
            );
            check(oldest?.[0] === id, 'in order');
            taken.isExecuting = true;
            check(count(taken.level, true) <= LIMITS.seats, 'seats');
            check(count(taken.level, true, taken.user) <= LIMITS.seatsPerUser, 'share of a user');
          } else {
            const id = first(one.type === 'finish');
            if (id === undefined) continue;
            if (one.type === 'finish') fair.finish(id);
            else check(fair.remove(id), 'removed');
            model.delete(id);
          }
          for (const level of ['high', 'low'] as const) {
            expect(fair.counts(level)).toEqual({
              waiting: count(level, false),
              executing: count(level, true),
            });
          }
        }
        expect(broken).toEqual([]);
      }),
    );
  });
});
