import { expect, test } from 'vitest';
import { inOrder, nameParameter, NAMESPACE, parametersOf, PRETTY } from './parameters.ts';

const OPTIONS = [
  'meta/v1.CreateOptions',
  'meta/v1.DeleteOptions',
  'meta/v1.GetOptions',
  'meta/v1.ListOptions',
  'meta/v1.PatchOptions',
  'meta/v1.UpdateOptions',
  'core/v1.PodAttachOptions',
  'core/v1.PodExecOptions',
  'core/v1.PodLogOptions',
  'core/v1.PodPortForwardOptions',
  'core/v1.PodProxyOptions',
];

test('every parameter has a description', () => {
  const described = [...OPTIONS.flatMap((type) => parametersOf(type)), PRETTY, NAMESPACE];
  for (const { name, description } of described) expect(description, name).toMatch(/\.$/);
});

test('options are parameters if a query can hold them', () => {
  expect(parametersOf('meta/v1.DeleteOptions').map(({ name, type }) => `${name} ${type}`)).toEqual([
    'gracePeriodSeconds integer',
    'orphanDependents boolean',
    'propagationPolicy string',
    'dryRun string',
    'ignoreStoreReadErrorWithClusterBreakingPotential boolean',
  ]);
});

test('a parameter is listed once, unless it is in two places', () => {
  const inPath = { ...nameParameter('Node'), name: 'path' };
  const inQuery = { ...inPath, in: 'query' as const };
  expect(inOrder([inQuery, PRETTY, inPath, PRETTY])).toEqual([inPath, inQuery, PRETTY]);
});
