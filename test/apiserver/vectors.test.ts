/** The recorded vectors of patches, selectors and quantities, through the server. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { hold } from '../../src/apiserver/requests/body.ts';
import { pods } from '../../src/apiserver/kinds/core/pods.ts';
import { applyPatch } from '../../src/apiserver/requests/patching.ts';
import { StatusError } from '../../src/apiserver/objects/status.ts';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { ApiHarness, CONFIG_MAPS } from './api-harness.ts';

interface Recorded<In, Out> {
  readonly fn: string;
  readonly in: In;
  readonly out: Out & { readonly error?: boolean };
}

const FILE = path.join(import.meta.dirname, '..', 'vectors', 'api-functions.jsonl');
const vectors = readFileSync(FILE, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Recorded<unknown, unknown>);

function recorded<In, Out>(fn: string): readonly Recorded<In, Out>[] {
  const found = vectors.filter((vector) => vector.fn === fn) as readonly Recorded<In, Out>[];
  expect(found.length).toBeGreaterThan(0);
  return found;
}

interface Selection {
  readonly selector: string;
  readonly labels?: JsonObject;
}

test('a list shows what the recorded selectors match, and refuses invalid ones', async () => {
  for (const vector of recorded<Selection, { matches?: boolean }>('labelSelector')) {
    const harness = await ApiHarness.open();
    const { selector, labels = {} } = vector.in;
    await harness.send('POST', CONFIG_MAPS, { metadata: { name: 'a', labels } });
    const query = new URLSearchParams({ labelSelector: selector }).toString();
    const { code, body } = await harness.send('GET', `${CONFIG_MAPS}?${query}`);
    const matches = Array.isArray(body['items']) && body['items'].length === 1;
    const expected = vector.out.error ? { code: 400 } : { code: 200, matches: vector.out.matches };
    expect(vector.out.error ? { code } : { code, matches }, selector).toEqual(expected);
  }
});

test('a quantity is stored in its recorded form, and refused if it is invalid', async () => {
  const harness = await ApiHarness.open();
  for (const vector of recorded<string, { canonical?: string }>('parseQuantity')) {
    // In JSON, unlike elsewhere, Kubernetes accepts blanks around a quantity.
    if (vector.in.trim() !== vector.in) continue;
    const status = { capacity: { cpu: vector.in } };
    const node = { metadata: { name: 'n' }, status };
    const { code, body } = await harness.send('POST', '/api/v1/nodes?dryRun=All', node);
    const { error, canonical = '' } = vector.out;
    // No node has a negative capacity, but the answer shows how the quantity was read.
    const refused = { message: expect.stringContaining(`Invalid value: "${canonical}"`) };
    const stored = { status: { capacity: { cpu: canonical } } };
    const expected = error ? { code: 400 } : canonical.startsWith('-') ? refused : stored;
    expect({ ...body, code }, vector.in).toMatchObject(expected);
  }
});

interface Patching {
  readonly original: JsonObject;
  readonly patch: Json;
}

test('a strategic patch of a pod gives the recorded pod, or is refused', () => {
  for (const vector of recorded<Patching, { object?: JsonObject }>('strategicMergePatchPod')) {
    const { original, patch } = vector.in;
    const what = { type: 'strategic' as const, body: patch, validation: 'Ignore' as const };
    const apply = (): JsonObject => applyPatch(pods, original, what, () => {});
    const expected = orRefused(() => asPod(vector.out.object));
    expect(orRefused(apply)).toEqual(expected);
  }
});

/** An object that is none of its kind is refused as well. */
function asPod(object: JsonObject | undefined): JsonObject {
  if (!object) throw new StatusError(400, '', 'it was refused');
  return hold({ value: object }, pods, 'Ignore').object;
}

function orRefused(act: () => JsonObject): JsonObject | 'refused' {
  try {
    return act();
  } catch (error) {
    if (error instanceof StatusError) return 'refused';
    throw error;
  }
}
