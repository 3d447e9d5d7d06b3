/** Custom kinds from end to end: defined, served, validated, printed, converted and deleted. */
import { describe, expect, test } from 'vitest';
import { ApiServer } from '../../src/apiserver/http/api-server.ts';
import { builtInKinds } from '../../src/apiserver/kinds/built-in-kinds.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { silentLog } from '../support/silent-ports.ts';
import { promisesSettled } from '../support/virtual-clock.ts';
import { cronTabs, everything } from './custom-definitions.ts';
import { ApiHarness, type Answer } from './api-harness.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CRON_TABS = '/apis/stable.example.com/v1/namespaces/default/crontabs';
const GADGETS = '/apis/lab.example.com/v1/gadgets';
const TABLE = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
const MERGE = { 'content-type': 'application/merge-patch+json' };

async function open(...definitions: readonly JsonObject[]): Promise<ApiHarness> {
  const harness = await ApiHarness.open();
  for (const definition of definitions) {
    const { code, body } = await harness.send('POST', CRDS, definition);
    expect(body).not.toHaveProperty('message');
    expect(code).toBe(201);
  }
  await promisesSettled();
  return harness;
}

function cronTab(name: string, spec: JsonObject): JsonObject {
  return { apiVersion: 'stable.example.com/v1', kind: 'CronTab', metadata: { name }, spec };
}

function gadget(name: string, spec: JsonObject): JsonObject {
  return { apiVersion: 'lab.example.com/v1', kind: 'Gadget', metadata: { name }, spec };
}

function causesOf({ body }: Answer): unknown {
  return (body as { details?: { causes?: unknown } }).details?.causes;
}

function messageOf({ body }: Answer): unknown {
  return (body as { message?: unknown }).message;
}

describe('a definition', () => {
  test('is established as soon as its names are free', async () => {
    const harness = await open(cronTabs());
    const { body } = await harness.send('GET', `${CRDS}/crontabs.stable.example.com`);
    expect(body).toMatchObject({
      spec: { conversion: { strategy: 'None' }, names: { listKind: 'CronTabList' } },
      status: {
        acceptedNames: { plural: 'crontabs', shortNames: ['ct'] },
        storedVersions: ['v1'],
        conditions: [
          { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts' },
          { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' },
        ],
      },
    });
  });

  test('is printed with its name and age of creation', async () => {
    const harness = await open(cronTabs());
    const { body } = await harness.send('GET', CRDS, undefined, TABLE);
    expect(body['columnDefinitions']).toMatchObject([{ name: 'Name' }, { name: 'Created At' }]);
    expect(body['rows']).toMatchObject(
      [{ cells: ['crontabs.stable.example.com', /T/] }].map(({ cells }) => ({
        cells: [cells[0], expect.stringMatching(/T.*Z$/)],
      })),
    );
  });

  test('whose names are taken waits until they are free', async () => {
    const harness = await open(cronTabs());
    const other = cronTabs({
      plural: 'tabs',
      kind: 'CronTab',
      singular: 'tab',
      shortNames: ['ct'],
    });
    await harness.send('POST', CRDS, other);
    await promisesSettled();
    const path = `${CRDS}/tabs.stable.example.com`;
    const { body: refused } = await harness.send('GET', path);
    expect(refused['status']).toMatchObject({
      acceptedNames: { plural: 'tabs', kind: '' },
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'False',
          reason: 'ListKindConflict',
          message: '"CronTabList" is already in use',
        },
        { type: 'Established', status: 'False', reason: 'NotAccepted' },
      ],
    });
    await harness.send('DELETE', `${CRDS}/crontabs.stable.example.com`);
    await promisesSettled();
    const { body: accepted } = await harness.send('GET', path);
    expect(accepted['status']).toMatchObject({
      acceptedNames: { kind: 'CronTab', listKind: 'CronTabList', shortNames: ['ct'] },
      conditions: [{ status: 'True' }, { status: 'True' }],
    });
  });

  test('cannot change what its objects depend on', async () => {
    const harness = await open(cronTabs());
    const path = `${CRDS}/crontabs.stable.example.com`;
    const patch = { spec: { scope: 'Cluster', names: { kind: 'Other', listKind: 'OtherList' } } };
    const answer = await harness.send('PATCH', path, patch, MERGE);
    expect(answer.code).toBe(422);
    expect(causesOf(answer)).toMatchObject([
      { field: 'spec.scope', message: 'Invalid value: "Cluster": field is immutable' },
      { field: 'spec.names.kind', message: 'Invalid value: "Other": field is immutable' },
    ]);
  });
});

