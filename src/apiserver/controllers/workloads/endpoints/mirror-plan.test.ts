import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../lib/json.ts';
import { objectsAt, structAt } from '../../../objects/field-path.ts';
import { isMirrored } from './mirrored-endpoints.ts';
import { planMirror } from './mirror-plan.ts';

function endpointsOf(subsets: readonly JsonObject[], metadata: JsonObject = {}): JsonObject {
  return { metadata: { name: 'db', namespace: 'default', uid: 'e', ...metadata }, subsets };
}

const PORTS = [{ port: 5432, protocol: 'TCP' }];
const named = (slice: JsonObject, name: string): JsonObject => ({
  ...slice,
  metadata: { ...structAt(slice, 'metadata'), name },
});

test('each family has a slice, owned by the Endpoints', () => {
  const object = endpointsOf(
    [{ addresses: [{ ip: '10.0.0.1', nodeName: 'n' }, { ip: 'fd00::1' }], ports: PORTS }],
    {
      labels: { a: 'b' },
      annotations: { c: 'd', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
    },
  );
  const { create } = planMirror(object, []);
  expect(create).toMatchObject([
    {
      metadata: {
        generateName: 'db-',
        labels: {
          a: 'b',
          'kubernetes.io/service-name': 'db',
          'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
        },
        annotations: { c: 'd' },
        ownerReferences: [{ kind: 'Endpoints', name: 'db', uid: 'e' }],
      },
      addressType: 'IPv4',
      ports: [{ name: '', port: 5432, protocol: 'TCP' }],
      endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true }, nodeName: 'n' }],
    },
    { addressType: 'IPv6', endpoints: [{ addresses: ['fd00::1'] }] },
  ]);
  const again = planMirror(
    object,
    create.map((slice, index) => named(slice, String(index))),
  );
  expect(again).toMatchObject({ create: [], update: [], remove: [] });
});

test('a slice is updated when readiness changes, reused for other ports, and deleted at the end', () => {
  const [first = {}] = planMirror(
    endpointsOf([{ addresses: [{ ip: '10.0.0.1' }], ports: PORTS }]),
    [],
  ).create;
  const slice = named(first, 'one');
  const notReady = endpointsOf([{ notReadyAddresses: [{ ip: '10.0.0.1' }], ports: PORTS }]);
  expect(planMirror(notReady, [slice])).toMatchObject({
    create: [],
    update: [{ wanted: { endpoints: [{ conditions: { ready: false } }] } }],
  });
  const other = endpointsOf([{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 1 }] }]);
  expect(planMirror(other, [slice])).toMatchObject({
    create: [],
    update: [{ seen: slice, wanted: { metadata: { name: 'one' }, ports: [{ port: 1 }] } }],
    remove: [],
  });
  expect(planMirror(endpointsOf([]), [slice])).toMatchObject({ create: [], remove: [slice] });
});

test('addresses above the limit and invalid ones are counted', () => {
  const addresses = Array.from({ length: 1002 }, (_, index) => ({
    ip: `10.1.${Math.floor(index / 250)}.${index % 250}`,
  }));
  const plan = planMirror(
    endpointsOf([{ addresses: [...addresses, { ip: '!' }], ports: PORTS }]),
    [],
  );
  expect([plan.invalid, plan.skipped]).toEqual([1, 3]);
  expect(objectsAt(plan.create[0] ?? {}, 'endpoints').length).toBe(1000);
});

test.each([
  [{}, true],
  [{ labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } }, false],
  [{ annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } }, false],
])('Endpoints with %j are mirrored: %s', (metadata, expected) => {
  expect(isMirrored(endpointsOf([], metadata))).toBe(expected);
});
