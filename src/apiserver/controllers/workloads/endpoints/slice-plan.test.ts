import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../lib/json.ts';
import { objectsAt, structAt, textAt } from '../../../objects/field-path.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { planSlices, type SlicePlan } from './slice-plan.ts';

const NODE = {
  metadata: { name: 'node', labels: { 'topology.kubernetes.io/zone': 'east' } },
};

function serviceOf(spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'service', ...metadata },
    spec: {
      clusterIP: '10.96.0.9',
      ipFamilies: ['IPv4'],
      selector: { app: 'web' },
      ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }],
      ...spec,
    },
  };
}

function podOf(name: string, fields: JsonObject = {}, status: JsonObject = {}): JsonObject {
  const number = Number(name.slice(1));
  return {
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    spec: { nodeName: 'node', ...fields },
    status: {
      podIPs: [{ ip: `10.1.${Math.floor(number / 250)}.${(number % 250) + 1}` }],
      conditions: [{ type: 'Ready', status: 'True' }],
      ...status,
    },
  };
}

function podsOf(count: number, from = 0): readonly JsonObject[] {
  return Array.from({ length: count }, (_, index) => podOf(`p${from + index}`));
}

function plan(
  service: JsonObject,
  pods: readonly JsonObject[],
  slices: readonly JsonObject[] = [],
): SlicePlan {
  return planSlices({
    service,
    pods,
    slices,
    nodeOf: (name) => (name === 'node' ? NODE : undefined),
  });
}

/** The slices as they are stored after the plan was carried out. */
function stored(before: readonly JsonObject[], done: SlicePlan): readonly JsonObject[] {
  const gone = new Set(done.remove.map(nameOf));
  const updated = new Map(done.update.map(({ seen, wanted }) => [nameOf(seen), wanted]));
  const created = done.create.map((slice, index) => ({
    ...slice,
    metadata: { ...structAt(slice, 'metadata'), name: `made-${before.length}-${index}` },
  }));
  const kept = before.filter((slice) => !gone.has(nameOf(slice)));
  return [...kept.map((slice) => updated.get(nameOf(slice)) ?? slice), ...created];
}

const sizes = (slices: readonly JsonObject[]): readonly number[] =>
  slices.map((slice) => objectsAt(slice, 'endpoints').length).toSorted((a, b) => a - b);