describe('discovery', () => {
  test('lists the kind with its short names, categories and subresources', async () => {
    const harness = await open(everything());
    const { body } = await harness.send('GET', '/apis/lab.example.com/v1');
    expect(body['resources']).toMatchObject([
      { name: 'gadgets', shortNames: ['gd'], categories: ['all', 'toys'], namespaced: false },
      { name: 'gadgets/status', kind: 'Gadget' },
      { name: 'gadgets/scale', kind: 'Scale', group: 'autoscaling', version: 'v1' },
    ]);
  });

  test('prefers the newest stable version, whatever the order in the definition', async () => {
    const harness = await open(everything());
    const { body } = await harness.send('GET', '/apis/lab.example.com');
    expect(body).toMatchObject({
      preferredVersion: { version: 'v1' },
      versions: [{ version: 'v1' }, { version: 'v1beta1' }],
    });
  });

  test('drops a kind whose definition is deleted', async () => {
    const harness = await open(cronTabs());
    await harness.send('DELETE', `${CRDS}/crontabs.stable.example.com`);
    await promisesSettled();
    expect((await harness.fetch('GET', '/apis/stable.example.com')).status).toBe(404);
    expect((await harness.fetch('GET', CRON_TABS)).status).toBe(404);
  });
});

describe('a custom object', () => {
  test('is pruned, defaulted, and has a generation', async () => {
    const harness = await open(cronTabs());
    const body = cronTab('a', { cronSpec: '* * * * *', missing: { knows: 1 } });
    const answer = await harness.send('POST', CRON_TABS, body);
    expect(answer.code).toBe(201);
    expect(answer.warnings).toBe('299 - "unknown field \\"spec.missing\\""');
    expect(answer.body['spec']).toEqual({ cronSpec: '* * * * *', image: 'nobody', replicas: 1 });
    expect(answer.body.metadata['generation']).toBe(1);
  });

  test('with unknown fields is refused with strict field validation', async () => {
    const harness = await open(cronTabs());
    const body = cronTab('a', { cronSpec: 'x', what: 1, is: 2 });
    const answer = await harness.send('POST', `${CRON_TABS}?fieldValidation=Strict`, body);
    expect(messageOf(answer)).toBe(
      'CronTab in version "v1" cannot be handled as a CronTab: strict decoding error: ' +
        'unknown field "spec.is", unknown field "spec.what"',
    );
  });

  test('is refused with all errors of its schema', async () => {
    const harness = await open(cronTabs());
    const body = cronTab('a', { cronSpec: 'no', replicas: 99, image: 7 });
    const answer = await harness.send('POST', CRON_TABS, body);
    expect(answer.code).toBe(422);
    expect(causesOf(answer)).toEqual([
      {
        reason: 'FieldValueInvalid',
        field: 'spec.cronSpec',
        message: `Invalid value: "no": spec.cronSpec in body should match '^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$'`,
      },
      {
        reason: 'FieldValueInvalid',
        field: 'spec.replicas',
        message: 'Invalid value: 99: spec.replicas in body should be less than or equal to 10',
      },
      {
        reason: 'FieldValueTypeInvalid',
        field: 'spec.image',
        message: 'Invalid value: "integer": spec.image in body must be of type string: "integer"',
      },
      {
        reason: 'FieldValueInvalid',
        field: '<nil>',
        message:
          'Invalid value: null: some validation rules were not checked because the object was ' +
          'invalid; correct the existing errors to complete validation',
      },
    ]);
  });

  test('is validated by the rules in its definition, on creation and on update', async () => {
    const harness = await open(cronTabs());
    const refused = await harness.send(
      'POST',
      CRON_TABS,
      cronTab('a', { cronSpec: '* * * * *', replicas: 0, image: 'x' }),
    );
    expect(messageOf(refused)).toBe(
      'CronTab.stable.example.com "a" is invalid: spec: Invalid value: x needs replicas',
    );
    await harness.send('POST', CRON_TABS, cronTab('a', { cronSpec: '* * * * *', replicas: 3 }));
    const changed = await harness.send('PATCH', `${CRON_TABS}/a`, { spec: { replicas: 2 } }, MERGE);
    expect(causesOf(changed)).toMatchObject([
      { field: 'spec.replicas', message: 'Forbidden: replicas may not be taken away' },
    ]);
    const grown = await harness.send('PATCH', `${CRON_TABS}/a`, { spec: { replicas: 4 } }, MERGE);
    expect(grown.code).toBe(200);
    expect(grown.body.metadata['generation']).toBe(2);
  });

  test('keeps its status apart from the rest', async () => {
    const harness = await open(cronTabs());
    const body = { ...cronTab('a', { cronSpec: '* * * * *' }), status: { replicas: 5 } };
    const { body: created } = await harness.send('POST', CRON_TABS, body);
    expect(created).not.toHaveProperty('status');
    const patch = { spec: { image: 'other' }, status: { replicas: 2 } };
    const { body: notified } = await harness.send('PATCH', `${CRON_TABS}/a/status`, patch, MERGE);
    expect(notified).toMatchObject({ spec: { image: 'nobody' }, status: { replicas: 2 } });
    expect(notified.metadata['generation']).toBe(1);
    const wrong = await harness.send(
      'PATCH',
      `${CRON_TABS}/a/status`,
      { status: { replicas: 'x' } },
      MERGE,
    );
    expect(causesOf(wrong)).toMatchObject([
      {
        field: 'status.replicas',
        message: 'Invalid value: "string": replicas in body must be of type integer: "string"',
      },
      {
        field: '.status.replicas',
        message:
          'Invalid value: 0: .status.replicas accessor error: x is of the type string, expected int64',
      },
      { field: '<nil>' },
    ]);
  });

  test('is scaled through its paths', async () => {
    const harness = await open(cronTabs());
    await harness.send('POST', CRON_TABS, cronTab('a', { cronSpec: '* * * * *', replicas: 3 }));
    const status = { status: { replicas: 2, labelSelector: 'app=a' } };
    await harness.send('PATCH', `${CRON_TABS}/a/status`, status, MERGE);
    const { body } = await harness.send('GET', `${CRON_TABS}/a/scale`);
    expect(body).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 3 },
      status: { replicas: 2, selector: 'app=a' },
    });
    const scaled = await harness.send(
      'PATCH',
      `${CRON_TABS}/a/scale`,
      { spec: { replicas: 7 } },
      MERGE,
    );
    expect(scaled.body).toMatchObject({ kind: 'Scale', spec: { replicas: 7 } });
    const { body: after } = await harness.send('GET', `${CRON_TABS}/a`);
    expect(after).toMatchObject({ spec: { replicas: 7 }, metadata: { generation: 2 } });
  });

  test('is shown in the columns of its definition', async () => {
    const harness = await open(cronTabs());
    await harness.send('POST', CRON_TABS, cronTab('a', { cronSpec: '* * * * *', replicas: 3 }));
    await harness.clock.pass(90_000);
    const { body } = await harness.send('GET', CRON_TABS, undefined, TABLE);
    expect(body['columnDefinitions']).toMatchObject([
      { name: 'Name', format: 'name' },
      { name: 'Spec', type: 'string', priority: 0 },
      { name: 'Replicas', type: 'integer', priority: 1 },
      { name: 'Age', type: 'date' },
    ]);
    expect(body['rows']).toMatchObject([{ cells: ['a', '* * * * *', 3, '90s'] }]);
  });

  test('takes no strategic patch, and no update without a resourceVersion', async () => {
    const harness = await open(cronTabs());
    await harness.send('POST', CRON_TABS, cronTab('a', { cronSpec: '* * * * *' }));
    const type = { 'content-type': 'application/strategic-merge-patch+json' };
    expect((await harness.send('PATCH', `${CRON_TABS}/a`, {}, type)).code).toBe(415);
    const put = await harness.send(
      'PUT',
      `${CRON_TABS}/a`,
      cronTab('a', { cronSpec: '1 * * * *' }),
    );
    expect(put.code).toBe(422);
    expect(messageOf(put)).toContain('must be specified for an update');
  });

  test('that was written under a looser schema may keep its values', async () => {
    const harness = await open(cronTabs());
    await harness.send('POST', CRON_TABS, cronTab('a', { cronSpec: '* * * * *', replicas: 9 }));
    const tighter = cronTabs();
    const { body: crd } = await harness.send('GET', `${CRDS}/crontabs.stable.example.com`);
    const text = JSON.stringify({ ...crd, spec: tighter['spec'] }).replaceAll(
      '"maximum":10',
      '"maximum":5',
    );
    expect((await harness.send('PUT', `${CRDS}/crontabs.stable.example.com`, text)).code).toBe(200);
    const kept = await harness.send('PATCH', `${CRON_TABS}/a`, { spec: { image: 'new' } }, MERGE);
    expect(kept.code).toBe(200);
    const raised = await harness.send('PATCH', `${CRON_TABS}/a`, { spec: { replicas: 10 } }, MERGE);
    expect(raised.code).toBe(422);
  });
});

