import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import {
  acceptNames,
  markTerminating,
  release,
  takenNames,
  DELETION_COMPLETED,
} from './crd-status.ts';
import { CLEANUP_FINALIZER, conditionOf, readNames } from './crd.ts';

const NOW = '2024-01-01T00:00:00Z';
const LATER = '2024-01-02T00:00:00Z';
const NAMES = { plural: 'ships', singular: 'ship', kind: 'Ship', listKind: 'ShipList' };

function crd(names: JsonObject = {}): JsonObject {
  return { metadata: { name: 'ships.a.b' }, spec: { group: 'a.b', names: { ...NAMES, ...names } } };
}

describe('names', () => {
  test('that are free are accepted, once', () => {
    const accepted = acceptNames(crd(), takenNames([]), NOW);
    expect(accepted['status']).toMatchObject({
      acceptedNames: NAMES,
      conditions: [
        { type: 'NamesAccepted', status: 'True', lastTransitionTime: NOW },
        { type: 'Established', status: 'True', lastTransitionTime: NOW },
      ],
    });
    expect(acceptNames(accepted, takenNames([]), LATER)).toBe(accepted);
  });

  test('that are taken are refused one by one, and the last one is reported', () => {
    const taken = takenNames([readNames({ ...NAMES, kind: 'Boat' })]);
    const { status } = acceptNames(crd({ shortNames: ['x', 'ships'] }), taken, NOW);
    expect(status).toMatchObject({
      acceptedNames: { kind: 'Ship' },
      conditions: [
        { status: 'False', reason: 'ListKindConflict', message: '"ShipList" is already in use' },
        { type: 'Established', status: 'False', reason: 'NotAccepted' },
      ],
    });
  });

  test('that another definition takes do not end what is established', () => {
    const accepted = acceptNames(crd(), takenNames([]), NOW);
    const asking = { ...accepted, spec: { group: 'a.b', names: { ...NAMES, shortNames: ['s'] } } };
    const taken = takenNames([readNames({ plural: 's' })]);
    const refused = acceptNames(asking, taken, LATER);
    expect(conditionOf(refused, 'NamesAccepted')).toMatchObject({
      status: 'False',
      reason: 'ShortNamesConflict',
      lastTransitionTime: LATER,
    });
    expect(conditionOf(refused, 'Established')).toMatchObject({
      status: 'True',
      lastTransitionTime: NOW,
    });
  });
});

describe('deletion', () => {
  test('adds the finalizer once, and sets Terminating', () => {
    const marked = markTerminating(crd(), NOW);
    expect(marked['metadata']).toMatchObject({ finalizers: [CLEANUP_FINALIZER] });
    expect(conditionOf(marked, 'Terminating')).toMatchObject({ reason: 'InstanceDeletionPending' });
    expect(markTerminating(marked, LATER)).toBe(marked);
  });

  test('that is done removes only its own finalizer', () => {
    const held = { ...crd(), metadata: { finalizers: ['other', CLEANUP_FINALIZER] } };
    const freed = release(held, DELETION_COMPLETED, NOW);
    expect(freed['metadata']).toEqual({ finalizers: ['other'] });
    expect(conditionOf(freed, 'Terminating')).toMatchObject({ status: 'False' });
  });
});
