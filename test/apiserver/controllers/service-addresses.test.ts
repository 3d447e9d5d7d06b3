import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { ControllerHarness, type Answer, type Body } from './controller-harness.ts';

const SERVICES = '/api/v1/namespaces/default/services';

function openHarness(): Promise<ControllerHarness> {
  return ControllerHarness.open({ controllers: [] });
}

function post(harness: ControllerHarness, name: string, spec: JsonObject = {}): Promise<Answer> {
  const whole = { selector: { app: 'x' }, ports: [{ port: 80 }], ...spec };
  return harness.send('POST', SERVICES, { metadata: { name }, spec: whole });
}

async function create(harness: ControllerHarness, name: string, spec?: JsonObject): Promise<Spec> {
  const { code, body } = await post(harness, name, spec);
  expect(code, JSON.stringify(body)).toBe(201);
  return specOf(body);
}

interface Spec extends JsonObject {
  readonly clusterIP: string;
  readonly clusterIPs: readonly string[];
  readonly ports: readonly JsonObject[];
}

function specOf(body: Body): Spec {
  return body['spec'] as Spec;
}

test('a service gets an address of the range, in both of its fields', async () => {
  const harness = await openHarness();
  const { clusterIP, clusterIPs, ipFamilies } = await create(harness, 'a');
  expect(clusterIP).toMatch(/^10\.(9[6-9]|10\d|11[01])\.\d+\.\d+$/);
  expect(clusterIPs).toEqual([clusterIP]);
  expect(ipFamilies).toEqual(['IPv4']);
});

test('a requested address is allocated once', async () => {
  const harness = await openHarness();
  expect(await create(harness, 'kubernetes', { clusterIP: '10.96.0.1' })).toMatchObject({
    clusterIPs: ['10.96.0.1'],
  });
  const { code, body } = await post(harness, 'b', { clusterIP: '10.96.0.1' });
  expect(code).toBe(422);
  expect(body['message']).toBe(
    'Service "b" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.1"]: ' +
      'failed to allocate IP 10.96.0.1: provided IP is already allocated',
  );
});

test.each(['10.95.0.1', '10.112.0.1', '10.96.0.0', '10.111.255.255'])(
  '%s is not in the range',
  async (clusterIP) => {
    const harness = await openHarness();
    const { body } = await post(harness, 'b', { clusterIP });
    expect(body['message']).toBe(
      `Service "b" is invalid: spec.clusterIPs: Invalid value: ["${clusterIP}"]: failed to ` +
        `allocate IP ${clusterIP}: the provided network does not match the current range`,
    );
  },
);

test('an address is free again when its service is deleted, or becomes an ExternalName', async () => {
  const harness = await openHarness();
  await create(harness, 'a', { clusterIP: '10.96.0.9' });
  await harness.remove(`${SERVICES}/a`);
  await create(harness, 'b', { clusterIP: '10.96.0.9' });
  const change = { spec: { type: 'ExternalName', externalName: 'example.com' } };
  const { body } = await harness.patch(`${SERVICES}/b`, change);
  expect(specOf(body)).not.toHaveProperty('clusterIP');
  expect(specOf(body)).not.toHaveProperty('ipFamilies');
  await create(harness, 'c', { clusterIP: '10.96.0.9' });
});

test('a service that is refused for another reason allocates no address', async () => {
  const harness = await openHarness();
  const { code } = await post(harness, 'a', { clusterIP: '10.96.0.9', sessionAffinity: 'Odd' });
  expect(code).toBe(422);
  await create(harness, 'b', { clusterIP: '10.96.0.9' });
});

test('a dry run allocates no address', async () => {
  const harness = await openHarness();
  const spec = { ports: [{ port: 80 }], clusterIP: '10.96.0.9' };
  const dry = await harness.send('POST', `${SERVICES}?dryRun=All`, {
    metadata: { name: 'a' },
    spec,
  });
  expect(dry.code).toBe(201);
  await create(harness, 'b', { clusterIP: '10.96.0.9' });
});

test('a dry run shows no real address, and accepts one that is taken', async () => {
  const harness = await openHarness();
  await create(harness, 'a', { clusterIP: '10.96.0.9' });
  const dry = (spec: JsonObject): Promise<Answer> =>
    harness.send('POST', `${SERVICES}?dryRun=All`, {
      metadata: { name: 'b' },
      spec: { ports: [{ port: 80 }], ...spec },
    });
  expect(specOf((await dry({})).body).clusterIPs).toEqual(['10.96.0.0']);
  expect((await dry({ clusterIP: '10.96.0.9' })).code).toBe(201);
  expect((await dry({ clusterIP: '192.0.2.1' })).code).toBe(422);
});

