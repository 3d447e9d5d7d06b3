/** Validation of Deployments, ReplicaSets, StatefulSets, DaemonSets, ReplicationControllers. */
import { describe, expect, it } from 'vitest';
import { createWith, tryCreate, tryUpdate } from '../../../test/support/rule-trials.ts';
import { valueAt } from '../objects/field-path.ts';

const [DEPLOYMENT, REPLICA_SET, STATEFUL_SET, DAEMON_SET, CONTROLLER] = [
  'apps/v1/deployments',
  'apps/v1/replicasets',
  'apps/v1/statefulsets',
  'apps/v1/daemonsets',
  'v1/replicationcontrollers',
] as const;
const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or " +
  "'93%', regex used for validation is '[0-9]+%')";
const NOT_MATCHING =
  'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`';

describe('every workload', () => {
  it.each([
    [DEPLOYMENT, 'deployment'],
    [REPLICA_SET, 'deployment'],
    [STATEFUL_SET, 'statefulset'],
  ])('%s needs a non-empty selector', async (key, word) => {
    expect(await tryCreate(key, { spec: { selector: null } })).toEqual([
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: ' +
        '`selector` does not match template `labels`',
    ]);
    expect(await tryCreate(key, { spec: { selector: { matchLabels: null } } })).toEqual([
      `spec.selector: Invalid value: {}: empty selector is invalid for ${word}`,
    ]);
  });

  it.each([DEPLOYMENT, REPLICA_SET, STATEFUL_SET, DAEMON_SET])(
    '%s must select the pods of its template',
    async (key) => {
      const spec = { selector: { matchLabels: { app: 'other' } } };
      expect(await tryCreate(key, { spec })).toEqual([NOT_MATCHING]);
    },
  );

  it.each([
    [DEPLOYMENT, 'ReplicaSet'],
    [REPLICA_SET, 'ReplicaSet'],
    [STATEFUL_SET, 'StatefulSet'],
    [DAEMON_SET, 'DaemonSet'],
    [CONTROLLER, 'ReplicationController'],
  ])('%s must have pods that do not end', async (key, owner) => {
    const pod = { restartPolicy: 'Never', activeDeadlineSeconds: 5 };
    expect(await tryCreate(key, { spec: { template: { spec: pod } } })).toEqual([
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      `spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ${owner} is not Supported`,
    ]);
  });

  it.each([DEPLOYMENT, REPLICA_SET, STATEFUL_SET, DAEMON_SET, CONTROLLER])(
    '%s needs containers with images',
    async (key) => {
      const spec = { template: { spec: { containers: [{ name: 'c' }] } } };
      expect(await tryCreate(key, { spec })).toEqual([
        'spec.template.spec.containers[0].image: Required value',
      ]);
    },
  );

  it.each([DEPLOYMENT, REPLICA_SET, STATEFUL_SET, CONTROLLER])(
    '%s cannot have negative replicas',
    async (key) => {
      expect(await tryCreate(key, { spec: { replicas: -1 } })).toEqual([
        'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      ]);
    },
  );

  it('has no more ready pods in its status than pods', async () => {
    const status = { replicas: 1, readyReplicas: 2 };
    expect(await tryUpdate(DEPLOYMENT, { status }, { part: '/status' })).toEqual([
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
    ]);
  });
});

describe('a Deployment', () => {
  it.each([
    [{ type: 'Odd' }, [expect.stringContaining('spec.strategy: Unsupported value: ')]],
    [
      { type: 'Recreate', rollingUpdate: {} },
      [
        "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
      ],
    ],
    [
      { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
      [
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
      ],
    ],
    [
      { rollingUpdate: { maxUnavailable: 'x' } },
      [`spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "x": ${PERCENT}`],
    ],
    [
      { rollingUpdate: { maxUnavailable: '150%' } },
      [
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "150%": must not be greater than 100%',
      ],
    ],
  ])('with the strategy %j is refused', async (strategy, expected) => {
    expect(await tryCreate(DEPLOYMENT, { spec: { strategy } })).toEqual(expected);
  });

  it('has a progress deadline longer than minReadySeconds', async () => {
    const spec = { minReadySeconds: 10, progressDeadlineSeconds: 10 };
    expect(await tryCreate(DEPLOYMENT, { spec })).toEqual([
      'spec.progressDeadlineSeconds: Invalid value: 10: must be greater than minReadySeconds',
    ]);
  });
});

describe('a StatefulSet', () => {
  it('gets its defaults', async () => {
    const { body } = await createWith(STATEFUL_SET);
    expect(body['spec']).toMatchObject({
      podManagementPolicy: 'OrderedReady',
      replicas: 1,
      revisionHistoryLimit: 10,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    });
    expect(body['status']).toEqual({ replicas: 0, availableReplicas: 0 });
  });

  it('may mount the volumes of its claims', async () => {
    const mounts = [{ name: 'data', mountPath: '/data' }];
    const containers = [{ name: 'c', image: 'nginx:1', volumeMounts: mounts }];
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    const spec = { template: { spec: { containers } } };
    expect(await tryCreate(STATEFUL_SET, { spec })).toEqual([
      'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"',
    ]);
    const { code, body } = await createWith(STATEFUL_SET, {
      spec: { ...spec, volumeClaimTemplates: [claim] },
    });
    expect(code).toBe(201);
    expect(valueAt(body, 'spec.volumeClaimTemplates')).toMatchObject([
      {
        kind: 'PersistentVolumeClaim',
        spec: { volumeMode: 'Filesystem' },
        status: { phase: 'Pending' },
      },
    ]);
  });

  it('keeps what determines the names of its pods', async () => {
    expect(await tryUpdate(STATEFUL_SET, { spec: { serviceName: 'other' } })).toEqual([
      expect.stringContaining(
        "spec: Forbidden: updates to statefulset spec for fields other than 'replicas'",
      ),
    ]);
    expect(await tryUpdate(STATEFUL_SET, { spec: { replicas: 3, minReadySeconds: 1 } })).toEqual([
      'accepted',
    ]);
  });
});

describe('a DaemonSet', () => {
  it('counts the versions of its template for old clients', async () => {
    const { body } = await createWith(DAEMON_SET);
    expect(valueAt(body, 'metadata.annotations')).toEqual({
      'deprecated.daemonset.template.generation': '1',
    });
    expect(valueAt(body, 'spec.updateStrategy')).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: 0, maxUnavailable: 1 },
    });
  });

  it('replaces pods with either maxSurge or maxUnavailable, not both', async () => {
    const update = (rollingUpdate: { maxSurge: number; maxUnavailable: number }) =>
      tryCreate(DAEMON_SET, { spec: { updateStrategy: { rollingUpdate } } });
    const path = 'spec.updateStrategy.rollingUpdate';
    expect(await update({ maxSurge: 1, maxUnavailable: 1 })).toEqual([
      `${path}.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero`,
    ]);
    expect(await update({ maxSurge: 0, maxUnavailable: 0 })).toEqual([
      `${path}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`,
    ]);
  });
});

describe('a ReplicationController', () => {
  it('takes its labels and its selector from the template', async () => {
    const { body } = await createWith(CONTROLLER);
    expect(body).toMatchObject({
      metadata: { labels: { app: 'web' }, generation: 1 },
      spec: { replicas: 1, selector: { app: 'web' } },
      status: { replicas: 0 },
    });
  });

  it('must select the pods of its template', async () => {
    expect(await tryCreate(CONTROLLER, { spec: { selector: { app: 'other' } } })).toEqual([
      NOT_MATCHING,
    ]);
  });
});

describe('a ControllerRevision', () => {
  it('has immutable data', async () => {
    expect(await tryCreate('apps/v1/controllerrevisions', { data: null })).toEqual([
      'data: Required value: data is mandatory',
    ]);
    expect(await tryUpdate('apps/v1/controllerrevisions', { data: { spec: { a: 1 } } })).toEqual([
      'data: Invalid value: {"spec":{"a":1}}: field is immutable',
    ]);
  });
});
