/**
 * The same random writes to kube-apiserver and to the embedded server: status codes, messages, objects and their
 * managers are equal after each. A difference names its seed.
 *
 *     RANDOM_WRITES=2000 npm run test:cluster -- random-writes      more sequences than usual
 *     RANDOM_WRITES_SEED=17 npm run test:cluster -- random-writes   that one alone
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseExactJson, printExactJson } from '../../src/lib/json-text/exact-json.ts';
import { jsonEqual } from '../../src/api/values/json-equal.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/lib/json.ts';
import { ApiHarness } from '../apiserver/api-harness.ts';
import { Api } from '../e2e/support/api.ts';
import { RealApiServer } from '../e2e/support/real-api-server.ts';
import { RANDOM_KINDS, WIDGETS } from './support/random-kinds.ts';
import { Dice, randomWrite, type RandomWrite } from './support/random-writes.ts';

const SEQUENCES = Number(process.env['RANDOM_WRITES'] ?? 60);
const ONLY = process.env['RANDOM_WRITES_SEED'];
const WRITES = 8;
const TIMEOUT_MS = 60_000 + SEQUENCES * 1000;
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Reply {
  readonly code: number;
  readonly body: Json;
}

let real: RealApiServer;
let api: Api;
let embedded: ApiHarness;

beforeAll(async () => {
  real = await RealApiServer.start({ name: 'random-writes', controllers: [] });
  api = new Api(real.kubeconfig);
  embedded = await ApiHarness.open();
  const account = { metadata: { name: 'default' } };
  const first: readonly (readonly [string, JsonObject])[] = [
    ['/api/v1/namespaces', { metadata: { name: 'random' } }],
    ['/api/v1/namespaces/random/serviceaccounts', account],
    [CRDS, WIDGETS],
  ];
  for (const [path, body] of first) {
    await api.create(path, body);
    await embedded.send('POST', path, body);
  }
  const widgets = '/apis/lab.example.com/v1/namespaces/random/widgets';
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await api.get(widgets)).code === 200) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

afterAll(async () => {
  api.close();
  await real.stop();
});

async function sendToEmbedded({ method, path, type, body }: RandomWrite): Promise<Reply> {
  const headers = { 'content-type': type };
  const response = await embedded.fetch(method, path, printExactJson(body), headers);
  return { code: response.status, body: parseExactJson(await response.text()) };
}

/** Without what every server chooses itself, and with the managers in one order. */
function comparable(value: Json, key = ''): Json {
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item) => comparable(item));
    const isUnordered = key === 'managedFields' || key === 'causes';
    return isUnordered
      ? items.toSorted((a, b) => compareText(printExactJson(a), printExactJson(b)))
      : items;
  }
  if (typeof value === 'string') return key === 'message' ? sortedErrors(value) : value;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !CHOSEN.has(name))
      .toSorted(([a], [b]) => compareText(a, b))
      .map(([name, inner]) => [name, comparable(inner, name)]),
  );
}

const CHOSEN = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'time']);

/** Go walks maps in any order, so the errors of an object are in any order, too. And it may print no map as `{}`. */
function sortedErrors(text: string): string {
  const message = text.replaceAll('Invalid value: null', 'Invalid value: {}');
  const list = /^(.* is invalid: )\[(.*)\]$/s.exec(message);
  if (!list) return message;
  return `${list[1]}[${(list[2] ?? '').split(', ').toSorted().join(', ')}]`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** A sequence ends at its first difference. */
async function play(seed: number, codes: Map<number, number>): Promise<string | undefined> {
  const dice = new Dice(seed);
  const kind = RANDOM_KINDS[seed % RANDOM_KINDS.length];
  if (!kind) return undefined;
  for (let step = 0; step < WRITES; step += 1) {
    const write = randomWrite(kind, dice, kind.resource, `${kind.name}-${seed}`);
    const { method, path, type, body } = write;
    const expected = await api.send(method, path, body, type);
    const actual = await sendToEmbedded(write);
    codes.set(expected.code, (codes.get(expected.code) ?? 0) + 1);
    const found = differences(comparable(expected.body), comparable(actual.body));
    if (expected.code !== actual.code) found.unshift(`code: ${expected.code}, not ${actual.code}`);
    if (found.length === 0) continue;
    const what = `seed ${seed}, write ${step}: ${method} ${path} (${type})`;
    return [what, printExactJson(body), ...found.slice(0, 4)].join('\n  ');
  }
  return undefined;
}

function differences(expected: Json, actual: Json, path = ''): string[] {
  if (jsonEqual(expected, actual)) return [];
  if (!isJsonObject(expected) || !isJsonObject(actual)) {
    return [`${path}: ${printExactJson(expected)}, not ${printExactJson(actual)}`];
  }
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  return [...names].flatMap((name) =>
    differences(expected[name] ?? null, actual[name] ?? null, `${path}.${name}`),
  );
}

test(
  'kube-apiserver and the embedded server answer alike',
  async () => {
    const all = Array.from({ length: SEQUENCES }, (_, seed) => seed);
    const seeds = ONLY === undefined ? all : [Number(ONLY)];
    const codes = new Map<number, number>();
    const failures: string[] = [];
    for (const seed of seeds) {
      const failure = await play(seed, codes);
      if (failure !== undefined) failures.push(failure);
    }
    console.log(`answers by status code: ${JSON.stringify(Object.fromEntries(codes))}`);
    expect(failures.join('\n')).toBe('');
    // Writes that are refused every time compare nothing.
    expect((codes.get(200) ?? 0) * 2).toBeGreaterThan(seeds.length);
  },
  TIMEOUT_MS,
);
