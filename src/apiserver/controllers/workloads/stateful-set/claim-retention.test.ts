import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../lib/json.ts';
import { textAt } from '../../../objects/field-path.ts';
import { claimOwners, isConflicting, isLeftover } from './claim-retention.ts';

const SET = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'set' };
const POD = { apiVersion: 'v1', kind: 'Pod', name: 'web-1', uid: 'pod' };
const owned = (reference: JsonObject): JsonObject => ({ ...reference, controller: true });
const claimOf = (...ownerReferences: readonly JsonObject[]): JsonObject => ({
  metadata: { ownerReferences },
});

function holder(policy: string, replicas: number) {
  const [whenDeleted = '', whenScaled = ''] = policy.split('/');
  const persistentVolumeClaimRetentionPolicy = { whenDeleted, whenScaled };
  return {
    set: {
      metadata: { name: 'web', uid: 'set' },
      spec: { replicas, persistentVolumeClaimRetentionPolicy },
    },
    pod: { metadata: { name: 'web-1', uid: 'pod' } },
    ordinal: 1,
  };
}

/** Of a claim that has no owners. */
const ownersUnder = (policy: string, replicas: number): string =>
  (claimOwners(claimOf(), holder(policy, replicas)) ?? []).map((one) => textAt(one, 'kind')).join();

describe('the owner of a claim', () => {
  test.each([
    ['Retain/Retain', '', ''],
    ['Delete/Retain', 'StatefulSet', 'StatefulSet'],
    ['Retain/Delete', '', 'Pod'],
    ['Delete/Delete', 'StatefulSet', 'Pod'],
  ])('%s: %s of a wanted pod, %s of one that is scaled away', (policy, wanted, scaled) => {
    expect([ownersUnder(policy, 2), ownersUnder(policy, 1)]).toEqual([wanted, scaled]);
  });

  test('is removed when the policy changes, and other owners stay', () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'c' };
    const claim = claimOf(other, owned(SET));
    expect(claimOwners(claim, holder('Retain/Retain', 2))).toEqual([other]);
    expect(claimOwners(claim, holder('Delete/Retain', 2))).toBeNull();
  });

  test('becomes its controller', () => {
    expect(claimOwners(claimOf(SET), holder('Delete/Retain', 2))).toMatchObject([owned(SET)]);
  });

  test('of an earlier set or pod is left to the garbage collector', () => {
    for (const earlier of [
      { ...SET, uid: 'earlier' },
      { ...POD, uid: 'earlier' },
    ]) {
      expect(claimOwners(claimOf(owned(earlier)), holder('Delete/Delete', 2))).toBeNull();
    }
  });

  test('is nothing of this set if another controller has the claim', () => {
    const other = owned({ apiVersion: 'a/v1', kind: 'Other', name: 'o', uid: 'o' });
    const policy = holder('Delete/Delete', 2);
    expect(isConflicting(claimOf(other), policy)).toBe(true);
    expect(claimOwners(claimOf(other), policy)).toBeNull();
    expect(claimOwners(claimOf(other, owned(SET)), policy)).toEqual([other]);
    expect(isConflicting(claimOf(other), holder('Retain/Retain', 2))).toBe(false);
  });
});

test('a claim of an earlier pod holds the next one back, if it goes with that pod', () => {
  const claim = claimOf(owned({ ...POD, uid: 'earlier' }));
  expect(isLeftover(claim, holder('Retain/Delete', 2))).toBe(true);
  expect(isLeftover(claim, holder('Retain/Retain', 2))).toBe(false);
  expect(isLeftover(claimOf(owned(POD)), holder('Retain/Delete', 2))).toBe(false);
});
