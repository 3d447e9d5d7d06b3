import { describe, expect, test } from 'vitest';
import type { Container, PodSpec } from '../../api/pod.ts';
import type { RuntimeContainer } from '../../api/runtime-pod.ts';
import type { ProbeResult } from '../pod-status/probe-status.ts';
import { container, NOW, podOf, restartRule, sidecar } from '../../../test/support/pod-parts.ts';
import { exited, observed, runtimeOf } from '../../../test/support/runtime-parts.ts';
import { actionsView } from '../../../test/support/views.ts';
import type { PodActionsView } from './plan.ts';
import { podActions } from './pod-actions.ts';

function plan(
  initContainers: readonly Container[],
  records: readonly RuntimeContainer[],
  spec: Partial<PodSpec> = {},
  view: Partial<PodActionsView> = {},
) {
  return podActions(actionsView(podOf({ initContainers, ...spec }), runtimeOf(records), view));
}

const three = [container('i'), container('j'), container('k')];
const never = { restartPolicy: 'Never' } as const;
const lastReported = (name: string, result: ProbeResult) => new Map([[`test://${name}`, result]]);

describe('init containers run one after the other', () => {
  test.each([
    ['none has run', [], [0], []],
    ['the first runs', [observed('i', 'running')], [], []],
    ['the first is done', [exited('i', 0)], [1], []],
    ['the second is done', [exited('i', 0), exited('j', 0)], [2], []],
    ['all are done', [exited('i', 0), exited('j', 0), exited('k', 0)], [], [0]],
    ['the first was only created', [observed('i', 'created')], [0], []],
    ['the second failed', [exited('i', 0), exited('j', 1)], [1], []],
  ])('%s', (_name, records, init, regular) => {
    expect(plan(three, records)).toMatchObject({
      killPod: false,
      initContainersToStart: init,
      containersToStart: regular,
    });
  });

  test('the last one with a record shows how far the pod got: those before it may be gone', () => {
    expect(plan(three, [exited('j', 0)]).initContainersToStart).toEqual([2]);
    expect(plan(three, [exited('k', 0)]).containersToStart).toEqual([0]);
  });

  test('one before it that failed is not run again', () => {
    expect(plan(three, [exited('i', 1), exited('j', 0)]).initContainersToStart).toEqual([2]);
  });
});

describe('an init container that failed', () => {
  const one = [container('i')];

  test('ends the pod if it may not restart', () => {
    expect(plan(one, [exited('i', 1)], never)).toMatchObject({
      killPod: true,
      createSandbox: false,
      initContainersToStart: [],
      containersToStart: [],
    });
  });

  test('runs again if it may: by the pod’s policy or its own rules', () => {
    expect(
      plan(one, [exited('i', 1)], { restartPolicy: 'OnFailure' }).initContainersToStart,
    ).toEqual([0]);
    const ruled = container('i', {
      restartPolicy: 'Never',
      restartPolicyRules: [restartRule('Restart', 'In', 42)],
    });
    expect(plan([ruled], [exited('i', 42)], never).initContainersToStart).toEqual([0]);
    expect(plan([ruled], [exited('i', 1)], never).killPod).toBe(true);
  });

  test('failed if it was OOM-killed, whatever its exit code', () => {
    const oom = exited('i', 0, { reason: 'OOMKilled' });
    expect(plan(one, [oom]).initContainersToStart).toEqual([0]);
    expect(plan(one, [oom], { restartPolicy: 'OnFailure' }).killPod).toBe(true);
    expect(plan(one, [oom], never).killPod).toBe(true);
  });

  test('did not fail if it has no exit code', () => {
    const ended = observed('i', 'exited');
    expect(plan(one, [ended], never)).toMatchObject({ killPod: false, containersToStart: [0] });
  });

  test('ends a pod that is being deleted', () => {
    const pod = podOf({ initContainers: one }, { metadata: { deletionTimestamp: NOW } });
    const actions = podActions(actionsView(pod, runtimeOf([exited('i', 1)])));
    expect(actions).toMatchObject({ killPod: true, initContainersToStart: [] });
  });

  test('cancels the starts planned for others', () => {
    const list = [container('i'), sidecar('s')];
    const records = [exited('i', 1), exited('s', 1)];
    expect(plan(list, records, never)).toMatchObject({ initContainersToStart: [1] });
    const turned = [sidecar('s'), container('i')];
    expect(plan(turned, records, never)).toMatchObject({
      killPod: true,
      initContainersToStart: [],
    });
  });
});

describe('an init container in an unknown state', () => {
  const kill = (name: string) => [
    {
      id: `test://${name}`,
      name,
      message: 'Init container is in "unknown" state, try killing it before restart',
      reason: 'Unknown',
    },
  ];

  test('is stopped and started again', () => {
    expect(plan([container('i')], [observed('i', 'unknown')])).toMatchObject({
      initContainersToStart: [0],
      containersToKill: kill('i'),
    });
  });

  test('ends the pod if it may not restart; its rules do not count', () => {
    const ruled = container('i', {
      restartPolicy: 'Never',
      restartPolicyRules: [restartRule('Restart', 'NotIn')],
    });
    expect(plan([container('i')], [observed('i', 'unknown')], never)).toMatchObject({
      killPod: true,
      containersToKill: [],
    });
    expect(plan([ruled], [observed('i', 'unknown')]).killPod).toBe(true);
  });

  test('never ends the pod if it is a sidecar', () => {
    expect(plan([sidecar('s')], [observed('s', 'unknown')], never)).toMatchObject({
      killPod: false,
      initContainersToStart: [0],
      containersToKill: kill('s'),
    });
  });
});

