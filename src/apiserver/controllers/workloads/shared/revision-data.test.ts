import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../lib/json.ts';
import { daemonSets } from '../../../kinds/apps/daemon-set.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { defaultPodTemplate } from '../../../kinds/pod-template-spec.ts';
import {
  byRevision,
  newRevision,
  planHistory,
  planTruncation,
  templateOf,
} from './revision-data.ts';

const templateWith = (image: string): JsonObject =>
  defaultPodTemplate({
    metadata: { labels: { app: 'a' } },
    spec: { containers: [{ name: 'a', image }] },
  });
const ownerWith = (template: JsonObject): JsonObject => ({
  metadata: { name: 'a', uid: 'u' },
  spec: { template },
});
const FORM = { ownerKind: daemonSets, hashLabel: 'hash' };
const revision = (image: string, number: number | bigint, name = `r${number}`): JsonObject => {
  const made = newRevision(ownerWith(templateWith(image)), FORM, number, 0);
  return { ...made, metadata: { name } };
};
const names = (revisions: readonly JsonObject[]): readonly string[] => revisions.map(nameOf);

describe('the revision of a template', () => {
  const owner = ownerWith(templateWith('a:1'));

  test.each([
    ['no revision', [], { type: 'create', number: 1 }],
    ['another one', [revision('a:2', 4)], { type: 'create', number: 5 }],
    ['the newest', [revision('a:1', 2), revision('a:2', 1)], { type: 'use' }],
    ['an older one', [revision('a:1', 1), revision('a:2', 2)], { type: 'renumber', number: 3 }],
  ])('with %s', (_what, revisions, expected) => {
    expect(planHistory(revisions, owner)).toMatchObject(expected);
  });

  const LAST = 2n ** 63n - 1n;
  test.each([
    [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER],
    [Number.MAX_SAFE_INTEGER, 2n ** 53n],
    [LAST - 1n, LAST],
    [LAST, LAST],
  ])('after number %s comes %s, exactly', (newest, number) => {
    const older = typeof newest === 'bigint' ? newest - 5n : newest - 5;
    const revisions = [revision('a:3', newest), revision('a:2', older)];
    expect(planHistory(revisions, owner)).toEqual({ type: 'create', number });
    const plan = planHistory([revision('a:1', older), ...revisions], owner);
    expect(plan).toMatchObject({ type: 'renumber', number });
  });

  test('numbers beyond 2^53 are ordered by all their digits', () => {
    const revisions = [revision('a:1', LAST, 'a'), revision('a:2', LAST - 1n, 'b')];
    expect(planHistory(revisions, owner)).toMatchObject({ type: 'use' });
    expect(names(revisions.toSorted(byRevision))).toEqual(['b', 'a']);
  });

  test('of several equal ones the newest is used, and the others are duplicates', () => {
    const all = [revision('a:1', 3), revision('a:1', 1), revision('a:1', 2), revision('b', 2, 'b')];
    const plan = planHistory(all, owner);
    expect(plan).toMatchObject({ type: 'use', revision: { metadata: { name: 'r3' } } });
    expect(plan.type === 'create' ? [] : names(plan.duplicates)).toEqual(['r1', 'r2']);
  });

  test('one that was written with fewer defaults is no reason to replace pods', () => {
    const bare = {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'a', image: 'a:1' }] },
    };
    const old = newRevision(ownerWith(bare), FORM, 7, 0);
    expect(planHistory([old], owner)).toMatchObject({ type: 'use', revision: { revision: 7 } });
  });

  test('has the bytes of kube-controller-manager: sorted keys, and a template that is replaced', () => {
    const unsorted = { spec: { b: [{ z: 1, a: 2 }], a: null }, metadata: {} };
    const made = newRevision(ownerWith(unsorted), FORM, 1, 0);
    expect(JSON.stringify(made['data'])).toBe(
      '{"spec":{"template":{"$patch":"replace","metadata":{},"spec":{"a":null,"b":[{"a":2,"z":1}]}}}}',
    );
    expect(templateOf(made)).toEqual(unsorted);
  });

  test('gets another name after a collision, and never a too long one', () => {
    const [first, second] = [0, 1].map((count) => nameOf(newRevision(owner, FORM, 1, count)));
    expect(first).not.toBe(second);
    const long = { ...owner, metadata: { name: 'a'.repeat(253) } };
    expect(nameOf(newRevision(long, FORM, 1, 0)).length).toBeLessThan(240);
  });
});

describe('revisions beyond the limit', () => {
  const old = [3, 1, 2, 4].map((number) => revision('a', number));
  const isLive = (one: JsonObject): boolean => nameOf(one) === 'r1';

  test.each([
    [-1, false, []],
    [3, false, []],
    [2, false, ['r2']],
    [0, false, ['r2', 'r3', 'r4']],
    [3, true, ['r2']],
    [0, true, ['r2', 'r3', 'r4']],
  ])('limit %s, counting used ones: %s', (limit, countsLive, expected) => {
    expect(names(planTruncation(old, { limit, isLive, countsLive }))).toEqual(expected);
  });
});
