/** What holds for every built-in kind, tested with the smallest object of each. */
import { describe, expect, it } from 'vitest';
import { ApiRequests, TABLE } from '../../../test/support/api-requests.ts';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import { SAMPLES } from '../../../test/support/kind-samples.ts';
import { promisesSettled } from '../../../test/support/virtual-clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { metadataOf, nameOf, withMetadata } from '../objects/metadata.ts';
import { verbsOf } from '../registry/catalog.ts';
import { builtInKinds } from './built-in-kinds.ts';
import { objectsAt } from '../objects/field-path.ts';

/** Reviews and the like are answered, and not stored. */
const stored = builtInKinds.filter((one) => verbsOf(one).includes('watch'));
const cases = stored.map((definition) => [keyOf(definition), definition] as const);

function keyOf({ group, version, resource }: KindDefinition): string {
  return group === '' ? `${version}/${resource}` : `${group}/${version}/${resource}`;
}

function pathOf({ group, version, resource, namespaced }: KindDefinition): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespaced ? `${root}/namespaces/default/${resource}` : `${root}/${resource}`;
}

function sampleOf(definition: KindDefinition): JsonObject {
  const sample = SAMPLES[keyOf(definition)] ?? {};
  return nameOf(sample) === '' ? withMetadata(sample, { name: 'sample' }) : sample;
}

describe('the built-in kinds', () => {
  it('are all tested here', () => {
    expect(Object.keys(SAMPLES).toSorted()).toEqual(cases.map(([key]) => key).toSorted());
  });

  it('have distinct resource names', () => {
    expect(new Set(cases.map(([key]) => key)).size).toBe(cases.length);
  });
});

describe.each(cases)('%s', (_key, definition) => {
  const path = pathOf(definition);
  const sample = sampleOf(definition);
  const own = `${path}/${nameOf(sample)}`;
  const isFollowed = definition.kind === 'CustomResourceDefinition';

  async function create(): Promise<{ api: ApiRequests; object: JsonObject }> {
    const api = await ApiRequests.open();
    const { code, body } = await api.ask('POST', path, { body: sample });
    expect(body, JSON.stringify(body)).toMatchObject({ kind: definition.kind });
    expect(code).toBe(201);
    // The server itself fills in the status of a definition, a moment later.
    if (!isFollowed) return { api, object: body };
    await promisesSettled();
    return { api, object: (await api.ask('GET', own)).body };
  }

  it('is created, read back and listed', async () => {
    const { api, object } = await create();
    expect((await api.ask('GET', own)).body).toEqual(object);
    const { body } = await api.ask('GET', path);
    expect(objectsAt(body, 'items').map(nameOf)).toContain(nameOf(sample));
  });

  it('does not change when it is written back as read', async () => {
    const { api, object } = await create();
    const { code, body } = await api.ask('PUT', own, { body: object });
    expect([code, body]).toEqual([200, object]);
  });

  it('accepts a label by each type of patch', async () => {
    const { api } = await create();
    for (const type of ['merge', 'strategic-merge'] as const) {
      const patch = { metadata: { labels: { [type]: 'yes' } } };
      const contentType = `application/${type}-patch+json`;
      const { code, body } = await api.ask('PATCH', own, { body: patch, contentType });
      expect(code, JSON.stringify(body)).toBe(200);
      expect(metadataOf(body)['labels']).toMatchObject({ [type]: 'yes' });
    }
  });

  it('is printed as a row with a cell for each column', async () => {
    const { api } = await create();
    const { body } = await api.ask('GET', own, { accept: TABLE });
    const [row] = objectsAt(body, 'rows');
    const columns = objectsAt(body, 'columnDefinitions');
    const cells = row?.['cells'];
    expect(Array.isArray(cells) ? cells.length : 0).toBe(columns.length);
    expect(cells).not.toContain(undefined);
    expect(columns.every(({ description }) => description !== '')).toBe(true);
  });

  it('writes its status without changing the rest, if it has one', async () => {
    const { api, object } = await create();
    if (!definition.subresources?.some(({ name }) => name === 'status')) return;
    const { code, body } = await api.merge(`${own}/status`, { spec: { nonsense: 1 } });
    expect(code, JSON.stringify(body)).toBe(200);
    expect(body['spec']).toEqual(object['spec']);
    expect(metadataOf(body)['generation']).toBe(metadataOf(object)['generation']);
  });

  it('is deleted', async () => {
    const { api } = await create();
    expect((await api.ask('DELETE', own)).code).toBe(200);
  });

  it('gets its defaults idempotently, and keeps what it was given', async () => {
    const { object } = await create();
    const { applyDefaults } = definition.rules;
    expect(applyDefaults?.(deepFreeze(object))).toEqual(object);
  });
});
