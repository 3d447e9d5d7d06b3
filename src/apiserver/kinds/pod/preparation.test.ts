import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../../../test/support/deep-freeze.ts';
import { prepareForCreate, prepareForStatusUpdate, prepareForUpdate } from './preparation.ts';

const CONTAINERS = [{ name: 'c', image: 'x' }];

describe('a new pod', () => {
  test('is pending with its QoS class, whatever status was sent', () => {
    const resources = {
      limits: { cpu: '1', memory: '1Gi' },
      requests: { cpu: '1', memory: '1Gi' },
    };
    const spec = { containers: [{ name: 'c', resources }] };
    const pod = prepareForCreate(
      deepFreeze({ spec, status: { phase: 'Running', podIP: '1.2.3.4' } }),
    );
    expect(pod['status']).toEqual({ phase: 'Pending', qosClass: 'Guaranteed' });
    expect(pod['metadata']).toEqual({ generation: 1 });
  });

  test('waits at its scheduling gates since its creation', () => {
    const metadata = { creationTimestamp: '2026-01-02T03:04:05Z' };
    const pod = prepareForCreate({ metadata, spec: { schedulingGates: [{ name: 'a/b' }] } });
    expect(pod).toMatchObject({
      status: {
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'SchedulingGated',
            lastTransitionTime: '2026-01-02T03:04:05Z',
          },
        ],
      },
    });
  });

  test('has its own label values written into selectors with matchLabelKeys', () => {
    const labelSelector = { matchLabels: { app: 'a' } };
    const constraint = { labelSelector, matchLabelKeys: ['hash', 'absent'] };
    const term = { labelSelector, mismatchLabelKeys: ['hash'] };
    const pod = prepareForCreate({
      metadata: { labels: { hash: 'h1' } },
      spec: {
        topologySpreadConstraints: [constraint],
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
      },
    });
    const expected = (operator: string) => ({
      labelSelector: { matchExpressions: [{ key: 'hash', operator, values: ['h1'] }] },
    });
    expect(pod).toMatchObject({
      spec: {
        topologySpreadConstraints: [expected('In')],
        affinity: {
          podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [expected('NotIn')] },
        },
      },
    });
  });

  test('gets the AppArmor profile of its annotation as a field, unless it has one', () => {
    const key = 'container.apparmor.security.beta.kubernetes.io/c';
    const metadata = { annotations: { [key]: 'localhost/mine' } };
    const profile = { type: 'Localhost', localhostProfile: 'mine' };
    expect(prepareForCreate({ metadata, spec: { containers: CONTAINERS } })).toMatchObject({
      spec: { containers: [{ securityContext: { appArmorProfile: profile } }] },
    });
    const own = { type: 'Unconfined' };
    const containers = [{ name: 'c', securityContext: { appArmorProfile: own } }];
    expect(prepareForCreate({ metadata, spec: { containers } })).toMatchObject({
      spec: { containers },
    });
  });
});

describe('an update', () => {
  const old = deepFreeze({
    metadata: { generation: 4 },
    spec: { containers: CONTAINERS },
    status: { phase: 'Running' },
  });

  test('keeps the status', () => {
    const pod = prepareForUpdate({ ...old, status: { phase: 'Failed' } }, old);
    expect(pod['status']).toBe(old.status);
  });

  test('raises the generation only if the spec changes in substance', () => {
    const same = { containers: [{ name: 'c', image: 'x', command: [], stdin: false }] };
    expect(prepareForUpdate({ ...old, spec: same }, old)['metadata']).toBe(old.metadata);
    const other = { containers: [{ name: 'c', image: 'y' }] };
    const pod = prepareForUpdate({ ...old, spec: other }, old);
    expect(pod['metadata']).toEqual({ generation: 5 });
  });
});

describe('an update of the status', () => {
  const old = deepFreeze({
    metadata: { ownerReferences: [{ uid: 'u' }], deletionTimestamp: '2026-01-02T03:04:05Z' },
    spec: { nodeName: 'n1' },
    status: {
      qosClass: 'Burstable',
      observedGeneration: 3,
      conditions: [
        { type: 'Ready', observedGeneration: 3 },
        { type: 'Ready', observedGeneration: 2 },
      ],
    },
  });

  test('changes neither the spec nor the owners nor the deletion of the pod', () => {
    const pod = prepareForStatusUpdate({ metadata: {}, spec: { nodeName: 'n2' }, status: {} }, old);
    expect(pod['spec']).toBe(old.spec);
    expect(pod['metadata']).toEqual(old.metadata);
  });

  test('keeps what it leaves out: the QoS class, and the observed generation', () => {
    const conditions = [{ type: 'Ready' }, { type: 'Ready' }, { type: 'X' }];
    const { status } = prepareForStatusUpdate({ status: { conditions } }, old);
    expect(status).toEqual({
      qosClass: 'Burstable',
      observedGeneration: 3,
      conditions: [
        { type: 'Ready', observedGeneration: 3 },
        { type: 'Ready', observedGeneration: 2 },
        { type: 'X' },
      ],
    });
  });
});
