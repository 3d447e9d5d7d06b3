import { expect, test } from 'vitest';

import type { JsonObject } from '../../../lib/json.ts';
import { aggregatedRules } from './aggregation.ts';

const rule = (resource: string): JsonObject => ({
  verbs: ['get'],
  apiGroups: [''],
  resources: [resource],
});

const role = (name: string, labels: JsonObject, ...resources: readonly string[]): JsonObject => ({
  metadata: { name, labels },
  rules: resources.map(rule),
});

const gathering = (...selectors: readonly JsonObject[]): JsonObject => ({
  metadata: { name: 'all', labels: { to: 'all' } },
  aggregationRule: { clusterRoleSelectors: selectors },
  rules: [],
});

const to = (value: string): JsonObject => ({ matchLabels: { to: value } });

test('a role aggregates the rules of all roles it selects, by their names, each once', () => {
  const roles = [
    role('b', { to: 'all' }, 'pods', 'nodes'),
    role('a', { to: 'all' }, 'secrets', 'pods'),
    role('c', { to: 'others' }, 'events'),
  ];
  const all = gathering(to('all'));
  expect(aggregatedRules(all, [...roles, all])).toEqual(['secrets', 'pods', 'nodes'].map(rule));
});

test('several selectors add up, and no role aggregates itself', () => {
  const roles = [role('a', { to: 'x' }, 'pods'), role('b', { to: 'y' }, 'nodes')];
  const all = { ...gathering(to('y'), to('x'), to('all')), rules: [rule('secrets')] };
  expect(aggregatedRules(all, [...roles, all])).toEqual(['nodes', 'pods'].map(rule));
});

test('a role that is complete, or aggregates nothing, does not change', () => {
  const roles = [role('a', { to: 'all' }, 'pods')];
  expect(aggregatedRules({ ...gathering(to('all')), rules: [rule('pods')] }, roles)).toBeNull();
  expect(aggregatedRules(role('a', {}, 'pods'), roles)).toBeNull();
});

test('rules that no selected role has any more are removed', () => {
  expect(aggregatedRules({ ...gathering(to('all')), rules: [rule('pods')] }, [])).toEqual([]);
});
