import { describe, expect, test } from 'vitest';

import type { ResourceAttributes } from '../../objects/access.ts';
import { readRules, ruleAllows, type PolicyRule } from './policy-rule.ts';

const pods: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const getPod: ResourceAttributes = {
  verb: 'get',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'default',
  name: 'web',
};

const allows = (rule: Partial<PolicyRule>, wanted: Partial<ResourceAttributes> = {}): boolean =>
  ruleAllows({ ...pods, ...rule }, { ...getPod, ...wanted });

describe('a rule about resources', () => {
  test('allows its verbs, in its groups, on its resources', () => {
    expect(allows({})).toBe(true);
    expect(allows({}, { verb: 'list' })).toBe(false);
    expect(allows({}, { group: 'apps' })).toBe(false);
    expect(allows({}, { resource: 'nodes' })).toBe(false);
  });

  test('allows everything with a star', () => {
    expect(allows({ verbs: ['*'] }, { verb: 'anything' })).toBe(true);
    expect(allows({ apiGroups: ['*'] }, { group: 'apps' })).toBe(true);
    expect(allows({ resources: ['*'] }, { resource: 'nodes', subresource: 'status' })).toBe(true);
    expect(allows({ resources: ['pod*'] })).toBe(false);
  });

  test('does not cover the subresources of a resource by its name', () => {
    expect(allows({}, { subresource: 'log' })).toBe(false);
    expect(allows({ resources: ['pods/log'] }, { subresource: 'log' })).toBe(true);
    expect(allows({ resources: ['pods/log'] })).toBe(false);
    expect(allows({ resources: ['*/log'] }, { subresource: 'log' })).toBe(true);
    expect(allows({ resources: ['*/log'] }, { subresource: 'exec' })).toBe(false);
    expect(allows({ resources: ['pods/*'] }, { subresource: 'log' })).toBe(false);
  });

  test('covers only certain objects if it names some', () => {
    expect(allows({ resourceNames: ['web'] })).toBe(true);
    expect(allows({ resourceNames: ['db'] })).toBe(false);
    expect(allows({ resourceNames: ['web'] }, { name: '' })).toBe(false);
    expect(allows({ resourceNames: [] })).toBe(true);
  });

  test('does not cover paths', () => {
    expect(ruleAllows({ ...pods, verbs: ['*'] }, { verb: 'get', path: '/' })).toBe(false);
  });
});

test('a rule about paths allows them, and with a star at its end all with that prefix', () => {
  const may = (pattern: string, path: string, verb = 'get'): boolean =>
    ruleAllows({ verbs: ['get'], nonResourceURLs: [pattern] }, { verb, path });
  expect(may('/healthz', '/healthz')).toBe(true);
  expect(may('/healthz', '/healthz', 'post')).toBe(false);
  expect(may('/healthz', '/healthz/')).toBe(false);
  expect(may('/healthz/*', '/healthz/x/y')).toBe(true);
  expect(may('/healthz/*', '/healthz')).toBe(false);
  expect(may('*', '/anything')).toBe(true);
  expect(may('/*/x', '/a/x')).toBe(false);
});

test('fields that a role does not have are not in its rules', () => {
  expect(readRules({})).toEqual([]);
  expect(readRules({ rules: null })).toEqual([]);
  expect(readRules({ rules: [{ verbs: ['get'], apiGroups: null, resources: [] }] })).toEqual([
    { verbs: ['get'] },
  ]);
});
