import { expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import { OtherPods } from './other-pods.ts';
import { findFailures } from './predicates.ts';
import { sysctlAllowlist } from './sysctls.ts';

const OTHER = { uid: 'o', name: 'web-1', namespace: 'shop' };

function podWith(port: object, metadata: object = {}): Pod {
  const container: { readonly name: string } = { name: 'c', ...{ ports: [port] } };
  return { metadata: { name: 'p', uid: 'p', ...metadata }, spec: { containers: [container] } };
}

/** The obstacles of a pod with one port, beside one that declares port 8080. */
function obstaclesOf(port: object, sharesNetwork: boolean) {
  return findFailures({
    pod: podWith(port),
    others: new OtherPods([podWith({ containerPort: 8080 }, OTHER)]),
    node: { metadata: { name: 'n1' } },
    allocatable: { pods: 10 },
    platform: {
      os: 'linux',
      appArmorFault: null,
      sysctls: sysctlAllowlist([]),
      declaredFeatures: new Set(),
      sharesNetwork,
    },
  }).obstacles;
}

test('where pods share the network of the machine, ports that they declare are ports of the host', () => {
  expect(obstaclesOf({ containerPort: 8080 }, true)).toEqual([
    {
      reason: 'NodePorts',
      message:
        "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports: port " +
        '8080/TCP is taken by pod shop/web-1, and pods share the network of the machine here; choose ' +
        'another port, or start podkeep as root to give each pod its own',
    },
  ]);
  expect(obstaclesOf({ containerPort: 1, hostPort: 8080 }, true)).toHaveLength(1);
  expect(obstaclesOf({ containerPort: 8080, protocol: 'UDP' }, true)).toEqual([]);
  expect(obstaclesOf({ containerPort: 8080 }, false)).toEqual([]);
});
