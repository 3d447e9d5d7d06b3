import { expect, test } from 'vitest';
import { apiServices } from './api-service.ts';

function apiService(group: string) {
  const service = { namespace: 'x', name: 's', port: 443 };
  const spec = { group, version: 'v1', service, groupPriorityMinimum: 100, versionPriority: 1 };
  return { metadata: { name: 'v1.mine.io' }, spec };
}

test('an update cannot give an APIService the group of another name', () => {
  const { validateUpdate } = apiServices.rules;
  const old = apiService('mine.io');
  expect(validateUpdate?.(apiService('mine.io'), old)).toEqual([]);
  const [error] = validateUpdate?.(apiService('authorization.k8s.io'), old) ?? [];
  expect(error?.field).toBe('metadata.name');
});