test('of many concurrent requests for one address, one gets it', async () => {
  const harness = await openHarness();
  const names = ['a', 'b', 'c', 'd'];
  const answers = await Promise.all(
    names.map((one) => post(harness, one, { clusterIP: '10.96.0.9' })),
  );
  expect(answers.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([201, 422, 422, 422]);
});

test('many concurrent services get one address each, and node ports too', async () => {
  const harness = await openHarness();
  const names = Array.from({ length: 200 }, (_, index) => `s${index}`);
  const answers = await Promise.all(names.map((one) => post(harness, one, { type: 'NodePort' })));
  const specs = answers.map(({ body }) => specOf(body));
  expect(new Set(specs.map(({ clusterIP }) => clusterIP)).size).toBe(200);
  expect(new Set(specs.map(({ ports }) => ports[0]?.['nodePort'])).size).toBe(200);
});

test('after a restart, the addresses in the store are still allocated', async () => {
  const harness = await openHarness();
  await create(harness, 'a', { clusterIP: '10.96.0.9' });
  const again = new ControllerHarness({ store: harness.store });
  const { code } = await post(again, 'b', { clusterIP: '10.96.0.9' });
  expect(code).toBe(422);
});

test('a headless service gets no address', async () => {
  const harness = await openHarness();
  const { clusterIPs } = await create(harness, 'a', { clusterIP: 'None' });
  expect(clusterIPs).toEqual(['None']);
  const name = { type: 'ExternalName', externalName: 'example.com' };
  expect(await create(harness, 'b', name)).not.toHaveProperty('clusterIP');
});

test('a headless service without selector has both families', async () => {
  const harness = await openHarness();
  const spec = { ports: [{ port: 80 }], clusterIP: 'None' };
  const body = await harness.make(SERVICES, 'a', { spec });
  expect(specOf(body)).toMatchObject({
    ipFamilies: ['IPv4', 'IPv6'],
    ipFamilyPolicy: 'RequireDualStack',
  });
});

test('the other family is not available', async () => {
  const harness = await openHarness();
  const { body } = await post(harness, 'a', { ipFamilies: ['IPv6'] });
  expect(body['message']).toBe(
    'Service "a" is invalid: spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
  );
});

test('an address of the other family is reported as such, and nothing else', async () => {
  const harness = await openHarness();
  const { body } = await post(harness, 'a', { clusterIP: 'fd00::1' });
  expect(body['message']).toBe(
    'Service "a" is invalid: spec.clusterIPs[0]: Invalid value: ["fd00::1"]: ' +
      'IPv6 is not configured on this cluster',
  );
});

test('node ports are allocated from their range, and refused outside of it or twice', async () => {
  const harness = await openHarness();
  const { ports } = await create(harness, 'a', { type: 'NodePort' });
  expect(ports[0]?.['nodePort']).toBeGreaterThanOrEqual(30_000);
  expect(ports[0]?.['nodePort']).toBeLessThanOrEqual(32_767);
  const wants = (nodePort: number): JsonObject => ({
    type: 'NodePort',
    ports: [{ port: 80, nodePort }],
  });
  await create(harness, 'b', wants(30_080));
  expect((await post(harness, 'c', wants(30_080))).body['message']).toBe(
    'Service "c" is invalid: spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated',
  );
  expect((await post(harness, 'c', wants(80))).body['message']).toBe(
    'Service "c" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in ' +
      'the valid range. The range of valid ports is 30000-32767',
  );
});

test('two protocols on one port share a node port', async () => {
  const harness = await openHarness();
  const { ports } = await create(harness, 'dns', {
    type: 'NodePort',
    ports: [
      { name: 'u', port: 53, protocol: 'UDP' },
      { name: 't', port: 53, protocol: 'TCP' },
    ],
  });
  expect(ports[0]?.['nodePort']).toBe(ports[1]?.['nodePort']);
});

test('an update that omits allocated values keeps them', async () => {
  const harness = await openHarness();
  const before = await create(harness, 'a', { type: 'NodePort' });
  const { body: found } = await harness.get(`${SERVICES}/a`);
  const { code, body } = await harness.send('PUT', `${SERVICES}/a`, {
    metadata: { name: 'a', resourceVersion: found.metadata['resourceVersion'] ?? '' },
    spec: { type: 'NodePort', selector: { app: 'y' }, ports: [{ port: 81 }] },
  });
  expect(code).toBe(200);
  expect(specOf(body).clusterIP).toBe(before.clusterIP);
  expect(specOf(body).ports[0]?.['nodePort']).toBe(before.ports[0]?.['nodePort']);
});

test('a service that becomes a NodePort gets one, and releases it with the type', async () => {
  const harness = await openHarness();
  await create(harness, 'a');
  const { body } = await harness.patch(`${SERVICES}/a`, { spec: { type: 'NodePort' } });
  const nodePort = specOf(body).ports[0]?.['nodePort'];
  expect(nodePort).toBeGreaterThanOrEqual(30_000);
  const back = await harness.patch(`${SERVICES}/a`, { spec: { type: 'ClusterIP' } });
  expect(specOf(back.body).ports[0]).not.toHaveProperty('nodePort');
  await create(harness, 'b', { type: 'NodePort', ports: [{ port: 80, nodePort: nodePort ?? 0 }] });
});

test('a local load balancer has a health check node port', async () => {
  const harness = await openHarness();
  const spec = await create(harness, 'a', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' });
  expect(spec['healthCheckNodePort']).toBeGreaterThanOrEqual(30_000);
  expect(spec['healthCheckNodePort']).not.toBe(spec.ports[0]?.['nodePort']);
});

test('a load balancer with allocateLoadBalancerNodePorts false gets none', async () => {
  const harness = await openHarness();
  const { ports } = await create(harness, 'a', {
    type: 'LoadBalancer',
    allocateLoadBalancerNodePorts: false,
  });
  expect(ports[0]).not.toHaveProperty('nodePort');
});
