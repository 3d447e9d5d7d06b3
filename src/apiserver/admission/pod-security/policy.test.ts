import { expect, it } from 'vitest';
import { printLevel } from './level.ts';
import { asksForNothing, policyOf } from './policy.ts';

function read(labels: Readonly<Record<string, string>>): readonly string[] {
  const own = Object.entries(labels).map(([name, value]) => [
    `pod-security.kubernetes.io/${name}`,
    value,
  ]);
  const { enforce, audit, warn } = policyOf({ metadata: { labels: Object.fromEntries(own) } });
  return [enforce, audit, warn].map(printLevel);
}

const NOTHING = 'privileged:latest';

it('a namespace without labels has no policy', () => {
  expect(read({})).toEqual([NOTHING, NOTHING, NOTHING]);
  expect(asksForNothing(policyOf({}))).toBe(true);
});

it('each mode has its own level and version', () => {
  const labels = {
    enforce: 'baseline',
    'enforce-version': 'v1.24',
    audit: 'restricted',
    'audit-version': 'v1.30',
    warn: 'baseline',
  };
  expect(read(labels)).toEqual(['baseline:v1.24', 'restricted:v1.30', 'baseline:latest']);
});

it('warnings follow the enforced level, unless they have their own', () => {
  expect(read({ enforce: 'restricted', 'enforce-version': 'v1.9' })).toEqual([
    'restricted:v1.9',
    NOTHING,
    'restricted:v1.9',
  ]);
  expect(read({ enforce: 'baseline', 'warn-version': 'v1.10' })[2]).toBe('baseline:v1.10');
  expect(read({ enforce: 'restricted', warn: 'privileged' })[2]).toBe(NOTHING);
});

it('an unreadable label enforces the strictest level, and nothing else', () => {
  const labels = { enforce: 'x', 'enforce-version': '1.2', audit: 'x', warn: 'x' };
  expect(read(labels)).toEqual(['restricted:latest', NOTHING, NOTHING]);
  expect(read({ enforce: 'x' })[2]).toBe(NOTHING);
  const metadata = { labels: { 'pod-security.kubernetes.io/audit-version': 'v2.0' } };
  expect(policyOf({ metadata }).errors).toEqual([
    {
      type: 'Invalid',
      field: 'metadata.labels[pod-security.kubernetes.io/audit-version]',
      value: 'v2.0',
      detail: 'must be "latest" or "v1.x"',
    },
  ]);
});
