/** Validation and columns of nodes, services, volumes, limits and quotas. */
import { describe, expect, it } from 'vitest';
import { ApiRequests, TABLE } from '../../../test/support/api-requests.ts';
import {
  createWith,
  pathOf,
  sampleWith,
  tryCreate,
  tryUpdate,
} from '../../../test/support/rule-trials.ts';
import type { Json } from '../../lib/json.ts';
import { objectsAt, valueAt } from '../objects/field-path.ts';

async function cellsOf(key: string, change: Json = {}, status?: Json): Promise<Json | undefined> {
  const api = await ApiRequests.open();
  await api.ask('POST', pathOf(key), { body: sampleWith(key, change) });
  if (status !== undefined) await api.merge(`${pathOf(key)}/sample/status`, { status });
  const { body } = await api.ask('GET', `${pathOf(key)}/sample`, { accept: TABLE });
  return objectsAt(body, 'rows')[0]?.['cells'];
}

describe('a Node', () => {
  it('keeps the status that it registers with, and everything is allocatable by default', async () => {
    const { body } = await createWith('v1/nodes');
    expect(body['status']).toMatchObject({ capacity: { cpu: '4' }, allocatable: { cpu: '4' } });
  });

  it('is printed with what its kubelet reports', async () => {
    const change = {
      metadata: { labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'edge' } },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [{ type: 'InternalIP', address: '192.0.2.7' }],
        nodeInfo: { kubeletVersion: 'v1.36.4', kernelVersion: '6.1', architecture: 'amd64' },
      },
    };
    expect(await cellsOf('v1/nodes', change)).toEqual([
      'sample',
      'Ready,SchedulingDisabled',
      'edge,worker',
      '0s',
      'v1.36.4',
      '192.0.2.7',
      '<none>',
      '<unknown>',
      '6.1 (amd64)',
      '<unknown>',
    ]);
    expect(await cellsOf('v1/nodes')).toContain('Unknown');
  });

  it('has distinct and valid taints', async () => {
    const taint = { key: 'a', effect: 'NoSchedule' };
    const spec = { taints: [taint, taint, { key: 'b', effect: 'Odd' }] };
    expect(await tryCreate('v1/nodes', { spec })).toEqual([
      expect.stringMatching(
        /^metadata\.taints\[1\]: Duplicate value: .*taints must be unique by key and effect pair$/,
      ),
      'metadata.taints[2].effect: Unsupported value: "Odd": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ]);
  });

  it('keeps its pod CIDRs and its provider ID', async () => {
    const first = { spec: { podCIDRs: ['192.0.2.0/24'], providerID: 'a' } };
    const patch = { spec: { podCIDR: '198.51.100.0/24', providerID: 'b' } };
    expect(await tryUpdate('v1/nodes', patch, { first })).toEqual([
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ]);
  });
});

describe('a Service', () => {
  it('gets its defaults', async () => {
    const { body } = await createWith('v1/services');
    expect(body['spec']).toEqual({
      clusterIP: expect.stringMatching(/^10\./),
      clusterIPs: [expect.stringMatching(/^10\./)],
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      selector: { app: 'web' },
      sessionAffinity: 'None',
      type: 'ClusterIP',
    });
    expect(body['status']).toEqual({ loadBalancer: {} });
  });

  it('may be headless', async () => {
    const { body } = await createWith('v1/services', { spec: { clusterIP: 'None', ports: null } });
    expect(valueAt(body, 'spec.clusterIPs')).toEqual(['None']);
    expect(await cellsOf('v1/services', { spec: { clusterIP: 'None' } })).toEqual([
      'sample',
      'ClusterIP',
      'None',
      '<none>',
      '80/TCP',
      '0s',
      'app=web',
    ]);
  });

  it.each([
    [{ ports: null }, ['spec.ports: Required value']],
    [{ ports: [{ port: 80 }, { port: 81, name: 'b' }] }, ['spec.ports[0].name: Required value']],
    [
      { ports: [{ port: 0 }] },
      [
        'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
        'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
      ],
    ],
    [{ type: 'ExternalName' }, ['spec.externalName: Required value']],
    [
      { type: 'Odd' },
      [
        'spec.type: Unsupported value: "Odd": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
      ],
    ],
  ])('with %j is refused', async (spec, expected) => {
    expect(await tryCreate('v1/services', { spec })).toEqual(expected);
  });

  it('keeps its address, which an update need not repeat', async () => {
    const first = { spec: { clusterIP: '10.96.0.10' } };
    const key = 'v1/services';
    expect(
      await tryUpdate(key, { spec: { clusterIP: null, clusterIPs: null } }, { first }),
    ).toEqual(['accepted']);
    expect(await tryUpdate(key, { spec: { clusterIP: '10.96.0.11' } }, { first })).toEqual([
      'spec.clusterIPs[0]: Invalid value: ["10.96.0.11"]: may not change once set',
    ]);
  });

  it('shows a pending load balancer, and then its address', async () => {
    const change = { spec: { type: 'LoadBalancer' } };
    expect(await cellsOf('v1/services', change)).toContain('<pending>');
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.9' }, { hostname: 'lb' }] } };
    expect(await cellsOf('v1/services', change, status)).toContain('192.0.2.9,lb');
  });
});

