import { expect, test } from 'vitest';
import { silentLog } from '../../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { openMemoryStore } from '../../store/memory-store.ts';
import { resolveService } from './service-endpoint.ts';

const NAMED = { ports: [{ name: 'hook', port: 443 }] };
const SELECTING = { ...NAMED, selector: { app: 'hook' } };
const PORTS = [
  { name: 'metrics', port: 9090 },
  { name: 'hook', port: 8443 },
];
const NONE = 'no endpoints available for service "s"';

/** The address that a webhook's Service `s` leads to, or why there is none. */
async function addressOf(spec: JsonObject, objects: Readonly<Record<string, JsonObject>>) {
  const store = openMemoryStore({ clock: new VirtualClock(), log: silentLog });
  const all = { '/core/services/n/s': { metadata: { name: 's' }, spec }, ...objects };
  await store.commit(Object.entries(all).map(([key, value]) => ({ key, make: () => value })));
  const deps = { store, random: { next: () => 0 } };
  try {
    const { host, port } = await resolveService(deps, { namespace: 'n', name: 's', port: 443 });
    return `${host}:${port}`;
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

function slice(endpoints: readonly JsonObject[], service = 's'): JsonObject {
  const labels = { 'kubernetes.io/service-name': service };
  return { metadata: { name: 'e', labels }, addressType: 'IPv4', ports: PORTS, endpoints };
}

function endpoint(address: string, ready: boolean, pod = 'p'): JsonObject {
  const targetRef = { kind: 'Pod', namespace: 'n', name: pod };
  return { addresses: [address], conditions: { ready }, targetRef };
}

function podAt(ip: string): JsonObject {
  const conditions = [{ type: 'Ready', status: 'True' }];
  const metadata = { name: 'p', labels: { app: 'hook' } };
  return { metadata, spec: {}, status: { podIP: ip, podIPs: [{ ip }], conditions } };
}

const SLICE = '/discovery.k8s.io/endpointslices/n/e';
const POD = '/core/pods/n/p';

test('the ready address of an EndpointSlice is taken, with the port of the same name', async () => {
  const endpoints = [endpoint('10.0.0.8', false), endpoint('10.0.0.9', true)];
  const objects = { [SLICE]: slice(endpoints), [POD]: podAt('10.0.0.9') };
  expect(await addressOf(SELECTING, objects)).toBe('10.0.0.9:8443');
});

test('an EndpointSlice without a ready address counts: ready pods are not looked for', async () => {
  const objects = { [SLICE]: slice([endpoint('10.0.0.9', false)]), [POD]: podAt('10.0.0.9') };
  expect(await addressOf(SELECTING, objects)).toBe(NONE);
});

test('EndpointSlices of other Services do not count', async () => {
  const objects = {
    [SLICE]: slice([endpoint('10.0.0.7', true)], 'other'),
    [POD]: podAt('10.0.0.9'),
  };
  const ports = [{ ...NAMED.ports[0], targetPort: 7443 }];
  expect(await addressOf({ ...SELECTING, ports }, objects)).toBe('10.0.0.9:7443');
});

test('with a selector, an address that the pod does not report is not taken', async () => {
  const forged = { [SLICE]: slice([endpoint('10.9.9.9', true)]), [POD]: podAt('10.0.0.9') };
  expect(await addressOf(SELECTING, forged)).toBe(NONE);
  const missing = {
    [SLICE]: slice([endpoint('10.0.0.9', true, 'gone')]),
    [POD]: podAt('10.0.0.9'),
  };
  expect(await addressOf(SELECTING, missing)).toBe(NONE);
});

test('without a selector, an address of another machine is taken, and no local one', async () => {
  const outside = { addresses: ['192.0.2.7'], conditions: {} };
  expect(await addressOf(NAMED, { [SLICE]: slice([outside]) })).toBe('192.0.2.7:8443');
  for (const address of ['127.0.0.1', '169.254.169.254', '0.0.0.0', '::1', 'fe80::1']) {
    const local = { addresses: [address], conditions: { ready: true } };
    expect(await addressOf(NAMED, { [SLICE]: slice([local]) })).toBe(NONE);
  }
});

test('Endpoints are for Services without EndpointSlices', async () => {
  const subsets = [{ addresses: [{ ip: '192.0.2.8' }], notReadyAddresses: [], ports: PORTS }];
  const listed = { metadata: { name: 's' }, subsets };
  expect(await addressOf(NAMED, { '/core/endpoints/n/s': listed })).toBe('192.0.2.8:8443');
});

test('a port that the Service does not have leads nowhere', async () => {
  const message = 'no service port 443 found for service "s"';
  expect(await addressOf({ ports: [{ port: 80 }] }, {})).toBe(message);
});
