/** Long lists are sent piece by piece, and other requests are served in between. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { promisesSettled } from '../support/virtual-clock.ts';
import { ApiHarness, CONFIG_MAPS } from './api-harness.ts';

async function filled(count: number): Promise<ApiHarness> {
  const harness = await ApiHarness.open();
  const names = Array.from({ length: count }, (_, index) => `c${String(index).padStart(5, '0')}`);
  await Promise.all(
    names.map((name) =>
      harness.send('POST', CONFIG_MAPS, {
        metadata: { name, labels: { a: name } },
        data: { text: 'x'.repeat(1000) },
      }),
    ),
  );
  return harness;
}

function countTurns(harness: ApiHarness): () => number {
  let turns = 0;
  Object.assign(harness.clock, {
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
])('%s is complete, and other requests are served meanwhile', async (accept, field) => {
  const harness = await filled(1000);
  const turns = countTurns(harness);
  const response = await harness.fetch('GET', CONFIG_MAPS, undefined, { accept });
  expect(response.headers.get('content-type')).toBe(accept.split(';')[0]);
  const list = (await response.json()) as JsonObject;
  const plain = { accept: accept.replace('yaml', 'json') };
  const short = await harness.send('GET', `${CONFIG_MAPS}?limit=2`, undefined, plain);
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

test('a list is one snapshot, whatever changes while it is sent', async () => {
  const harness = await filled(500);
  const response = await harness.fetch('GET', CONFIG_MAPS);
  await harness.send('DELETE', `${CONFIG_MAPS}/c00499`);
  const { items } = (await response.json()) as { items: readonly JsonObject[] };
  expect(items).toHaveLength(500);
});

test('thousands of requirements are checked in turns', async () => {
  const harness = await filled(300);
  const turns = countTurns(harness);
  const selector = Array.from({ length: 2000 }, (_, index) => `k${index}!=v`).join(',');
  const { body } = await harness.send('GET', `${CONFIG_MAPS}?labelSelector=${selector}`);
  expect(body['items']).toHaveLength(300);
  expect(turns()).toBeGreaterThan(20);
});

test('a list does not wait behind the initial states of many watches', async () => {
  const harness = await filled(300);
  const turns = countTurns(harness);
  const watches = await Promise.all(
    Array.from({ length: 200 }, () => harness.fetch('GET', `${CONFIG_MAPS}?watch=1`)),
  );
  const readers = watches.flatMap(({ body }) => (body ? [body.getReader()] : []));
  const first = Promise.all(readers.map((reader) => reader.read()));
  const before = turns();
  const response = await harness.fetch('GET', CONFIG_MAPS);
  const { items } = (await response.json()) as { items: readonly JsonObject[] };
  expect(items).toHaveLength(300);
  expect(turns() - before).toBeLessThan(30);
  await first;
  await Promise.all(readers.map((reader) => reader.cancel()));
});