describe('a kind with every feature', () => {
  test('checks formats, sets, maps, embedded resources and alternatives', async () => {
    const harness = await open(everything());
    const answer = await harness.send(
      'POST',
      GADGETS,
      gadget('a', {
        color: 'red',
        when: 'yesterday',
        tags: ['a', 'b', 'a'],
        ports: [
          { name: 'x', port: 1 },
          { name: 'x', port: 2 },
        ],
        template: { kind: 'Pod', metadata: { name: 'a/b' } },
        either: { left: 1, right: 2 },
        size: true,
      }),
    );
    const causes = causesOf(answer) as readonly { field: string; message: string }[];
    expect(Object.fromEntries(causes.map(({ field, message }) => [field, message]))).toMatchObject({
      'spec.when':
        'Invalid value: "yesterday": spec.when in body must be of type date-time: "yesterday"',
      'spec.tags[2]': 'Duplicate value: "a"',
      'spec.ports[1]': 'Duplicate value: {"name":"x"}',
      'spec.template.apiVersion': 'Required value',
      'spec.template.metadata.name': `Invalid value: "a/b": may not contain '/'`,
      'spec.size':
        'Invalid value: "boolean": spec.size in body must be of type integer,string: "boolean"',
    });
    expect(causes.map(({ message }) => message)).toContain(
      'Invalid value: "": "spec.either" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    );
  });

  test('keeps preserved unknown fields, and prunes beside them', async () => {
    const harness = await open(everything());
    const { body } = await harness.send(
      'POST',
      GADGETS,
      gadget('a', {
        color: 'red',
        anything: { deep: [{ x: 1 }], known: { a: 1, b: 2 } },
        template: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'p', strange: 1 },
          spec: { free: true },
        },
        labels: { a: 'b', c: null },
        maybe: null,
        never: null,
      }),
    );
    expect(body['spec']).toEqual({
      color: 'red',
      anything: { deep: [{ x: 1 }], known: { a: 1 } },
      template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { free: true } },
      labels: { a: 'b' },
      maybe: null,
      size: '10%',
    });
  });

  test('is read in another version, and stored once', async () => {
    const harness = await open(everything());
    await harness.send('POST', GADGETS, gadget('a', { color: 'red' }));
    const answer = await harness.send('GET', '/apis/lab.example.com/v1beta1/gadgets/a');
    expect(answer.body).toMatchObject({
      apiVersion: 'lab.example.com/v1beta1',
      spec: { color: 'red' },
    });
    // A read fills in the defaults of the stored version, and not those of the version that is read.
    expect(answer.body['spec']).not.toHaveProperty('old');
    expect(answer.warnings).toBe(
      '299 - "lab.example.com/v1beta1 Gadget is deprecated; use lab.example.com/v1 Gadget"',
    );
    const { body: list } = await harness.send('GET', '/apis/lab.example.com/v1beta1/gadgets');
    expect(list['items']).toMatchObject([{ apiVersion: 'lab.example.com/v1beta1' }]);
    const stored = harness.store.list('/lab.example.com/gadgets/').objects;
    expect(stored.map(({ value }) => value['apiVersion'])).toEqual(['lab.example.com/v1']);
    expect(stored[0]?.value['spec']).not.toHaveProperty('old');
  });

  test('is found by its selectable fields', async () => {
    const harness = await open(everything());
    for (const color of ['red', 'blue']) {
      await harness.send('POST', GADGETS, gadget(color, { color }));
    }
    const found = await harness.send('GET', `${GADGETS}?fieldSelector=spec.color%3Dblue`);
    expect(found.body['items']).toMatchObject([{ metadata: { name: 'blue' } }]);
    const unknown = await harness.send('GET', `${GADGETS}?fieldSelector=spec.size%3D1`);
    expect(messageOf(unknown)).toBe('field label not supported: spec.size');
  });

  test('may name oldSelf in a rule with optionalOldSelf', async () => {
    const harness = await open(everything());
    const created = await harness.send('POST', GADGETS, gadget('a', { color: 'green' }));
    expect(causesOf(created)).toMatchObject([
      { field: 'spec.color', message: 'Invalid value: "green": green must come from somewhere' },
    ]);
    await harness.send('POST', GADGETS, gadget('a', { color: 'blue' }));
    const patch = { spec: { color: 'green' } };
    expect((await harness.send('PATCH', `${GADGETS}/a`, patch, MERGE)).code).toBe(200);
  });

  test('has a too expensive rule stopped before it stops the server', async () => {
    const harness = await open(everything());
    const numbers = Array.from({ length: 400 }, (_, index) => index);
    const answer = await harness.send('POST', GADGETS, gadget('a', { color: 'red', numbers }));
    expect(messageOf(answer)).toContain(
      "'operation cancelled: actual cost limit exceeded': no further validation rules will be run " +
        'due to call cost exceeds limit for rule: numbers are triples of nothing',
    );
  });
});

