import { describe, expect, test } from 'vitest';
import type { PodSpec } from '../../api/pod.ts';
import type { RuntimeContainer } from '../../api/runtime-pod.ts';
import type { ProbeResult } from '../pod-status/probe-status.ts';
import { container, NOW, podOf, restartRule, sidecar } from '../../../test/support/pod-parts.ts';
import { exited, observed, runtimeOf } from '../../../test/support/runtime-parts.ts';
import { actionsView } from '../../../test/support/views.ts';
import type { PodActionsView } from './plan.ts';
import { podActions } from './pod-actions.ts';

const up = observed('c', 'running');

function plan(
  spec: Partial<PodSpec>,
  records: readonly RuntimeContainer[],
  view: Partial<PodActionsView> = {},
) {
  return podActions(actionsView(podOf(spec), runtimeOf(records), view));
}

const lastReported = (result: ProbeResult) => new Map([['test://c', result]]);
const killed = (message: string, reason?: string) => [
  { id: 'test://c', name: 'c', message, ...(reason && { reason }) },
];

describe('a container that does not run', () => {
  test('is started if it never was, was only created, or its policy says so', () => {
    expect(plan({}, []).containersToStart).toEqual([0]);
    expect(plan({}, [observed('c', 'created')]).containersToStart).toEqual([0]);
    expect(plan({ restartPolicy: 'OnFailure' }, [exited('c', 1)]).containersToStart).toEqual([0]);
  });

  test('is left if its policy says so', () => {
    const two = [container('a'), container('c')];
    const records = [observed('a', 'running'), exited('c', 0)];
    expect(plan({ containers: two, restartPolicy: 'OnFailure' }, records)).toMatchObject({
      killPod: false,
      containersToStart: [],
      containersToKill: [],
    });
  });

  test('E-6: is started by its own rule', () => {
    const ruled = container('c', {
      restartPolicy: 'Never',
      restartPolicyRules: [restartRule('Restart', 'In', 42)],
    });
    const spec = { containers: [ruled], restartPolicy: 'Never' } as const;
    expect(plan(spec, [exited('c', 42)]).containersToStart).toEqual([0]);
    expect(plan(spec, [exited('c', 41)])).toMatchObject({ killPod: true, containersToStart: [] });
  });

  test('is stopped before it starts if its state is unknown', () => {
    expect(plan({ restartPolicy: 'Never' }, [observed('c', 'unknown')])).toMatchObject({
      containersToStart: [0],
      containersToKill: killed(
        'Container is in "unknown" state, try killing it before restart',
        'Unknown',
      ),
    });
  });
});

describe('a container that runs is stopped', () => {
  test.each([
    ['its definition changed', { changed: new Set(['test://c']) }, 'definition changed', undefined],
    [
      'its liveness probe failed',
      { liveness: lastReported('failure') },
      'failed liveness probe',
      'LivenessProbe',
    ],
    [
      'its startup probe failed',
      { startup: lastReported('failure') },
      'failed startup probe',
      'StartupProbe',
    ],
  ] as const)('and started again if %s', (_name, view, why, reason) => {
    expect(plan({ restartPolicy: 'OnFailure' }, [up], view)).toMatchObject({
      killPod: false,
      containersToStart: [0],
      containersToKill: killed(`Container c ${why}, will be restarted`, reason),
    });
  });

  test.each([
    ['liveness', { liveness: lastReported('failure') }, 'LivenessProbe'],
    ['startup', { startup: lastReported('failure') }, 'StartupProbe'],
  ] as const)('for good if its %s probe failed and it may not restart', (probe, view, reason) => {
    const message = `Container c failed ${probe} probe`;
    expect(plan({ restartPolicy: 'Never' }, [up], view)).toMatchObject({
      killPod: true,
      containersToStart: [],
      containersToKill: killed(message, reason),
    });
  });

  test('and started again for a new definition, whatever the policy', () => {
    expect(
      plan({ restartPolicy: 'Never' }, [up], { changed: new Set(['test://c']) }),
    ).toMatchObject({
      killPod: false,
      containersToStart: [0],
      containersToKill: killed('Container c definition changed, will be restarted'),
    });
  });

  test('E-6: its own policy decides about a failed probe; its rules do not count', () => {
    const own = (restartPolicy: 'Always' | 'Never') => [
      container('c', { restartPolicy, restartPolicyRules: [restartRule('Restart', 'NotIn')] }),
    ];
    const view = { liveness: lastReported('failure') };
    expect(
      plan({ containers: own('Always'), restartPolicy: 'Never' }, [up], view).containersToStart,
    ).toEqual([0]);
    expect(
      plan({ containers: own('Never'), restartPolicy: 'Always' }, [up], view).containersToStart,
    ).toEqual([]);
  });

  test('for one reason only, the first of these', () => {
    const view = {
      changed: new Set(['test://c']),
      liveness: lastReported('failure'),
      startup: lastReported('failure'),
    };
    expect(plan({}, [up], view).containersToKill).toEqual(
      killed('Container c definition changed, will be restarted'),
    );
    const { changed: _, ...probes } = view;
    expect(plan({}, [up], probes).containersToKill).toEqual(
      killed('Container c failed liveness probe, will be restarted', 'LivenessProbe'),
    );
  });
});

describe('a container that runs is left', () => {
  test.each(['success', 'unknown'] as const)('if its probe results are %s', (result) => {
    const view = { liveness: lastReported(result), startup: lastReported(result) };
    expect(plan({}, [up], view)).toMatchObject({ containersToStart: [], containersToKill: [] });
  });

  test('if the failed probe is of an older one', () => {
    const view = { liveness: new Map([['test://older', 'failure']] as const) };
    expect(plan({}, [up], view).containersToKill).toEqual([]);
  });
});

describe('when nothing is kept and nothing starts', () => {
  test('the pod is stopped', () => {
    expect(plan({ restartPolicy: 'Never' }, [exited('c', 0)]).killPod).toBe(true);
  });

  test('E-5: sidecars alone do not keep it alive, and are not started again', () => {
    const spec = { initContainers: [sidecar('s')], restartPolicy: 'Never' } as const;
    const lone = plan(spec, [observed('s', 'running'), exited('c', 0)]);
    expect(lone).toMatchObject({ killPod: true, initContainersToStart: [] });
    const both = plan({ ...spec, initContainers: [sidecar('s'), sidecar('t')] }, [
      exited('s', 1),
      observed('t', 'running'),
      exited('c', 0),
    ]);
    expect(both).toMatchObject({ killPod: true, initContainersToStart: [] });
  });

  test('one that is kept is enough', () => {
    const containers = [container('a'), container('c')];
    const records = [exited('a', 0), up];
    expect(plan({ containers, restartPolicy: 'Never' }, records).killPod).toBe(false);
  });

  test('a pod that is being deleted starts nothing that ended', () => {
    const pod = podOf({}, { metadata: { deletionTimestamp: NOW } });
    const { killPod, containersToStart } = podActions(
      actionsView(pod, runtimeOf([exited('c', 1)])),
    );
    expect([killPod, containersToStart]).toEqual([true, []]);
  });
});
