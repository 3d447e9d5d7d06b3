/** Validation of device classes, claims and slices. */
import { expect, it } from 'vitest';
import { ApiRequests, problemsOf } from '../../../../test/support/api-requests.ts';
import { createWith, tryCreate, tryUpdate } from '../../../../test/support/rule-trials.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { valueAt } from '../../objects/field-path.ts';

const CLAIM = 'resource.k8s.io/v1/resourceclaims';
const SLICE = 'resource.k8s.io/v1/resourceslices';
const CLASS = 'resource.k8s.io/v1/deviceclasses';
const CLAIMS = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';

const asking = (...requests: readonly JsonObject[]) => ({ spec: { devices: { requests } } });
const wish = (fields: JsonObject) => asking({ name: 'gpu', exactly: fields });

it('a claim requests one device, unless it says how many, or all', async () => {
  const modes = async (fields: JsonObject) => {
    const { body: claim } = await createWith(CLAIM, wish({ deviceClassName: 'a', ...fields }));
    return valueAt(claim, 'spec.devices.requests');
  };
  const exactly = { deviceClassName: 'a', allocationMode: 'ExactCount', count: 1 };
  expect(await modes({})).toEqual([{ name: 'gpu', exactly }]);
  const all = { deviceClassName: 'a', allocationMode: 'All' };
  expect(await modes({ allocationMode: 'All' })).toEqual([{ name: 'gpu', exactly: all }]);
});

it.each([
  [
    'that asks for nothing',
    asking({ name: 'gpu' }),
    'spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required',
  ],
  ['of no class', wish({}), 'spec.devices.requests[0].exactly.deviceClassName: Required value'],
  [
    'for all, and some',
    wish({ deviceClassName: 'a', allocationMode: 'All', count: 2 }),
    "spec.devices.requests[0].exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'",
  ],
  [
    'that asks twice under one name',
    asking(
      { name: 'gpu', exactly: { deviceClassName: 'a' } },
      { name: 'gpu', exactly: { deviceClassName: 'a' } },
    ),
    'spec.devices.requests[1]: Duplicate value: "gpu"',
  ],
])('a claim %s is refused', async (_, change, problem) => {
  expect(await tryCreate(CLAIM, change)).toEqual([problem]);
});

it('a claim is immutable', async () => {
  const [problem] = await tryUpdate(CLAIM, wish({ deviceClassName: 'b' }));
  expect(problem).toMatch(/^spec: Invalid value: .*: field is immutable$/);
});

it('a claim is reserved only after its devices are allocated', async () => {
  const api = await ApiRequests.open();
  const body = { metadata: { name: 'c' }, ...wish({ deviceClassName: 'a' }) };
  await api.ask('POST', CLAIMS, { body });
  const reservedFor = [{ resource: 'pods', name: 'p', uid: 'u' }];
  const early = await api.merge(`${CLAIMS}/c/status`, { status: { reservedFor } });
  expect(problemsOf(early)).toEqual([
    'status.reservedFor: Forbidden: may not be specified when `allocated` is not set',
  ]);
  const results = [{ request: 'gpu', driver: 'd', pool: 'p', device: 'x' }];
  const status = { allocation: { devices: { results } }, reservedFor };
  expect(problemsOf(await api.merge(`${CLAIMS}/c/status`, { status }))).toEqual(['accepted']);
});

it('the report of a driver is dropped with the device', async () => {
  const api = await ApiRequests.open();
  const body = { metadata: { name: 'c' }, ...wish({ deviceClassName: 'a' }) };
  await api.ask('POST', CLAIMS, { body });
  const device = { driver: 'd', pool: 'p', device: 'x' };
  const devices = { results: [{ request: 'gpu', ...device }] };
  const status = { allocation: { devices }, devices: [device] };
  const notified = await api.merge(`${CLAIMS}/c/status`, { status });
  expect(valueAt(notified.body, 'status.devices')).toMatchObject([device]);
  const freed = await api.merge(`${CLAIMS}/c/status`, { status: { allocation: null } });
  expect(valueAt(freed.body, 'status.devices')).toBeUndefined();
});

it.each([
  ['two places', { nodeName: 'n', allNodes: true }, /but multiple fields are set$/],
  ['no place', { nodeName: null }, /^spec: Required value: exactly one of `nodeName`/],
  ['a driver with a blank', { driver: 'a b' }, /^spec\.driver: Invalid value: "a b": /],
  [
    'an attribute of two kinds',
    { devices: [{ name: 'g', attributes: { a: { int: 1, bool: true } } }] },
    /attributes\[a\]: Invalid value: .*: exactly one value must be specified$/,
  ],
  [
    'a version that is none',
    { devices: [{ name: 'g', attributes: { a: { version: '1' } } }] },
    /version: Invalid value: "1": must be a string compatible with semver\.org spec 2\.0\.0$/,
  ],
])('a slice with %s is refused', async (_, spec, problem) => {
  const problems = await tryCreate(SLICE, { spec: { ...spec } });
  expect(problems).toEqual([expect.stringMatching(problem)]);
});

it('a taint of a device gets its timestamp', async () => {
  const taints = [{ key: 'broken', effect: 'NoSchedule' }];
  const { body: slice } = await createWith(SLICE, { spec: { devices: [{ name: 'g', taints }] } });
  expect(JSON.stringify(valueAt(slice, 'spec.devices'))).toContain('"timeAdded":"');
});

it('a class may stand for an extended resource only', async () => {
  const naming = (extendedResourceName: string) => ({ spec: { extendedResourceName } });
  expect(await tryCreate(CLASS, naming('example.com/gpu'))).toEqual(['accepted']);
  expect(await tryCreate(CLASS, naming('cpu'))).toEqual([
    'spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name',
  ]);
});
