import { expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { seededRandom } from '../../../platform/seeded-random.ts';
import { silentLog } from '../../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { ConversionMetrics } from './conversion-metrics.ts';
import { WebhookConversion } from './webhook-conversion.ts';

const WEBHOOK = { definition: 'as.example.com', client: {}, reviewVersions: ['v1'] };

interface Asked {
  readonly objects: readonly JsonObject[];
  readonly answer: (more?: JsonObject) => void;
}

/** `isPatient`: the test answers; otherwise every review is answered at once. */
function open(isPatient = false) {
  const clock = new VirtualClock();
  const asked: Asked[] = [];
  const post = (_client: JsonObject, body: string): Promise<Json> =>
    new Promise((resolve) => {
      const { request } = JSON.parse(body) as { request: JsonObject };
      const objects = request['objects'] as readonly JsonObject[];
      const convertedObjects = objects.map((one) => ({ ...one, apiVersion: 'example.com/v2' }));
      const answer = (more: JsonObject = {}): void =>
        resolve({
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'ConversionReview',
          response: { uid: request['uid'] ?? '', convertedObjects, result: SUCCESS, ...more },
        });
      asked.push({ objects, answer });
      if (!isPatient) answer();
    });
  const metrics = new ConversionMetrics(clock);
  const deps = { clock, random: seededRandom(1), log: silentLog, metrics, post };
  const versions = ['example.com/v1', 'example.com/v2'];
  return { asked, clock, conversion: new WebhookConversion('1', WEBHOOK, versions, deps) };
}

const SUCCESS = { status: 'Success' };

function made(name: string, more: JsonObject = {}): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'A', metadata: { name }, ...more };
}

test('a long list is sent in reviews of at most 500 objects and half a MiB', async () => {
  const { asked, conversion } = open();
  const many = Array.from({ length: 1001 }, (_, index) => made(`n${index}`));
  const converted = await conversion.convertAll(many, 'example.com/v2');
  expect(asked.map(({ objects }) => objects.length)).toEqual([500, 500, 1]);
  expect(converted.map((one) => isJsonObject(one['metadata']) && one['metadata']['name'])).toEqual(
    many.map((_, index) => `n${index}`),
  );
  const large = ['a', 'b', 'c'].map((name) => made(name, { text: 'x'.repeat(300_000) }));
  await conversion.convertAll(large, 'example.com/v2');
  expect(asked.slice(3).map(({ objects }) => objects.length)).toEqual([1, 1, 1]);
});

test('requests for the same object at the same time share one call', async () => {
  const { asked, conversion } = open(true);
  const object = made('a');
  const both = [1, 2].map(() => conversion.convertAll([object], 'example.com/v2'));
  expect(asked).toHaveLength(1);
  asked[0]?.answer();
  const [[first] = [], [second] = []] = await Promise.all(both);
  expect(first).toMatchObject({ apiVersion: 'example.com/v2' });
  expect(second).toBe(first);
  expect(asked).toHaveLength(1);
});

test('a request does not fail because of an object that only another request has', async () => {
  const { asked, conversion } = open(true);
  const good = made('good');
  const list = conversion.convertAll([good, made('bad')], 'example.com/v2');
  const one = conversion.convertAll([good], 'example.com/v2');
  asked[0]?.answer({ result: { status: 'Failure', message: 'bad' } });
  await expect(list).rejects.toThrow('conversion webhook for example.com/v1, Kind=A failed: bad');
  expect(asked).toHaveLength(2);
  asked[1]?.answer();
  expect(await one).toMatchObject([{ metadata: { name: 'good' } }]);
});

test('an object without content, or of the version already, needs no call', async () => {
  const { asked, conversion } = open();
  const empty = { apiVersion: 'example.com/v1', kind: 'A' };
  const there = { ...made('a'), apiVersion: 'example.com/v2' };
  const [first, second] = await conversion.convertAll([empty, there], 'example.com/v2');
  expect(first).toEqual({ apiVersion: 'example.com/v2', kind: 'A' });
  expect(second).toBe(there);
  expect(asked).toEqual([]);
});

test('versions that the definition does not have are refused', async () => {
  const { conversion } = open();
  await expect(conversion.convertAll([made('a')], 'example.com/v3')).rejects.toThrow(
    'request to convert CR to an invalid group/version: example.com/v3',
  );
  const strange = { ...made('a'), apiVersion: 'example.com/v0' };
  await expect(conversion.convertAll([strange], 'example.com/v2')).rejects.toThrow(
    'request to convert CR from an invalid group/version: example.com/v0',
  );
});

test('an object that comes back many times as large is refused, and not cached', async () => {
  const { asked, conversion } = open(true);
  const object = made('small');
  const answered = conversion.convertAll([object], 'example.com/v2');
  const junk = Array.from({ length: 5000 }, () => ({}));
  const inflated = { ...object, apiVersion: 'example.com/v2', junk };
  asked[0]?.answer({ convertedObjects: [inflated] });
  await expect(answered).rejects.toThrow('too large for a conversion');
});