describe('storage', () => {
  it('of a claim must be requested with access modes and a size', async () => {
    expect(await tryCreate('v1/persistentvolumeclaims', { spec: null })).toEqual([
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec.resources[storage]: Required value',
    ]);
  });

  it('of a claim is immutable, until it is bound and may grow', async () => {
    const grow = { spec: { resources: { requests: { storage: '2Gi' } } } };
    expect(await tryUpdate('v1/persistentvolumeclaims', grow)).toEqual([
      expect.stringContaining('spec: Forbidden: spec is immutable after creation except'),
    ]);
    expect(await tryUpdate('v1/persistentvolumeclaims', { spec: { volumeName: 'v' } })).toEqual([
      'accepted',
    ]);
  });

  it('is pending at first', async () => {
    expect(await cellsOf('v1/persistentvolumeclaims')).toEqual([
      'sample',
      'Pending',
      '',
      '',
      '',
      '',
      '<unset>',
      '0s',
      'Filesystem',
    ]);
    expect(await cellsOf('v1/persistentvolumes')).toEqual([
      'sample',
      '1Gi',
      'RWO',
      'Retain',
      'Pending',
      '',
      '',
      '<unset>',
      '',
      '0s',
      'Filesystem',
    ]);
  });

  it('is of exactly one type, which is immutable', async () => {
    const key = 'v1/persistentvolumes';
    expect(await tryCreate(key, { spec: { hostPath: null } })).toEqual([
      'spec: Required value: must specify a volume type',
    ]);
    expect(await tryCreate(key, { spec: { nfs: { server: 's', path: '/' } } })).toEqual([
      expect.stringContaining('may not specify more than 1 volume type'),
    ]);
    expect(await tryUpdate(key, { spec: { hostPath: { path: '/other' } } })).toEqual([
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
    ]);
  });
});

describe('limits', () => {
  it('default to each other where they are unset', async () => {
    const { body } = await createWith('v1/limitranges');
    expect(valueAt(body, 'spec.limits')).toEqual([
      { type: 'Container', max: { cpu: '1' }, default: { cpu: '1' }, defaultRequest: { cpu: '1' } },
    ]);
  });

  it.each([
    [
      {
        type: 'Container',
        min: { cpu: '2' },
        max: { cpu: '1' },
        default: { cpu: '2' },
        defaultRequest: { cpu: '2' },
      },
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
    ],
    [
      { type: 'Pod', default: { cpu: '1' } },
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
    ],
    [
      { type: 'PersistentVolumeClaim' },
      'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
    ],
    [
      { type: 'Pod', maxLimitRequestRatio: { cpu: '500m' } },
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1',
    ],
  ])('of %j are refused', async (limit, expected) => {
    expect(await tryCreate('v1/limitranges', { spec: { limits: [limit] } })).toContain(expected);
  });

  it('of a quota are printed with the usage', async () => {
    const status = { hard: { pods: '3', 'limits.cpu': '2' }, used: { pods: '1' } };
    expect(await cellsOf('v1/resourcequotas', {}, status)).toEqual([
      'sample',
      'pods: 1/3',
      'limits.cpu: 0/2',
      '0s',
    ]);
  });

  it('of a quota are not negative, and its scopes do not contradict each other', async () => {
    const spec = { hard: { pods: '-1' }, scopes: ['BestEffort', 'NotBestEffort'] };
    expect(await tryCreate('v1/resourcequotas', { spec })).toEqual([
      'spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes',
    ]);
  });
});

describe('Endpoints', () => {
  it('are printed with the first three addresses and their ports', async () => {
    const addresses = [1, 2, 3, 4].map((last) => ({ ip: `192.0.2.${last}` }));
    const change = { subsets: [{ addresses, ports: [{ port: 80 }] }] };
    expect(await cellsOf('v1/endpoints', change)).toEqual([
      'sample',
      '192.0.2.1:80,192.0.2.2:80,192.0.2.3:80 + 1 more...',
      '0s',
    ]);
  });

  it('must have addresses', async () => {
    expect(await tryCreate('v1/endpoints', { subsets: [{ ports: [{ port: 80 }] }] })).toEqual([
      'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`',
    ]);
  });
});