test('a ready pod is an endpoint with its node, its zone and a reference', () => {
  const { create } = plan(serviceOf({}, { labels: { team: 'a' } }), podsOf(1));
  expect(create).toEqual([
    {
      metadata: {
        generateName: 'web-',
        labels: {
          team: 'a',
          'kubernetes.io/service-name': 'web',
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        },
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'Service',
            name: 'web',
            uid: 'service',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      addressType: 'IPv4',
      ports: [{ name: '', port: 8080, protocol: 'TCP' }],
      endpoints: [
        {
          addresses: ['10.1.0.1'],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: 'node',
          targetRef: { kind: 'Pod', namespace: 'default', name: 'p0', uid: 'uid-p0' },
          zone: 'east',
        },
      ],
    },
  ]);
});

const NOT_READY = { conditions: [{ type: 'Ready', status: 'False' }] };
const ENDING = { deletionTimestamp: '2026-01-01T00:00:00Z' };

test.each([
  ['ready', false, {}, {}, { ready: true, serving: true, terminating: false }],
  ['not ready', false, {}, NOT_READY, { ready: false, serving: false, terminating: false }],
  ['terminating', false, ENDING, {}, { ready: false, serving: true, terminating: true }],
  ['published', true, {}, NOT_READY, { ready: true, serving: false, terminating: false }],
  ['published, terminating', true, ENDING, {}, { ready: true, serving: true, terminating: true }],
])('conditions of a pod: %s', (_, publishNotReadyAddresses, metadata, status, conditions) => {
  const pod = podOf('p1', {}, status);
  const changed = { ...pod, metadata: { ...structAt(pod, 'metadata'), ...metadata } };
  const { create } = plan(serviceOf({ publishNotReadyAddresses }), [changed]);
  expect(objectsAt(create[0] ?? {}, 'endpoints')[0]?.['conditions']).toEqual(conditions);
});

test.each([
  ['is over', {}, { phase: 'Succeeded' }],
  ['has no address', {}, { podIPs: [] }],
  ['has an address of the other family', {}, { podIPs: [{ ip: 'fd00::1' }] }],
])('a pod that %s is no endpoint: an empty slice stays', (_, fields, status) => {
  const { create } = plan(serviceOf(), [podOf('p1', fields, status)]);
  expect(sizes(create)).toEqual([0]);
});

test('a pod of a node that is not there is left out, and the plan says so', () => {
  const pod = podOf('p1', { nodeName: 'gone' });
  expect(plan(serviceOf(), [pod]).problems).toEqual([
    'skipping Pod p1 for Service default/web: Node gone Not Found',
  ]);
  const published = plan(serviceOf({ publishNotReadyAddresses: true }), [pod]);
  expect([sizes(published.create), published.problems]).toEqual([[1], []]);
});

test('a headless service names the hosts of its subdomain', () => {
  const service = serviceOf({ clusterIP: 'None', ports: [] });
  const pods = [
    podOf('p1', { hostname: 'a', subdomain: 'web' }),
    podOf('p2', { hostname: 'b', subdomain: 'other' }),
  ];
  const [slice = {}] = plan(service, pods).create;
  expect(objectsAt(slice, 'endpoints').map(({ hostname }) => hostname)).toEqual(['a', undefined]);
  expect(textAt(slice, 'metadata.generateName')).toBe('web-');
  expect(structAt(slice, 'metadata.labels')).toHaveProperty('service.kubernetes.io/headless', '');
  expect(slice['ports']).toEqual([]);
});

test('both families have slices of their own, and one that is given up is deleted', () => {
  const pods = [podOf('p1', {}, { podIPs: [{ ip: '10.0.0.1' }, { ip: 'FD00:0::1' }] })];
  const dual = serviceOf({ ipFamilies: ['IPv4', 'IPv6'] });
  const slices = stored([], plan(dual, pods));
  expect(slices.map((slice) => objectsAt(slice, 'endpoints')[0]?.['addresses'])).toEqual([
    ['10.0.0.1'],
    ['fd00::1'],
  ]);
  const { remove, create, update } = plan(serviceOf(), pods, slices);
  expect([remove.map((slice) => slice['addressType']), create, update]).toEqual([['IPv6'], [], []]);
});

test('named ports with different numbers make different slices', () => {
  const named = (name: string, containerPort: number, protocol = 'TCP'): JsonObject =>
    podOf(name, { containers: [{ ports: [{ name: 'http', containerPort, protocol }] }] });
  const service = serviceOf({ ports: [{ name: 'a', port: 80, targetPort: 'http' }] });
  const pods = [named('p1', 8080), named('p2', 8080), named('p3', 9090), named('p4', 1, 'UDP')];
  const { create } = plan(service, pods);
  expect(
    create.map((slice) => [
      objectsAt(slice, 'ports').map(({ port }) => port),
      objectsAt(slice, 'endpoints').length,
    ]),
  ).toEqual([
    [[8080], 2],
    [[9090], 1],
    [[], 1],
  ]);
});

test('a port of a sidecar counts, one of another init container does not', () => {
  const container = { ports: [{ name: 'http', containerPort: 7 }] };
  const service = serviceOf({ ports: [{ port: 80, targetPort: 'http' }] });
  const portsWith = (restartPolicy: string): unknown => {
    const pod = podOf('p1', { initContainers: [{ ...container, restartPolicy }] });
    return objectsAt(plan(service, [pod]).create[0] ?? {}, 'ports').map(({ port }) => port);
  };
  expect([portsWith('Always'), portsWith('')]).toEqual([[7], []]);
});

test('a slice has at most 100 endpoints', () => {
  expect(sizes(plan(serviceOf(), podsOf(250)).create)).toEqual([50, 100, 100]);
});

test('the same pods again change nothing', () => {
  const slices = stored([], plan(serviceOf(), podsOf(250)));
  expect(plan(serviceOf(), podsOf(250), slices)).toEqual({
    create: [],
    update: [],
    remove: [],
    problems: [],
  });
});

test('one pod more is one write, into the slice that has space', () => {
  const slices = stored([], plan(serviceOf(), podsOf(250)));
  const done = plan(serviceOf(), podsOf(251), slices);
  expect([done.create.length, done.update.length, done.remove.length]).toEqual([0, 1, 0]);
  expect(sizes(stored(slices, done))).toEqual([51, 100, 100]);
});

test('a replaced pod is one write: its slice is filled up again', () => {
  const slices = stored([], plan(serviceOf(), podsOf(200)));
  const done = plan(serviceOf(), [...podsOf(200).slice(1), ...podsOf(1, 900)], slices);
  expect([done.create.length, done.update.length, done.remove.length]).toEqual([0, 1, 0]);
  expect(sizes(stored(slices, done))).toEqual([100, 100]);
});

test('when the last pod goes, the slice becomes the placeholder, and the next pod takes it', () => {
  const first = stored([], plan(serviceOf(), podsOf(1)));
  const emptied = plan(serviceOf(), [], first);
  expect([emptied.create, emptied.remove, emptied.update.length]).toEqual([[], [], 1]);
  const empty = stored(first, emptied);
  expect(empty.map((slice) => [slice['endpoints'], slice['ports']])).toEqual([[[], []]]);
  expect(plan(serviceOf(), [], empty)).toMatchObject({ create: [], update: [], remove: [] });
  const again = plan(serviceOf(), podsOf(1), empty);
  expect([again.create, again.remove, again.update.length]).toEqual([[], [], 1]);
});

test('changed labels of the service reach its slices; reserved ones do not', () => {
  const slices = stored([], plan(serviceOf(), podsOf(1)));
  const labels = { team: 'b', 'kubernetes.io/service-name': 'forged' };
  const { update } = plan(serviceOf({}, { labels }), podsOf(1), slices);
  expect(update.map(({ wanted }) => structAt(wanted, 'metadata.labels'))).toEqual([
    {
      team: 'b',
      'kubernetes.io/service-name': 'web',
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    },
  ]);
});

test('a slice of an earlier service of this name is deleted and not reused', () => {
  const old = stored([], plan(serviceOf({}, { uid: 'earlier' }), podsOf(1)));
  const done = plan(serviceOf(), podsOf(1), old);
  expect([done.remove, done.update, done.create.length]).toEqual([old, [], 1]);
});

test.each([
  ['PreferClose', { forZones: [{ name: 'east' }] }],
  ['PreferSameZone', { forZones: [{ name: 'east' }] }],
  ['PreferSameNode', { forZones: [{ name: 'east' }], forNodes: [{ name: 'node' }] }],
])('hints of %s, set and removed', (trafficDistribution, hints) => {
  const service = serviceOf({ trafficDistribution });
  const slices = stored([], plan(service, podsOf(1)));
  expect(objectsAt(slices[0] ?? {}, 'endpoints')[0]?.['hints']).toEqual(hints);
  expect(plan(service, podsOf(1), slices).update).toEqual([]);
  const without = stored(slices, plan(serviceOf(), podsOf(1), slices));
  expect(objectsAt(without[0] ?? {}, 'endpoints')[0]).not.toHaveProperty('hints');
});