describe('once a regular container is up, init containers are complete', () => {
  test.each(['created', 'running'] as const)('%s is up', (state) => {
    const records = [exited('i', 1), observed('c', state)];
    expect(plan(three, records, never)).toMatchObject({
      killPod: false,
      initContainersToStart: [],
    });
  });

  test.each(['exited', 'unknown'] as const)('%s proves nothing: think of a reboot', (state) => {
    expect(plan(three, [observed('c', state)]).initContainersToStart).toEqual([0]);
  });

  test('sidecars are still kept running, in order', () => {
    const list = [sidecar('s'), container('i'), sidecar('t'), sidecar('u')];
    const records = [exited('s', 0), observed('u', 'created'), observed('c', 'running')];
    expect(plan(list, records)).toMatchObject({ initContainersToStart: [0, 2, 3] });
  });
});

describe('E-5: a sidecar', () => {
  const list = [sidecar('s'), container('i')];

  test('lets the next one start as soon as it runs', () => {
    expect(plan(list, [observed('s', 'running')]).initContainersToStart).toEqual([1]);
  });

  test('lets the regular containers start, if it is the last', () => {
    expect(plan([sidecar('s')], [observed('s', 'running')])).toMatchObject({
      initContainersToStart: [],
      containersToStart: [0],
    });
  });

  test('is started again whenever it ends, in every pod', () => {
    for (const code of [0, 1]) {
      expect(plan(list, [exited('s', code)], never)).toMatchObject({
        killPod: false,
        initContainersToStart: [0],
      });
    }
  });

  test('is started again while the one after it runs, without starting that twice', () => {
    expect(plan(list, [exited('s', 1), observed('i', 'running')]).initContainersToStart).toEqual([
      0,
    ]);
  });

  test('that runs does not start the next one again', () => {
    for (const records of [
      [observed('s', 'running'), observed('i', 'running')],
      [observed('s', 'running'), exited('i', 0)],
    ]) {
      expect(plan(list, records).initContainersToStart).toEqual([]);
    }
  });

  test('is started again if it vanished, once others went on without it', () => {
    expect(plan(list, [exited('i', 0)])).toMatchObject({
      initContainersToStart: [0],
      containersToStart: [0],
    });
  });

  describe('with a startup probe', () => {
    const probed = [sidecar('s', { startupProbe: {} }), container('i')];
    const up = [observed('s', 'running')];

    test.each([
      ['has not spoken', new Map<string, ProbeResult>()],
      ['is not sure', lastReported('s', 'unknown')],
    ])('holds the others while it %s', (_name, startup) => {
      expect(plan(probed, up, {}, { startup })).toMatchObject({
        initContainersToStart: [],
        containersToStart: [],
        containersToKill: [],
      });
    });

    test('lets them go once it succeeded', () => {
      const view = { startup: lastReported('s', 'success') };
      expect(plan(probed, up, {}, view).initContainersToStart).toEqual([1]);
    });

    test('is restarted if it failed', () => {
      const view = { startup: lastReported('s', 'failure') };
      expect(plan(probed, up, never, view)).toMatchObject({
        killPod: false,
        initContainersToStart: [0],
        containersToKill: [
          {
            id: 'test://s',
            name: 's',
            message: 'Init container s failed startup probe',
            reason: 'StartupProbe',
          },
        ],
      });
    });

    test('without one, a result means nothing', () => {
      const view = { startup: lastReported('s', 'failure') };
      expect(plan(list, up, {}, view)).toMatchObject({
        initContainersToStart: [1],
        containersToKill: [],
      });
    });
  });

  test('with another definition is restarted, and the next one still starts', () => {
    const view = { changed: new Set(['test://s']) };
    expect(plan(list, [observed('s', 'running')], {}, view)).toMatchObject({
      initContainersToStart: [0, 1],
      containersToKill: [
        { id: 'test://s', name: 's', message: 'Init container s definition changed' },
      ],
    });
  });

  test('with a failed liveness probe is restarted', () => {
    const probed = [sidecar('s', { livenessProbe: {} })];
    const records = [observed('s', 'running'), observed('c', 'running')];
    const view = { liveness: lastReported('s', 'failure') };
    expect(plan(probed, records, {}, view)).toMatchObject({
      initContainersToStart: [0],
      containersToStart: [],
      containersToKill: [
        {
          id: 'test://s',
          name: 's',
          message: 'Init container s failed liveness probe',
          reason: 'LivenessProbe',
        },
      ],
    });
  });

  test('without a liveness probe, a result means nothing', () => {
    const records = [observed('s', 'running'), observed('c', 'running')];
    const view = { liveness: lastReported('s', 'failure') };
    expect(plan([sidecar('s')], records, {}, view).containersToKill).toEqual([]);
  });

  test.each([
    ['has not spoken', new Map<string, ProbeResult>()],
    ['succeeded', lastReported('s', 'success')],
    ['is not sure', lastReported('s', 'unknown')],
  ])('is left alone while its liveness probe %s', (_name, liveness) => {
    const probed = [sidecar('s', { livenessProbe: {} })];
    const records = [observed('s', 'running'), observed('c', 'running')];
    expect(plan(probed, records, {}, { liveness })).toMatchObject({
      initContainersToStart: [],
      containersToKill: [],
    });
  });
});
