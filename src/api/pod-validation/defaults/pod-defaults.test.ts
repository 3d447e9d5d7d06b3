import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../../../test/support/deep-freeze.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { readStruct } from '../../validation/json-reading.ts';
import { defaultPod } from './pod-defaults.ts';

function defaultSpec(spec: JsonObject): JsonObject {
  return readStruct(defaultPod(deepFreeze({ spec }))['spec']);
}

describe('resources', () => {
  test('a limit without a request becomes the request, in canonical form (Q-1)', () => {
    const resources = { limits: { cpu: '0.5', memory: '1024Ki' }, requests: { cpu: 0.25 } };
    const { containers } = defaultSpec({ containers: [{ resources }] });
    expect(containers).toMatchObject([
      {
        resources: {
          limits: { cpu: '500m', memory: '1Mi' },
          requests: { cpu: '250m', memory: '1Mi' },
        },
      },
    ]);
  });

  test('quantities finer than thousandths are rounded up (Q-2)', () => {
    const { overhead } = defaultSpec({ overhead: { cpu: '100u', memory: '1' } });
    expect(overhead).toEqual({ cpu: '1m', memory: '1' });
  });

  test('a pod-level request defaults to the sum of the containers, or else to its own limit', () => {
    const containers = [
      { resources: { requests: { cpu: '1' } } },
      { resources: { requests: { cpu: '2' } } },
    ];
    const { resources } = defaultSpec({
      containers,
      resources: { limits: { cpu: '5', memory: '1Gi' } },
    });
    expect(resources).toEqual({
      limits: { cpu: '5', memory: '1Gi' },
      requests: { cpu: '3', memory: '1Gi' },
    });
  });

  test('huge pages of the containers limit the pod, and it requests all of them', () => {
    const own = { limits: { 'hugepages-2Mi': '4Mi', cpu: '1' } };
    const { resources } = defaultSpec({
      containers: [{ resources: own }],
      resources: { requests: { cpu: '2' } },
    });
    expect(resources).toEqual({
      limits: { 'hugepages-2Mi': '4Mi' },
      requests: { cpu: '2', 'hugepages-2Mi': '4Mi' },
    });
  });

  test('a resource may be named like a property of Object.prototype', () => {
    const limits = JSON.parse('{"__proto__":"1","constructor":"2"}');
    const { containers } = defaultSpec({ containers: [{ resources: { limits } }] });
    expect(JSON.stringify(containers)).toContain('"requests":{"__proto__":"1","constructor":"2"}');
  });
});

describe('duplicated fields', () => {
  test('the account has two names, and the new one takes precedence', () => {
    expect(defaultSpec({ serviceAccount: 'old' })).toMatchObject({ serviceAccountName: 'old' });
    expect(defaultSpec({ serviceAccount: 'old', serviceAccountName: 'new' })).toMatchObject({
      serviceAccount: 'new',
      serviceAccountName: 'new',
    });
  });

  test('the first address is also printed alone; if the two disagree, the single one is right', () => {
    const podIPs = [{ ip: '10.0.0.1' }];
    expect(defaultPod({ status: { podIPs } })).toMatchObject({ status: { podIP: '10.0.0.1' } });
    expect(defaultPod({ status: { podIPs, podIP: '10.0.0.2' } })).toMatchObject({
      status: { podIPs: [{ ip: '10.0.0.2' }] },
    });
  });
});

describe('volumes', () => {
  test.each<readonly [JsonObject, JsonObject]>([
    [{}, { emptyDir: {} }],
    [{ hostPath: { path: '/x' } }, { hostPath: { path: '/x', type: '' } }],
    [{ secret: {} }, { secret: { defaultMode: 420 } }],
    [{ secret: { defaultMode: 0 } }, { secret: { defaultMode: 0 } }],
    [{ iscsi: {} }, { iscsi: { iscsiInterface: 'default' } }],
    [{ rbd: {} }, { rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' } }],
    [{ scaleIO: {} }, { scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' } }],
    [{ image: { reference: 'a:1' } }, { image: { reference: 'a:1', pullPolicy: 'IfNotPresent' } }],
    [
      { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      {
        projected: {
          defaultMode: 420,
          sources: [{ serviceAccountToken: { expirationSeconds: 3600 } }],
        },
      },
    ],
    [
      { ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { ephemeral: { volumeClaimTemplate: { spec: { volumeMode: 'Filesystem' } } } },
    ],
  ])('%j becomes %j', (volume, expected) => {
    expect(defaultSpec({ volumes: [volume] })['volumes']).toMatchObject([expected]);
  });
});

test('on the host network, a container port is the host port', () => {
  const ports = [{ containerPort: 80 }, { containerPort: 81, hostPort: 8081 }];
  const { containers, initContainers } = defaultSpec({
    hostNetwork: true,
    containers: [{ ports }],
    initContainers: [{ ports: [{ containerPort: 90 }] }],
  });
  expect(containers).toMatchObject([{ ports: [{ hostPort: 80 }, { hostPort: 8081 }] }]);
  expect(initContainers).toMatchObject([{ ports: [{ hostPort: 90, protocol: 'TCP' }] }]);
});

test('a negative grace period becomes one second', () => {
  expect(defaultSpec({ terminationGracePeriodSeconds: -7 })).toMatchObject({
    terminationGracePeriodSeconds: 1,
  });
  expect(defaultSpec({ terminationGracePeriodSeconds: 0 })).toMatchObject({
    terminationGracePeriodSeconds: 0,
  });
});
