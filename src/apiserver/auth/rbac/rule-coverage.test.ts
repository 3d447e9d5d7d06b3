import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { ResourceAttributes } from '../../objects/access.ts';
import { ruleAllows, type PolicyRule } from './policy-rule.ts';
import { describeRules, missingRules } from './rule-coverage.ts';

const readPods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };

describe('missing permissions', () => {
  test('none, if one rule covers each single permission', () => {
    expect(missingRules([readPods], [readPods])).toEqual([]);
    expect(missingRules([{ ...readPods, verbs: ['*'] }], [readPods])).toEqual([]);
    expect(missingRules([{ ...readPods, resources: ['*/log'] }], [])).toEqual([]);
    const logs = { verbs: ['get'], apiGroups: [''], resources: ['pods/log'] };
    expect(missingRules([{ ...readPods, resources: ['*/log'] }], [logs])).toEqual([]);
  });

  test('two rules do not add up within one permission', () => {
    const halves = [
      { ...readPods, resourceNames: ['a'] },
      { ...readPods, resourceNames: ['b'] },
    ];
    expect(missingRules(halves, [readPods])).toHaveLength(2);
    expect(missingRules(halves, [{ ...readPods, resourceNames: ['a', 'b'] }])).toEqual([]);
  });

  test('permission on names does not cover all objects', () => {
    expect(missingRules([{ ...readPods, resourceNames: ['a'] }], [readPods])).toHaveLength(2);
    expect(missingRules([readPods], [{ ...readPods, resourceNames: ['a'] }])).toEqual([]);
  });

  test('paths are covered by their prefixes', () => {
    const paths = (...nonResourceURLs: string[]): PolicyRule => ({
      verbs: ['get'],
      nonResourceURLs,
    });
    expect(missingRules([paths('/a/*')], [paths('/a/b', '/a/*', '/a/')])).toEqual([]);
    expect(missingRules([paths('/a/*')], [paths('/a', '/b')])).toHaveLength(2);
    expect(missingRules([paths('*')], [paths('/anything', '*')])).toEqual([]);
  });
});

test('missing permissions are listed by resource, with their verbs together, in order', () => {
  const wanted: readonly PolicyRule[] = [
    { verbs: ['list', 'get'], apiGroups: ['apps'], resources: ['deployments'] },
    { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a', 'b'] },
    { verbs: ['get', 'put'], nonResourceURLs: ['/x'] },
  ];
  expect(describeRules(missingRules([], wanted))).toBe(
    [
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}',
      '{APIGroups:["apps"], Resources:["deployments"], Verbs:["list" "get"]}',
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
      '{NonResourceURLs:["/x"], Verbs:["put"]}',
    ].join('\n'),
  );
});

const some = (...words: string[]): fc.Arbitrary<string[]> =>
  fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 3 });

const rules: fc.Arbitrary<PolicyRule[]> = fc.array(
  fc.record(
    {
      verbs: some('get', 'list', '*'),
      apiGroups: some('', 'apps', '*'),
      resources: some('pods', 'pods/log', 'jobs/log', '*/log', '*'),
      resourceNames: some('a', 'b'),
    },
    { requiredKeys: ['verbs', 'apiGroups', 'resources'] },
  ),
  { maxLength: 3 },
);

const requests: fc.Arbitrary<ResourceAttributes> = fc.record({
  verb: fc.constantFrom('get', 'list', 'watch'),
  group: fc.constantFrom('', 'apps', 'batch'),
  version: fc.constant('v1'),
  resource: fc.constantFrom('pods', 'jobs'),
  subresource: fc.constantFrom('', 'log'),
  namespace: fc.constant(''),
  name: fc.constantFrom('', 'a', 'b'),
});

test('a user who misses nothing of some rules is allowed all that they allow', () => {
  fc.assert(
    fc.property(rules, rules, requests, (held, wanted, request) => {
      fc.pre(missingRules(held, wanted).length === 0);
      fc.pre(wanted.some((rule) => ruleAllows(rule, request)));
      expect(held.some((rule) => ruleAllows(rule, request))).toBe(true);
    }),
    { numRuns: 300 },
  );
});
