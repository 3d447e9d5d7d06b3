import { expect, test } from 'vitest';
import { namespaceConditions, type Emptying } from './namespace-conditions.ts';

const EMPTY: Emptying = { failures: [], remaining: new Map(), finalizers: new Map() };
const [EARLY, LATE] = ['2030-01-01T00:00:00Z', '2030-01-02T00:00:00Z'];

test('an empty namespace has five conditions, none of them true', () => {
  const conditions = namespaceConditions([], EMPTY, EARLY);
  expect(conditions.map(({ type, status }) => [type, status])).toEqual([
    ['NamespaceDeletionDiscoveryFailure', 'False'],
    ['NamespaceDeletionGroupVersionParsingFailure', 'False'],
    ['NamespaceDeletionContentFailure', 'False'],
    ['NamespaceContentRemaining', 'False'],
    ['NamespaceFinalizersRemaining', 'False'],
  ]);
});

test('no change returns the very same list', () => {
  const conditions = namespaceConditions([], EMPTY, EARLY);
  expect(namespaceConditions(conditions, EMPTY, LATE)).toBe(conditions);
});

test('the time of a condition changes with its status, not with its message', () => {
  const remaining = (count: number): Emptying => ({
    ...EMPTY,
    remaining: new Map([['pods.', count]]),
  });
  const find = (conditions: ReturnType<typeof namespaceConditions>) =>
    conditions.find(({ type }) => type === 'NamespaceContentRemaining');
  const first = namespaceConditions([], remaining(2), EARLY);
  const second = namespaceConditions(first, remaining(1), LATE);
  expect(find(second)).toMatchObject({
    lastTransitionTime: EARLY,
    message: 'Some resources are remaining: pods. has 1 resource instances',
  });
  expect(find(namespaceConditions(second, EMPTY, LATE))).toMatchObject({
    status: 'False',
    lastTransitionTime: LATE,
  });
});

test('failures are counted and sorted', () => {
  const conditions = namespaceConditions([], { ...EMPTY, failures: ['b', 'a'] }, EARLY);
  expect(conditions[2]).toMatchObject({
    status: 'True',
    reason: 'ContentDeletionFailed',
    message: 'Failed to delete all resource types, 2 remaining: a, b',
  });
});

test("other controllers' conditions stay where they are", () => {
  const foreign = { type: 'Mine', status: 'True' };
  expect(namespaceConditions([foreign], EMPTY, EARLY)[0]).toBe(foreign);
});