describe('deletion', () => {
  test('of a definition takes its objects with it', async () => {
    const harness = await open(cronTabs());
    await harness.send('POST', CRON_TABS, cronTab('a', { cronSpec: '* * * * *' }));
    const { body } = await harness.send('DELETE', `${CRDS}/crontabs.stable.example.com`);
    expect(body.metadata['finalizers']).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    await promisesSettled();
    expect(harness.store.list('/stable.example.com/').objects).toEqual([]);
    expect((await harness.fetch('GET', `${CRDS}/crontabs.stable.example.com`)).status).toBe(404);
  });

  test('waits for objects with finalizers, and accepts nothing new', async () => {
    const harness = await open(cronTabs());
    const held = cronTab('a', { cronSpec: '* * * * *' });
    const metadata = { name: 'a', finalizers: ['example.com/hold'] };
    await harness.send('POST', CRON_TABS, { ...held, metadata });
    await harness.send('DELETE', `${CRDS}/crontabs.stable.example.com`);
    await promisesSettled();
    const { body } = await harness.send('GET', `${CRDS}/crontabs.stable.example.com`);
    expect((body['status'] as JsonObject)['conditions']).toMatchObject([
      {},
      {},
      { type: 'Terminating', status: 'True', reason: 'InstanceDeletionInProgress' },
    ]);
    const refused = await harness.send('POST', CRON_TABS, cronTab('b', { cronSpec: '* * * * *' }));
    expect(messageOf(refused)).toBe(
      'crontabs.stable.example.com "b" is forbidden: create not allowed while custom resource ' +
        'definition is terminating',
    );
    await harness.send('PATCH', `${CRON_TABS}/a`, { metadata: { finalizers: null } }, MERGE);
    await promisesSettled();
    expect((await harness.fetch('GET', `${CRDS}/crontabs.stable.example.com`)).status).toBe(404);
  });
});

