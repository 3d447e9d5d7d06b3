/**
 * A field that is null means the same as an absent one: YAML makes it so (`activeDeadlineSeconds:` with
 * nothing behind it), and Go reads it so.
 */
import { describe, expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../src/api/pod.ts';
import { isPastDeadline } from '../../src/core/pod/active-deadline.ts';
import { effectiveGracePeriod } from '../../src/core/pod/grace-period.ts';
import { podActions } from '../../src/core/pod-actions/pod-actions.ts';
import { qosClass } from '../../src/core/resources/qos-class.ts';
import { isStatusEqual } from '../../src/core/pod-status/status-equality.ts';
import { volumeMountStatuses } from '../../src/core/pod-status/volume-mount-status.ts';

const NOW = '2030-01-01T00:00:00Z';

function podWith(spec: object, container: object = {}): Pod {
  const containers = [{ name: 'main', ...container }];
  return { metadata: { name: 'web' }, spec: { containers, ...spec } };
}

const RUNTIME = {
  sandboxes: [{ id: 's', attempt: 0, ready: true, hostNetwork: false, ip: '10.0.0.1' }],
  containers: [],
  ips: [],
};

function actionsOf(pod: Pod, restartAllContainers = false) {
  return podActions({
    pod,
    runtime: RUNTIME,
    restartAllContainers,
    changed: new Set(),
    liveness: new Map(),
    startup: new Map(),
    actuated: { containers: new Map() },
  });
}

describe('null is absent', () => {
  test('no deadline', () => {
    const pod = podWith({ activeDeadlineSeconds: null });
    expect(isPastDeadline(pod, { startTime: '2020-01-01T00:00:00Z' }, NOW)).toBe(false);
  });

  test('no other grace period', () => {
    const wishes = { deletionGracePeriodSeconds: null, gracePeriodOverride: null };
    expect(
      effectiveGracePeriod({ current: 0, ...wishes, terminationGracePeriodSeconds: 30 }),
    ).toEqual({ gracePeriod: 30, shortened: false });
    expect(effectiveGracePeriod({ current: 30, ...wishes })).toEqual({
      gracePeriod: 30,
      shortened: false,
    });
  });

  test('no resources', () => {
    expect(qosClass(podWith({ resources: null }, { resources: null }))).toBe('BestEffort');
    expect(actionsOf(podWith({ resources: null }, { resources: null }))).toMatchObject({
      containersToStart: [0],
      updatePodResources: false,
    });
  });

  test('no init containers', () => {
    expect(actionsOf(podWith({ initContainers: null }), true).containersToReset).toEqual([]);
    expect(actionsOf(podWith({ initContainers: null })).containersToStart).toEqual([0]);
  });

  test('no conditions', () => {
    const none = { conditions: null } as unknown as PodStatus;
    expect(isStatusEqual(none, {})).toBe(true);
    expect(isStatusEqual({}, none)).toBe(true);
  });

  test('no recursive read-only mount', () => {
    const mount = { name: 'v', mountPath: '/v', readOnly: true, recursiveReadOnly: null };
    const [status] = volumeMountStatuses({ name: 'c', volumeMounts: [mount as never] }, true);
    expect(status).toMatchObject({ recursiveReadOnly: 'Disabled' });
  });
});
