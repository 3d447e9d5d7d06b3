/** Long lists go out piece by piece, with turns for others in between. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { promisesSettled } from '../support/virtual-clock.ts';
import { ApiStage, CONFIG_MAPS } from './stage.ts';

async function filled(count: number): Promise<ApiStage> {
  const stage = await ApiStage.open();
  const names = Array.from({ length: count }, (_, index) => `c${String(index).padStart(5, '0')}`);
  await Promise.all(
    names.map((name) =>
      stage.send('POST', CONFIG_MAPS, {
        metadata: { name, labels: { a: name } },
        data: { text: 'x'.repeat(1000) },
      }),
    ),
  );
  return stage;
}

function countTurns(stage: ApiStage): () => number {
  let turns = 0;
  Object.assign(stage.clock, {
    turn: () => {
      turns += 1;
      return promisesSettled();
    },
  });
  return () => turns;
}

test.each([
  ['application/json', 'items'],
  ['application/yaml', 'items'],
  ['application/json;as=Table;v=v1;g=meta.k8s.io', 'rows'],
  ['application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io', 'items'],
])('%s is whole, and others have their turn meanwhile', async (accept, field) => {
  const stage = await filled(1000);
  const turns = countTurns(stage);
  const response = await stage.fetch('GET', CONFIG_MAPS, undefined, { accept });
  expect(response.headers.get('content-type')).toBe(accept.split(';')[0]);
  const list = (await response.json()) as JsonObject;
  const plain = { accept: accept.replace('yaml', 'json') };
  const short = await stage.send('GET', `${CONFIG_MAPS}?limit=2`, undefined, plain);
  expect(list[field]).toHaveLength(1000);
  expect({ ...list, [field]: null, metadata: null }).toEqual({
    ...(short.body as JsonObject),
    [field]: null,
    metadata: null,
  });
  const entries = list[field] as readonly JsonObject[];
  expect(entries.slice(0, 2)).toEqual((short.body as JsonObject)[field]);
  expect(turns()).toBeGreaterThanOrEqual(2);
});

test('a list is of one moment, whatever changes while it goes out', async () => {
  const stage = await filled(500);
  const response = await stage.fetch('GET', CONFIG_MAPS);
  await stage.send('DELETE', `${CONFIG_MAPS}/c00499`);
  const { items } = (await response.json()) as { items: readonly JsonObject[] };
  expect(items).toHaveLength(500);
});

test('thousands of requirements are checked in turns', async () => {
  const stage = await filled(300);
  const turns = countTurns(stage);
  const selector = Array.from({ length: 2000 }, (_, index) => `k${index}!=v`).join(',');
  const { body } = await stage.send('GET', `${CONFIG_MAPS}?labelSelector=${selector}`);
  expect(body['items']).toHaveLength(300);
  expect(turns()).toBeGreaterThan(20);
});