test('a server that starts again serves the definitions, and finishes deletions', async () => {
  const harness = await open(cronTabs());
  await harness.send('POST', CRON_TABS, cronTab('a', { cronSpec: '* * * * *' }));
  const { store, clock } = harness;
  const key = '/apiextensions.k8s.io/customresourcedefinitions/tabs.later.example.com';
  const waiting = { ...cronTabs(), metadata: { name: 'tabs.later.example.com' } };
  const named = JSON.parse(
    JSON.stringify(waiting)
      .replaceAll('stable.example.com', 'later.example.com')
      .replaceAll('crontabs', 'tabs'),
  ) as JsonObject;
  const metadata = { name: 'tabs.later.example.com', uid: '1', resourceVersion: '9' };
  await store.commit([
    { key, make: () => ({ ...named, metadata, status: { storedVersions: ['v1'] } }) },
  ]);
  const again = new ApiServer({
    store,
    clock,
    random: seededRandom(2),
    log: silentLog,
    kinds: builtInKinds,
    version: {},
  });
  await promisesSettled();
  const served = await again.fetch(new Request(`http://podkeep${CRON_TABS}/a`));
  expect(served.status).toBe(200);
  const finished = await again.fetch(new Request('http://podkeep/apis/later.example.com/v1'));
  expect(finished.status).toBe(200);
});
