import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { decide, type Decision, type Dependent, type OwnerState } from './collection.ts';

const plain: JsonObject = { metadata: { uid: 'x' } };
const leaving = (...finalizers: readonly string[]): JsonObject => ({
  metadata: { uid: 'x', deletionTimestamp: '2030-01-01T00:00:00Z', finalizers },
});

function judge(
  object: JsonObject,
  states: readonly OwnerState[],
  dependents: readonly Dependent[] = [],
  isInCircle = false,
): Decision {
  const owners = states.map((state, index) => {
    const uid = `${state}-${index}`;
    return [{ apiVersion: 'v1', kind: 'K', name: uid, uid, isBlocking: false }, state] as const;
  });
  return decide(object, { owners: () => owners, dependents, isInCircle: () => isInCircle });
}

const dependent = (uid: string, isBlocking: boolean, isWaiting = false): Dependent => ({
  uid,
  isBlocking,
  isWaiting,
});

describe('an object that is not being deleted', () => {
  test('is kept without owners', () => {
    expect(judge(plain, [])).toEqual({ type: 'keep' });
  });

  test('is kept as long as one of its owners stands', () => {
    expect(judge(plain, ['solid', 'solid'])).toEqual({ type: 'keep' });
  });

  test('drops owners that are gone or only wait, if another one stands', () => {
    expect(judge(plain, ['dangling', 'solid', 'waiting'])).toEqual({
      type: 'dropOwners',
      uids: new Set(['dangling-0', 'waiting-2']),
    });
  });

  test('goes when all its owners are gone', () => {
    expect(judge(plain, ['dangling', 'dangling'])).toEqual({
      type: 'delete',
      propagation: 'Background',
      unblocks: false,
    });
  });

  test.each([
    ['orphan', 'Orphan'],
    ['foregroundDeletion', 'Foreground'],
  ])('that carries the finalizer %s goes the way that it says', (finalizer, propagation) => {
    const object = { metadata: { uid: 'x', finalizers: [finalizer] } };
    expect(judge(object, ['dangling'])).toMatchObject({ type: 'delete', propagation });
  });

  test('waits for its own dependents if an owner waits for it', () => {
    expect(judge(plain, ['waiting'], [dependent('d', false)])).toEqual({
      type: 'delete',
      propagation: 'Foreground',
      unblocks: false,
    });
  });

  test('gets out of the way of its owners if a dependent waits as well', () => {
    const decision = judge(plain, ['waiting'], [dependent('d', true, true)]);
    expect(decision).toMatchObject({ propagation: 'Foreground', unblocks: true });
  });

  test('without dependents does not wait', () => {
    expect(judge(plain, ['waiting', 'dangling'])).toMatchObject({ propagation: 'Background' });
  });

  test('that names an owner which cannot be one is left alone', () => {
    expect(judge(plain, ['dangling', 'impossible'])).toEqual({ type: 'keep' });
  });
});

describe('an object that is being deleted', () => {
  test('is not judged by its owners any more', () => {
    expect(judge(leaving('example.com/x'), ['dangling'])).toEqual({ type: 'keep' });
  });

  test('with the orphan finalizer lets its dependents forget it first', () => {
    const decision = judge(leaving('orphan'), [], [dependent('a', true), dependent('b', false)]);
    expect(decision).toEqual({ type: 'orphanDependents', uids: ['a', 'b'] });
  });

  test('with both finalizers orphans before it waits', () => {
    expect(judge(leaving('foregroundDeletion', 'orphan'), []).type).toBe('orphanDependents');
  });

  test('that waits is released when nobody blocks it', () => {
    const decision = judge(leaving('foregroundDeletion'), [], [dependent('a', false)]);
    expect(decision).toEqual({ type: 'release' });
  });

  test('that waits wakes those who block it and do not wait themselves', () => {
    const all = [dependent('a', true), dependent('b', true, true), dependent('c', false)];
    const decision = judge(leaving('foregroundDeletion'), [], all, true);
    expect(decision).toEqual({ type: 'wakeDependents', uids: ['a'] });
  });

  test('that waits for those who wait stops to block if they wait for it', () => {
    const object = leaving('foregroundDeletion');
    const all = [dependent('a', true, true)];
    expect(judge(object, [], all, false)).toEqual({ type: 'keep' });
    expect(judge(object, [], all, true)).toEqual({ type: 'unblock' });
  });
});
