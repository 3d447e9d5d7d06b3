import { expect, test } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { dropUnneeded, keepAllocated } from './service-transition.ts';

const given = { clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.9'] };
const families = { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };

const keep = (spec: JsonObject, old: JsonObject): unknown =>
  keepAllocated({ spec }, { spec: old })['spec'];
const drop = (spec: JsonObject, old: JsonObject): unknown =>
  dropUnneeded({ spec }, { spec: old })['spec'];

test('an address that is left out is kept', () => {
  const old = { type: 'ClusterIP', ...given };
  expect(keep({ type: 'NodePort' }, old)).toEqual({ type: 'NodePort', ...given });
  expect(keep({ type: 'ExternalName' }, old)).toEqual({ type: 'ExternalName' });
});

test('node ports are kept by the names of ports, unless another one has the number', () => {
  const old = {
    type: 'NodePort',
    ports: [
      { name: 'a', nodePort: 30_001 },
      { name: 'b', nodePort: 30_002 },
    ],
  };
  const ports = [{ name: 'b' }, { name: 'a' }, { name: 'c' }];
  expect(keep({ type: 'NodePort', ports }, old)).toMatchObject({
    ports: [{ name: 'b', nodePort: 30_002 }, { name: 'a', nodePort: 30_001 }, { name: 'c' }],
  });
  const swapped = [{ name: 'a' }, { name: 'b', nodePort: 30_001 }];
  expect(keep({ type: 'NodePort', ports: swapped }, old)).toMatchObject({
    ports: [{ name: 'a' }, { name: 'b', nodePort: 30_001 }],
  });
});

test('the port for health checks is kept while it is needed', () => {
  const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
  const old = { ...local, healthCheckNodePort: 30_009 };
  expect(keep(local, old)).toMatchObject({ healthCheckNodePort: 30_009 });
  const wide = { ...local, externalTrafficPolicy: 'Cluster' };
  expect(keep(wide, old)).not.toHaveProperty('healthCheckNodePort');
  expect(drop({ ...wide, healthCheckNodePort: 30_009 }, old)).toEqual(wide);
});

test('who becomes a mere name loses the address, unless it was changed', () => {
  const policy = { internalTrafficPolicy: 'Cluster' };
  const old = { type: 'ClusterIP', ...given, ...families, ...policy };
  const now = { ...old, type: 'ExternalName' };
  expect(drop(now, old)).toEqual({ type: 'ExternalName' });
  const changed = { ...now, clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1'] };
  expect(drop(changed, old)).toMatchObject({ clusterIP: '10.96.0.1' });
});

test('who no longer needs node ports loses them, unless there are new ones', () => {
  const old = { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] };
  expect(drop({ ...old, type: 'ClusterIP' }, old)).toEqual({
    type: 'ClusterIP',
    ports: [{ port: 80 }],
  });
  const ports = [{ port: 80, nodePort: 30_002 }];
  expect(drop({ type: 'ClusterIP', ports }, old)).toEqual({ type: 'ClusterIP', ports });
});

test('what only a load balancer has goes with it, and its status too', () => {
  const only = { allocateLoadBalancerNodePorts: true, loadBalancerClass: 'x/y' };
  const old = { type: 'LoadBalancer', ...only, externalTrafficPolicy: 'Cluster' };
  const object = { spec: { ...old, type: 'ClusterIP' }, status: { loadBalancer: { ingress: [] } } };
  expect(dropUnneeded(object, { spec: old })).toEqual({
    spec: { type: 'ClusterIP' },
    status: { loadBalancer: {} },
  });
});

test('a service that stays what it is stays the very same', () => {
  const object = { spec: { type: 'LoadBalancer', ...given }, status: { loadBalancer: {} } };
  expect(dropUnneeded(keepAllocated(object, object), object)).toBe(object);
});
