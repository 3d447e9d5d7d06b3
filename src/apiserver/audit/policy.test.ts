import { describe, expect, test } from 'vitest';
import type { ResourceAttributes, User } from '../objects/access.ts';
import { readPolicy } from './policy.ts';
import { evaluatePolicy } from './policy-match.ts';

const JANE: User = { name: 'jane', groups: ['readers', 'system:authenticated'] };

function policy(...rules: readonly unknown[]) {
  return { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules };
}

function faultOf(document: unknown): string {
  try {
    readPolicy(document);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

function wanted(fields: Partial<ResourceAttributes> = {}): ResourceAttributes {
  return {
    verb: 'get',
    group: '',
    version: 'v1',
    resource: 'pods',
    subresource: '',
    namespace: 'default',
    name: 'p',
    ...fields,
  };
}

describe('an audit policy', () => {
  test.each([
    ['nothing', null, 'the policy: must be a mapping'],
    ['another kind', { apiVersion: 'v1', kind: 'Pod' }, 'unknown group version field in policy'],
    ['no rules', policy(), 'loaded illegal policy with 0 rules'],
    ['no level', policy({}), 'rules[0].level: Required value'],
    [
      'another level',
      policy({ level: 'All' }),
      'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    ['an unknown field', policy({ level: 'None', user: 'x' }), 'unknown field "rules[0].user"'],
    [
      'another stage',
      { ...policy({ level: 'None' }), omitStages: ['End'] },
      'omitStages[0]: Invalid value: "End": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    ],
    [
      'a relative URL',
      policy({ level: 'None', nonResourceURLs: ['healthz'] }),
      'rules[0].nonResourceURLs[0]: Invalid value: "healthz": non-resource URL rules must begin with a \'/\' character',
    ],
    [
      'a star within a URL',
      policy({ level: 'None', nonResourceURLs: ['/a*/b'] }),
      "non-resource URL wildcards '*' must be the final character of the rule",
    ],
    [
      'both kinds of requests',
      policy({ level: 'None', nonResourceURLs: ['/a'], namespaces: ['x'] }),
      'rules cannot apply to both regular resources and non-resource URLs',
    ],
    [
      'a group with a version',
      policy({ level: 'None', resources: [{ group: 'apps/v1' }] }),
      'rules[0].resources.group: Invalid value: "apps/v1": a lowercase RFC 1123 subdomain',
    ],
    [
      'names without resources',
      policy({ level: 'None', resources: [{ resourceNames: ['a'] }] }),
      'rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource',
    ],
    [
      'a text for a list',
      policy({ level: 'None', users: 'jane' }),
      'rules[0].users: must be a list',
    ],
  ])('with %s is refused', (_, document, message) => {
    expect(faultOf(document)).toContain(message);
  });

  test('its first rule that matches decides, and none means None', () => {
    const read = readPolicy(
      policy(
        { level: 'None', users: ['joe'] },
        { level: 'Request', userGroups: ['readers'], verbs: ['list'], omitStages: ['Panic'] },
        { level: 'Metadata', userGroups: ['readers'] },
      ),
    );
    const levelOf = (user: User | null, verb: string): string =>
      evaluatePolicy(read, user, wanted({ verb })).level;
    expect(levelOf(JANE, 'list')).toBe('Request');
    expect(levelOf(JANE, 'get')).toBe('Metadata');
    expect(levelOf({ ...JANE, name: 'joe' }, 'get')).toBe('None');
    expect(levelOf(null, 'get')).toBe('None');
  });

  test('stages and managed fields are omitted as the policy and the rule say', () => {
    const read = readPolicy({
      ...policy(
        { level: 'Metadata', verbs: ['get'], omitStages: ['Panic'], omitManagedFields: false },
        { level: 'Metadata' },
      ),
      omitStages: ['RequestReceived'],
      omitManagedFields: true,
    });
    const first = evaluatePolicy(read, JANE, wanted());
    expect([...first.omitStages]).toEqual(['RequestReceived', 'Panic']);
    expect(first.omitManagedFields).toBe(false);
    expect(evaluatePolicy(read, JANE, wanted({ verb: 'list' })).omitManagedFields).toBe(true);
  });

  test.each([
    [{ group: '', resources: ['pods'] }, {}, true],
    [{ group: '', resources: ['pods'] }, { subresource: 'log' }, false],
    [{ group: '', resources: ['pods/log'] }, { subresource: 'log' }, true],
    [{ group: '', resources: ['pods/*'] }, { subresource: 'log' }, true],
    [{ group: '', resources: ['pods/*'] }, {}, true],
    [{ group: '', resources: ['*/log'] }, { subresource: 'log' }, true],
    [{ group: '', resources: ['*'] }, { subresource: 'log' }, true],
    [{ group: '' }, { resource: 'nodes' }, true],
    [{ group: 'apps' }, {}, false],
    [{ group: '*' }, { group: 'apps' }, true],
    [{ group: '', resources: ['pods'], resourceNames: ['p'] }, {}, true],
    [{ group: '', resources: ['pods'], resourceNames: ['q'] }, {}, false],
  ])('resources %j and a request for %j: %s', (resources, fields, isMatch) => {
    const read = readPolicy(policy({ level: 'Metadata', resources: [resources] }));
    expect(evaluatePolicy(read, JANE, wanted(fields)).level === 'Metadata').toBe(isMatch);
  });

  test('namespaces apply to resources, and URLs to other paths', () => {
    const read = readPolicy(
      policy(
        { level: 'Request', namespaces: [''] },
        { level: 'Metadata', nonResourceURLs: ['/healthz*', '/version'] },
      ),
    );
    expect(evaluatePolicy(read, JANE, wanted({ namespace: '' })).level).toBe('Request');
    expect(evaluatePolicy(read, JANE, wanted()).level).toBe('None');
    const levelOf = (path: string) => evaluatePolicy(read, JANE, { verb: 'get', path }).level;
    expect(['/healthz/ping', '/version', '/versions'].map(levelOf)).toEqual([
      'Metadata',
      'Metadata',
      'None',
    ]);
  });
});
