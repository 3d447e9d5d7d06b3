/** Many clients at once at one object: who wins, who is told that he lost, and that nothing is lost. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { Api, type Answer } from './support/api.ts';
import type { RunningApiServer } from './support/api-server.ts';
import { startChosenServer } from './support/chosen-server.ts';

const CROWD = 24;
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

test('patches without a version all come through, and each is in the end', async () => {
  await make('patched');
  const answers = await crowd((index) =>
    client().patch(`${MAPS}/patched`, { data: { [`k${index}`]: 'v' } }),
  );
  expect(countCodes(answers)).toEqual({ 200: CROWD });
  const { body } = await client().get(`${MAPS}/patched`);
  expect(Object.keys(body['data'] as JsonObject)).toHaveLength(CROWD);
});

test('of patches that name one version exactly one comes through', async () => {
  const { resourceVersion = '' } = metadataOf(await make('versioned'));
  const answers = await crowd((index) =>
    client().patch(`${MAPS}/versioned`, {
      metadata: { resourceVersion },
      data: { who: `${index}` },
    }),
  );
  expect(countCodes(answers)).toEqual({ 200: 1, 409: CROWD - 1 });
});

test('an object and its status are patched at the same time', async () => {
  await client().create('/api/v1/nodes', { metadata: { name: 'busy' } });
  const answers = await crowd((index) =>
    index % 2 === 0
      ? client().patch('/api/v1/nodes/busy', { metadata: { labels: { [`l${index}`]: 'v' } } })
      : client().patch('/api/v1/nodes/busy/status', {
          status: { conditions: [{ type: 'Ready', status: 'True', reason: `r${index}` }] },
        }),
  );
  expect(countCodes(answers)).toEqual({ 200: CROWD });
});

test('of those who create one name exactly one does', async () => {
  const answers = await crowd(() => client().create(MAPS, { metadata: { name: 'wanted' } }));
  expect(countCodes(answers)).toEqual({ 201: 1, 409: CROWD - 1 });
});

test('generated names are all different', async () => {
  const answers = await crowd(() => client().create(MAPS, { metadata: { generateName: 'made-' } }));
  expect(countCodes(answers)).toEqual({ 201: CROWD });
  expect(new Set(answers.map(({ body }) => metadataOf(body)['name'])).size).toBe(CROWD);
});

test('of those who delete one object exactly one does', async () => {
  await make('doomed');
  const answers = await crowd(() => client().delete(`${MAPS}/doomed`, {}));
  expect(countCodes(answers)).toEqual({ 200: 1, 404: CROWD - 1 });
});

test('every write has a version of its own', async () => {
  await make('counted');
  const answers = await crowd((index) =>
    client().patch(`${MAPS}/counted`, { data: { [`k${index}`]: 'v' } }),
  );
  const versions = answers.map(({ body }) => metadataOf(body)['resourceVersion']);
  expect(new Set(versions).size).toBe(CROWD);
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

function crowd(act: (index: number) => Promise<Answer>): Promise<readonly Answer[]> {
  return Promise.all(Array.from({ length: CROWD }, (_, index) => act(index)));
}

function countCodes(answers: readonly Answer[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { code } of answers) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}
