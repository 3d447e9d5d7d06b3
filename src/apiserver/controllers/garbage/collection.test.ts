import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { decideCollection, type Decision, type Dependent, type OwnerState } from './collection.ts';

const plain: JsonObject = { metadata: { uid: 'x' } };
const leaving = (...finalizers: readonly string[]): JsonObject => ({
  metadata: { uid: 'x', deletionTimestamp: '2030-01-01T00:00:00Z', finalizers },
});

function collect(
  object: JsonObject,
  states: readonly OwnerState[],
  dependents: readonly Dependent[] = [],
  isInCircle = false,
): Decision {
  const owners = states.map((state, index) => {
    const uid = `${state}-${index}`;
    return [{ apiVersion: 'v1', kind: 'K', name: uid, uid, isBlocking: false }, state] as const;
  });
  return decideCollection(object, {
    owners: () => owners,
    dependents,
    isInCircle: () => isInCircle,
  });
}

const dependent = (uid: string, isBlocking: boolean, isWaiting = false): Dependent => ({
  uid,
  isBlocking,
  isWaiting,
});

describe('an object that is not being deleted', () => {
  test('stays without owners', () => {
    expect(collect(plain, [])).toEqual({ type: 'keep' });
  });

  test('stays while one of its owners exists', () => {
    expect(collect(plain, ['solid', 'solid'])).toEqual({ type: 'keep' });
  });

  test('drops owners that are gone or only waiting, if another one exists', () => {
    expect(collect(plain, ['dangling', 'solid', 'waiting'])).toEqual({
      type: 'dropOwners',
      uids: new Set(['dangling-0', 'waiting-2']),
    });
  });

  test('is deleted when all its owners are gone', () => {
    expect(collect(plain, ['dangling', 'dangling'])).toEqual({
      type: 'delete',
      propagation: 'Background',
      unblocks: false,
    });
  });

  test.each([
    ['orphan', 'Orphan'],
    ['foregroundDeletion', 'Foreground'],
  ])('that carries the finalizer %s is deleted with that propagation', (finalizer, propagation) => {
    const object = { metadata: { uid: 'x', finalizers: [finalizer] } };
    expect(collect(object, ['dangling'])).toMatchObject({ type: 'delete', propagation });
  });

  test('waits for its own dependents if an owner waits for it', () => {
    expect(collect(plain, ['waiting'], [dependent('d', false)])).toEqual({
      type: 'delete',
      propagation: 'Foreground',
      unblocks: false,
    });
  });

  test('stops blocking its owners if a dependent waits as well', () => {
    const decision = collect(plain, ['waiting'], [dependent('d', true, true)]);
    expect(decision).toMatchObject({ propagation: 'Foreground', unblocks: true });
  });

  test('without dependents does not wait', () => {
    expect(collect(plain, ['waiting', 'dangling'])).toMatchObject({ propagation: 'Background' });
  });

  test('that names an impossible owner is left alone', () => {
    expect(collect(plain, ['dangling', 'impossible'])).toEqual({ type: 'keep' });
  });
});

describe('an object that is being deleted', () => {
  test('is kept whatever its owners are', () => {
    expect(collect(leaving('example.com/x'), ['dangling'])).toEqual({ type: 'keep' });
  });

  test('with the orphan finalizer first removes itself from its dependents', () => {
    const decision = collect(leaving('orphan'), [], [dependent('a', true), dependent('b', false)]);
    expect(decision).toEqual({ type: 'orphanDependents', uids: ['a', 'b'] });
  });

  test('with both finalizers orphans before it waits', () => {
    expect(collect(leaving('foregroundDeletion', 'orphan'), []).type).toBe('orphanDependents');
  });

  test('that waits is released when no dependent blocks it', () => {
    const decision = collect(leaving('foregroundDeletion'), [], [dependent('a', false)]);
    expect(decision).toEqual({ type: 'release' });
  });

  test('that waits wakes the dependents that block it and do not wait themselves', () => {
    const all = [dependent('a', true), dependent('b', true, true), dependent('c', false)];
    const decision = collect(leaving('foregroundDeletion'), [], all, true);
    expect(decision).toEqual({ type: 'wakeDependents', uids: ['a'] });
  });

  test('that waits stops blocking its owners if its dependents wait for it in a circle', () => {
    const object = leaving('foregroundDeletion');
    const all = [dependent('a', true, true)];
    expect(collect(object, [], all, false)).toEqual({ type: 'keep' });
    expect(collect(object, [], all, true)).toEqual({ type: 'unblock' });
  });
});
