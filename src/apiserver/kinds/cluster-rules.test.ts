/** Validation of networks, access, storage classes, priorities, certificates. */
import { describe, expect, it } from 'vitest';
import { ApiRequests, problemsOf } from '../../../test/support/api-requests.ts';
import {
  createWith,
  pathOf,
  sampleWith,
  tryCreate,
  tryUpdate,
} from '../../../test/support/rule-trials.ts';
import { valueAt } from '../objects/field-path.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';
const NETWORKING = 'networking.k8s.io/v1';
const CSR = 'certificates.k8s.io/v1/certificatesigningrequests';

describe('an object is refused with what is wrong with it', () => {
  it.each([
    [
      `${RBAC}/roles`,
      { rules: [{ verbs: [] }] },
      [
        'rules[0].verbs: Required value: verbs must contain at least one value',
        'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
        'rules[0].resources: Required value: resource rules must supply at least one resource',
      ],
    ],
    [
      `${RBAC}/roles`,
      { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] },
      [
        'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
      ],
    ],
    [`${RBAC}/clusterroles`, { metadata: { name: 'system:node' } }, ['accepted']],
    [
      `${RBAC}/clusterrolebindings`,
      { roleRef: { kind: 'Role' } },
      ['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'],
    ],
    [
      `${RBAC}/clusterrolebindings`,
      { subjects: [{ kind: 'ServiceAccount', name: 'a' }] },
      ['subjects[0].namespace: Required value'],
    ],
    [
      `${RBAC}/rolebindings`,
      { subjects: [{ kind: 'Robot', name: 'a' }] },
      [
        'subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
      ],
    ],
    [
      `${NETWORKING}/ingresses`,
      { spec: null },
      ['spec: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
    ],
    [
      `${NETWORKING}/ingresses`,
      { spec: { rules: [{ http: { paths: [{}] } }] } },
      ['spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified'],
    ],
    [
      `${NETWORKING}/ingressclasses`,
      { spec: { controller: 'nothing' } },
      [
        'spec.controller: Invalid value: "nothing": must be a domain-prefixed path (such as "acme.io/foo")',
      ],
    ],
    [
      `${NETWORKING}/networkpolicies`,
      { spec: { ingress: [{ from: [{}] }] } },
      ['spec.ingress[0].from[0]: Required value: must specify a peer'],
    ],
    [
      `${NETWORKING}/networkpolicies`,
      { spec: { egress: [{ ports: [{ port: 5, endPort: 4 }] }] } },
      [
        'spec.egress[0].ports[0].endPort: Invalid value: 5: must be greater than or equal to `port`',
      ],
    ],
    [
      'policy/v1/poddisruptionbudgets',
      { spec: { maxUnavailable: '200%', minAvailable: null } },
      ['spec.maxUnavailable: Invalid value: "200%": must not be greater than 100%'],
    ],
    [
      'storage.k8s.io/v1/storageclasses',
      { provisioner: '', reclaimPolicy: 'Odd' },
      [
        'provisioner: Required value',
        'reclaimPolicy: Unsupported value: "Odd": supported values: "Delete", "Retain"',
      ],
    ],
    [
      'scheduling.k8s.io/v1/priorityclasses',
      { value: 2_000_000_000 },
      ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
    ],
    [
      'scheduling.k8s.io/v1/priorityclasses',
      { metadata: { name: 'system-mine' } },
      [
        "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
      ],
    ],
    ['node.k8s.io/v1/runtimeclasses', { handler: null }, ['handler: Required value']],
    [
      'discovery.k8s.io/v1/endpointslices',
      { endpoints: [{ addresses: ['2001:db8::1'] }] },
      ['endpoints[0].addresses: Invalid value: "2001:db8::1": must be an IPv4 address'],
    ],
    [
      'autoscaling/v2/horizontalpodautoscalers',
      { spec: { minReplicas: 5 } },
      ['spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`'],
    ],
    [
      'apiregistration.k8s.io/v1/apiservices',
      { spec: { version: 'v2' } },
      ['metadata.name: Invalid value: "v1.apps": must be `spec.version+"."+spec.group`: "v2.apps"'],
    ],
    [
      CSR,
      { spec: { expirationSeconds: 5, usages: ['odd'] } },
      [
        expect.stringContaining('spec.usages[0]: Unsupported value: "odd"'),
        'spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 600 seconds (10 minutes)',
      ],
    ],
    [
      'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
      { webhooks: [{ name: 'x' }] },
      [
        'webhooks[0].name: Invalid value: "x": should be a domain with at least three segments separated by dots',
        'webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
        'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
        'webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1',
      ],
    ],
    [
      'coordination.k8s.io/v1/leases',
      { spec: { leaseDurationSeconds: 0 } },
      ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0'],
    ],
  ])('%s with %j', async (key, change, expected) => {
    expect(await tryCreate(key, change)).toEqual(expected);
  });
});

