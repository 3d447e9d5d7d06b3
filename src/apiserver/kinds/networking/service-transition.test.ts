import { expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { dropUnneeded, keepAllocated } from './service-transition.ts';

const given = { clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.9'] };
const families = { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };

const keep = (spec: JsonObject, old: JsonObject): unknown =>
  keepAllocated({ spec }, { spec: old })['spec'];
const drop = (spec: JsonObject, old: JsonObject): unknown =>
  dropUnneeded({ spec }, { spec: old })['spec'];

test('an address that is left out stays', () => {
  const old = { type: 'ClusterIP', ...given };
  expect(keep({ type: 'NodePort' }, old)).toEqual({ type: 'NodePort', ...given });
  expect(keep({ type: 'ExternalName' }, old)).toEqual({ type: 'ExternalName' });
});

test('node ports stay by the names of ports, unless another port has the number', () => {
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

test('the health check node port stays while it is needed', () => {
  const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
  const old = { ...local, healthCheckNodePort: 30_009 };
  expect(keep(local, old)).toMatchObject({ healthCheckNodePort: 30_009 });
  const wide = { ...local, externalTrafficPolicy: 'Cluster' };
  expect(keep(wide, old)).not.toHaveProperty('healthCheckNodePort');
  expect(drop({ ...wide, healthCheckNodePort: 30_009 }, old)).toEqual(wide);
});

test('a service that becomes an ExternalName loses its address, unless the update changed it', () => {
  const policy = { internalTrafficPolicy: 'Cluster' };
  const old = { type: 'ClusterIP', ...given, ...families, ...policy };
  const now = { ...old, type: 'ExternalName' };
  expect(drop(now, old)).toEqual({ type: 'ExternalName' });
  const changed = { ...now, clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1'] };
  expect(drop(changed, old)).toMatchObject({ clusterIP: '10.96.0.1' });
});

test('a service that no longer needs node ports loses them, unless the update has new ones', () => {
  const old = { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] };
  expect(drop({ ...old, type: 'ClusterIP' }, old)).toEqual({
    type: 'ClusterIP',
    ports: [{ port: 80 }],
  });
  const ports = [{ port: 80, nodePort: 30_002 }];
  expect(drop({ type: 'ClusterIP', ports }, old)).toEqual({ type: 'ClusterIP', ports });
});

test('fields of load balancers are dropped with the type, and their status too', () => {
  const only = { allocateLoadBalancerNodePorts: true, loadBalancerClass: 'x/y' };
  const old = { type: 'LoadBalancer', ...only, externalTrafficPolicy: 'Cluster' };
  const object = { spec: { ...old, type: 'ClusterIP' }, status: { loadBalancer: { ingress: [] } } };
  expect(dropUnneeded(object, { spec: old })).toEqual({
    spec: { type: 'ClusterIP' },
    status: { loadBalancer: {} },
  });
});

test('an unchanged service stays the very same', () => {
  const object = { spec: { type: 'LoadBalancer', ...given }, status: { loadBalancer: {} } };
  expect(dropUnneeded(keepAllocated(object, object), object)).toBe(object);
});
