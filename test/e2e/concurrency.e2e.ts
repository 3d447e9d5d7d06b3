/**
 * Many clients write one object at once: which write wins, which get a conflict, and that no write is
 * lost.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { Api, type Answer } from './support/api.ts';
import type { RunningApiServer } from './support/api-server.ts';
import { startChosenServer } from './support/chosen-server.ts';

const CLIENTS = 24;
const MAPS = '/api/v1/namespaces/default/configmaps';

let server: RunningApiServer | undefined;
let api: Api | undefined;

beforeAll(async () => {
  server = await startChosenServer();
  api = new Api(server.kubeconfig);
});

afterAll(async () => {
  api?.close();
  await server?.stop();
});

test('patches without a version all succeed, and the object has all of them in the end', async () => {
  await make('patched');
  const answers = await clients((index) =>
    client().patch(`${MAPS}/patched`, { data: { [`k${index}`]: 'v' } }),
  );
  expect(countCodes(answers)).toEqual({ 200: CLIENTS });
  const { body } = await client().get(`${MAPS}/patched`);
  expect(Object.keys(body['data'] as JsonObject)).toHaveLength(CLIENTS);
});

test('of patches that name one version exactly one succeeds', async () => {
  const { resourceVersion = '' } = metadataOf(await make('versioned'));
  const answers = await clients((index) =>
    client().patch(`${MAPS}/versioned`, {
      metadata: { resourceVersion },
      data: { who: `${index}` },
    }),
  );
  expect(countCodes(answers)).toEqual({ 200: 1, 409: CLIENTS - 1 });
});

test('an object and its status are patched at the same time', async () => {
  await client().create('/api/v1/nodes', { metadata: { name: 'busy' } });
  const answers = await clients((index) =>
    index % 2 === 0
      ? client().patch('/api/v1/nodes/busy', { metadata: { labels: { [`l${index}`]: 'v' } } })
      : client().patch('/api/v1/nodes/busy/status', {
          status: { conditions: [{ type: 'Ready', status: 'True', reason: `r${index}` }] },
        }),
  );
  expect(countCodes(answers)).toEqual({ 200: CLIENTS });
});

test('of creates with one name exactly one succeeds', async () => {
  const answers = await clients(() => client().create(MAPS, { metadata: { name: 'wanted' } }));
  expect(countCodes(answers)).toEqual({ 201: 1, 409: CLIENTS - 1 });
});

test('generated names are all different', async () => {
  const answers = await clients(() =>
    client().create(MAPS, { metadata: { generateName: 'made-' } }),
  );
  expect(countCodes(answers)).toEqual({ 201: CLIENTS });
  expect(new Set(answers.map(({ body }) => metadataOf(body)['name'])).size).toBe(CLIENTS);
});

test('of deletes of one object exactly one succeeds', async () => {
  await make('doomed');
  const answers = await clients(() => client().delete(`${MAPS}/doomed`, {}));
  expect(countCodes(answers)).toEqual({ 200: 1, 404: CLIENTS - 1 });
});

test('every write has its own version', async () => {
  await make('counted');
  const answers = await clients((index) =>
    client().patch(`${MAPS}/counted`, { data: { [`k${index}`]: 'v' } }),
  );
  const versions = answers.map(({ body }) => metadataOf(body)['resourceVersion']);
  expect(new Set(versions).size).toBe(CLIENTS);
});

function client(): Api {
  if (!api) throw new Error('the server did not start');
  return api;
}

async function make(name: string): Promise<JsonObject> {
  const { code, body, text } = await client().create(MAPS, { metadata: { name } });
  expect(code, text).toBe(201);
  return body;
}

function metadataOf(object: JsonObject): JsonObject {
  return (object['metadata'] ?? {}) as JsonObject;
}

function clients(act: (index: number) => Promise<Answer>): Promise<readonly Answer[]> {
  return Promise.all(Array.from({ length: CLIENTS }, (_, index) => act(index)));
}

function countCodes(answers: readonly Answer[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { code } of answers) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}