describe('an object keeps its immutable fields', () => {
  it.each([
    [`${RBAC}/rolebindings`, { roleRef: { name: 'b' } }, 'roleRef: Invalid value: '],
    [
      `${NETWORKING}/ingressclasses`,
      { spec: { controller: 'a.b/c' } },
      'spec.controller: Invalid value: "a.b/c": field is immutable',
    ],
    [
      'storage.k8s.io/v1/storageclasses',
      { provisioner: 'b.c/d' },
      'provisioner: Invalid value: "b.c/d": field is immutable',
    ],
    [
      'scheduling.k8s.io/v1/priorityclasses',
      { value: 11 },
      'value: Forbidden: may not be changed in an update.',
    ],
    [
      'node.k8s.io/v1/runtimeclasses',
      { handler: 'kata' },
      'handler: Invalid value: "kata": field is immutable',
    ],
    [
      'discovery.k8s.io/v1/endpointslices',
      { addressType: 'IPv6', endpoints: null },
      'addressType: Invalid value: "IPv6": field is immutable',
    ],
    [
      'storage.k8s.io/v1/csidrivers',
      { spec: { attachRequired: false } },
      'spec.attachedRequired: Invalid value: false: field is immutable',
    ],
  ])('%s against %j', async (key, patch, expected) => {
    expect(await tryUpdate(key, patch)).toEqual([expect.stringContaining(expected)]);
  });
});

describe('defaults', () => {
  it.each([
    [
      `${NETWORKING}/networkpolicies`,
      { spec: { egress: [{ ports: [{ port: 5 }] }] } },
      { policyTypes: ['Ingress', 'Egress'], egress: [{ ports: [{ port: 5, protocol: 'TCP' }] }] },
    ],
    [
      'storage.k8s.io/v1/csidrivers',
      {},
      {
        attachRequired: true,
        podInfoOnMount: false,
        volumeLifecycleModes: ['Persistent'],
        fsGroupPolicy: 'ReadWriteOnceWithFSType',
      },
    ],
    [
      'autoscaling/v2/horizontalpodautoscalers',
      { spec: { behavior: { scaleDown: { selectPolicy: 'Min' } } } },
      {
        minReplicas: 1,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 80 } } },
        ],
        behavior: {
          scaleUp: { selectPolicy: 'Max' },
          scaleDown: { selectPolicy: 'Min', policies: [{ type: 'Percent' }] },
        },
      },
    ],
  ])('of %s with %j', async (key, change, spec) => {
    expect((await createWith(key, change)).body['spec']).toMatchObject(spec);
  });

  it('of the subjects and the role of a binding name the RBAC group', async () => {
    const { body } = await createWith(`${RBAC}/rolebindings`, {
      subjects: [{ kind: 'User', name: 'u' }],
    });
    expect(body).toMatchObject({
      roleRef: { apiGroup: 'rbac.authorization.k8s.io' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io' }],
    });
  });

  it('of a webhook match everything, and wait ten seconds', async () => {
    const { body } = await createWith(
      'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    );
    expect(valueAt(body, 'webhooks')).toMatchObject([
      {
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        timeoutSeconds: 10,
        reinvocationPolicy: 'Never',
      },
    ]);
  });
});

describe('a certificate request', () => {
  const approved = { type: 'Approved', status: 'True', reason: 'r', message: 'm' };
  const open = async (): Promise<ApiRequests> => {
    const api = await ApiRequests.open();
    await api.ask('POST', pathOf(CSR), { body: sampleWith(CSR, { spec: { username: 'me' } }) });
    return api;
  };

  it('gets its requester from the server, not from the client', async () => {
    const { body } = await (await open()).ask('GET', `${pathOf(CSR)}/sample`);
    expect(body['spec']).not.toHaveProperty('username');
  });

  it('is approved through approval only, and irrevocably', async () => {
    const api = await open();
    const path = `${pathOf(CSR)}/sample`;
    const status = { conditions: [approved] };
    expect(problemsOf(await api.merge(`${path}/status`, { status }))).toEqual([
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    ]);
    expect((await api.merge(`${path}/approval`, { status })).code).toBe(200);
    expect(problemsOf(await api.merge(`${path}/approval`, { status: { conditions: [] } }))).toEqual(
      ['status.conditions: Forbidden: updates may not remove a condition of type "Approved"'],
    );
  });

  it('cannot be both approved and denied', async () => {
    const api = await open();
    const status = { conditions: [approved, { ...approved, type: 'Denied' }] };
    expect(problemsOf(await api.merge(`${pathOf(CSR)}/sample/approval`, { status }))).toEqual([
      'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    ]);
  });
});

describe('a system priority class', () => {
  it('cannot be deleted', async () => {
    const key = 'scheduling.k8s.io/v1/priorityclasses';
    const api = await ApiRequests.open();
    const metadata = { name: 'system-node-critical' };
    const body = sampleWith(key, { metadata, value: 2_000_001_000 });
    expect((await api.ask('POST', pathOf(key), { body })).code).toBe(201);
    expect((await api.ask('DELETE', `${pathOf(key)}/system-node-critical`)).code).toBe(403);
  });
});
