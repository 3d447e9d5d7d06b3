/** What the server answers about metadata and templates, as kube-apiserver v1.36 was recorded to answer. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { ApiHarness, CONFIG_MAPS, type Answer } from './api-harness.ts';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

let harness: ApiHarness;

beforeEach(async () => {
  harness = await ApiHarness.open();
  await harness.create('a', { data: { a: '1' } });
});

interface Cause {
  readonly field: string;
  readonly message: string;
}

function causes({ body }: Answer): readonly string[] {
  const { details } = body as { details?: { causes?: readonly Cause[] } };
  return (details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
}

function patch(metadata: JsonObject): Promise<Answer> {
  return harness.send('PATCH', `${CONFIG_MAPS}/a`, { metadata }, MERGE);
}

describe('an update reports errors of metadata in each place that validates them', () => {
  test('four times for owners of a kind that validates the whole object', async () => {
    const answer = await patch({ ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x' }] });
    expect(answer.code).toBe(422);
    const one = 'metadata.ownerReferences.uid: Invalid value: "": must not be empty';
    expect(causes(answer)).toEqual([one, one, one, one]);
  });

  test('twice for finalizers, with the index where the name needs a domain', async () => {
    const found = causes(await patch({ finalizers: ['example.com/a', 'b'] }));
    const why = 'name is neither a standard finalizer name nor is it fully qualified';
    const one = `metadata.finalizers[1]: Invalid value: "b": ${why}`;
    expect(found).toEqual([one, one]);
  });

  test('and a creation once', async () => {
    const metadata = { name: 'b', finalizers: ['orphan', 'foregroundDeletion'] };
    const found = causes(await harness.send('POST', CONFIG_MAPS, { metadata }));
    expect(found).toEqual([
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: ' +
        'finalizer orphan and foregroundDeletion cannot be both set',
    ]);
  });

  test('two owners that are controllers', async () => {
    const owner = (name: string): JsonObject => {
      return { apiVersion: 'v1', kind: 'Pod', name, uid: name, controller: true };
    };
    const metadata = { name: 'b', ownerReferences: [owner('x'), owner('y')] };
    const [found] = causes(await harness.send('POST', CONFIG_MAPS, { metadata }));
    expect(found).toContain('Found "true" in references for Pod/x and Pod/y');
  });
});

test('an empty list of managedFields removes them, by a patch as by an update', async () => {
  expect((await patch({ managedFields: [] })).body.metadata).not.toHaveProperty('managedFields');
});

describe('a template of pods', () => {
  const template = {
    metadata: { labels: { app: 'q' } },
    spec: {
      containers: [{ name: 'c', image: 'x', env: [{ name: 'A' }, { name: 'A', value: '2' }] }],
    },
  };
  const spec = { selector: { matchLabels: { app: 'q' } }, template };
  const warning =
    '299 - "spec.template.spec.containers[0].env[1]: hides previous definition of \\"A\\", ' +
    'which may be dropped when using apply"';

  test('causes the warnings of a pod', async () => {
    const posted = await harness.send('POST', DEPLOYMENTS, { metadata: { name: 'q' }, spec });
    expect(posted.warnings).toBe(warning);
  });

  test('and again only when an update changes the generation', async () => {
    await harness.send('POST', DEPLOYMENTS, { metadata: { name: 'q' }, spec });
    const path = `${DEPLOYMENTS}/q`;
    const labelled = await harness.send('PATCH', path, { metadata: { labels: { a: 'b' } } }, MERGE);
    expect(labelled.warnings).toBeNull();
    const scaled = await harness.send('PATCH', path, { spec: { replicas: 3 } }, MERGE);
    expect(scaled.warnings).toBe(warning);
  });

  test('whose object has a name with dots: pods would have it as hostname', async () => {
    const posted = await harness.send('POST', DEPLOYMENTS, { metadata: { name: 'q.x' }, spec });
    expect(posted.warnings).toContain('metadata.name: this is used in Pod names and hostnames');
  });
});
