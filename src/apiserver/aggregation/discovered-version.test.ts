import { expect, test } from 'vitest';
import { fromAggregated, fromResourceList } from './discovered-version.ts';

const WANTED = { group: 'g.io', version: 'v1' };

test('subresources of the older list belong to their resource', () => {
  const resources = [
    { name: 'things', kind: 'Thing', namespaced: true, verbs: ['get'] },
    { name: 'things/status', kind: 'Thing', verbs: ['get'] },
    { name: 'thingsother', kind: 'Other', verbs: ['get'] },
  ];
  const [things, other] = fromResourceList({ resources });
  expect(things?.['subresources']).toMatchObject([{ subresource: 'status' }]);
  expect(other?.['subresources']).toBeUndefined();
});

test('a server cannot fill discovery with resources, nor with nameless ones', () => {
  const many = Array.from({ length: 50_000 }, (_each, index) => ({ name: `a${index}` }));
  expect(fromResourceList({ resources: many })).toHaveLength(1000);
  expect(fromResourceList({ resources: [{}, {}] })).toEqual([]);
  const resources = [...many.map(({ name }) => ({ resource: name })), {}];
  const items = [{ metadata: { name: 'g.io' }, versions: [{ version: 'v1', resources }] }];
  expect(fromAggregated({ items }, WANTED)).toHaveLength(1000);
});
