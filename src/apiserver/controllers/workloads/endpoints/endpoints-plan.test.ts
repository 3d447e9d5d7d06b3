import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../lib/json.ts';
import { objectsAt, structAt } from '../../../objects/field-path.ts';
import { planEndpoints } from './endpoints-plan.ts';
import { packSubsets } from './subset-packing.ts';

const SERVICE = {
  metadata: { name: 'web', namespace: 'default', labels: { team: 'a' } },
  spec: {
    clusterIP: '10.96.0.9',
    ipFamilies: ['IPv4'],
    selector: { app: 'web' },
    ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }],
  },
};

function podOf(number: number, isReady = true, metadata: JsonObject = {}): JsonObject {
  const ip = `10.1.${Math.floor(number / 250)}.${(number % 250) + 1}`;
  return {
    metadata: { name: `p${number}`, namespace: 'default', uid: `u${number}`, ...metadata },
    spec: { nodeName: 'node' },
    status: {
      podIPs: [{ ip }],
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
    },
  };
}

test('ready and other pods share a subset, and labels say who manages it', () => {
  const address = (number: number): JsonObject => ({
    ip: `10.1.0.${number + 1}`,
    nodeName: 'node',
    targetRef: { kind: 'Pod', namespace: 'default', name: `p${number}`, uid: `u${number}` },
  });
  expect(planEndpoints(SERVICE, [podOf(1), podOf(2, false), podOf(0)], undefined)).toEqual({
    metadata: {
      name: 'web',
      labels: { team: 'a', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' },
    },
    subsets: [
      {
        addresses: [address(0), address(1)],
        notReadyAddresses: [address(2)],
        ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      },
    ],
  });
});

test('what is stored is right: nothing to write', () => {
  const stored = planEndpoints(SERVICE, [podOf(1)], undefined) ?? {};
  expect(planEndpoints(SERVICE, [podOf(1)], stored)).toBeNull();
  expect(planEndpoints(SERVICE, [podOf(1, false)], stored)).not.toBeNull();
});

test('a pod that is being deleted is no endpoint, unless all addresses are published', () => {
  const ending = podOf(1, true, { deletionTimestamp: '2026-01-01T00:00:00Z' });
  expect(planEndpoints(SERVICE, [ending], undefined)?.['subsets']).toEqual([]);
  const all = { ...SERVICE, spec: { ...SERVICE.spec, publishNotReadyAddresses: true } };
  expect(planEndpoints(all, [ending], undefined)?.['subsets']).toMatchObject([
    { addresses: [{ ip: '10.1.0.2' }] },
  ]);
});

test('a headless service without ports has addresses only, and the label', () => {
  const service = { ...SERVICE, spec: { ...SERVICE.spec, clusterIP: 'None', ports: [] } };
  const wanted = planEndpoints(service, [podOf(1)], undefined) ?? {};
  expect(wanted['subsets']).toMatchObject([{ addresses: [{ ip: '10.1.0.2' }] }]);
  expect(structAt(wanted, 'metadata.labels')).toHaveProperty('service.kubernetes.io/headless', '');
});

test.each([
  [1001, 0, 1000, 0],
  [900, 200, 900, 100],
  [1000, 5, 1000, 0],
])(
  '%i ready and %i other addresses: %i and %i are kept, and an annotation says so',
  (ready, others, keptReady, keptOthers) => {
    const pods = Array.from({ length: ready + others }, (_, index) => podOf(index, index < ready));
    const wanted = planEndpoints(SERVICE, pods, undefined) ?? {};
    const count = (list: string): number =>
      objectsAt(wanted, 'subsets').flatMap((subset) => objectsAt(subset, list)).length;
    expect([count('addresses'), count('notReadyAddresses')]).toEqual([keptReady, keptOthers]);
    expect(structAt(wanted, 'metadata.annotations')).toEqual({
      'endpoints.kubernetes.io/over-capacity': 'truncated',
    });
    expect(planEndpoints(SERVICE, pods, wanted)).toBeNull();
    const fewer = planEndpoints(SERVICE, pods.slice(0, 10), wanted) ?? {};
    expect(structAt(fewer, 'metadata')).not.toHaveProperty('annotations');
  },
);

test('ports with the same addresses share a subset, in a canonical order', () => {
  const at = (ip: string, port: number): JsonObject => ({
    addresses: [{ ip }],
    ports: [{ port, protocol: 'TCP' }],
  });
  const parts = [at('b', 80), at('a', 80), at('a', 443), at('b', 443), at('a', 9)];
  const packed = [
    { addresses: [{ ip: 'a' }, { ip: 'b' }], ports: [{ port: 443 }, { port: 80 }] },
    { addresses: [{ ip: 'a' }], ports: [{ port: 9 }] },
  ];
  expect(packSubsets(parts)).toMatchObject(packed);
  expect(packSubsets(parts.toReversed())).toEqual(packSubsets(parts));
  expect(packSubsets(packSubsets(parts))).toEqual(packSubsets(parts));
});

test('an address that is ready and not ready at one port is not ready', () => {
  const ports = [{ port: 1, protocol: 'TCP' }];
  const both = [
    { addresses: [{ ip: 'a' }], ports },
    { notReadyAddresses: [{ ip: 'a' }], ports },
  ];
  expect(packSubsets(both)).toEqual([{ notReadyAddresses: [{ ip: 'a' }], ports }]);
});
