import { describe, expect, test } from 'vitest';
import type { ContainerStatus, Pod, PodStatus } from '../../api/pod.ts';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import {
  condition,
  container,
  podOf,
  running,
  sidecar,
  terminated,
  waiting,
} from '../../../test/support/pod-parts.ts';
import { probeView } from '../../../test/support/views.ts';
import { withProbeResults, type ProbeResult, type ProbeView } from './probe-status.ts';

const ID = 'test://c';
const live = (fields: Partial<ContainerStatus> = {}) =>
  running('c', { containerID: ID, ...fields });
const notified = (result: ProbeResult) => new Map([[ID, result]]);
const watched = new Set(['c']);

/** The one regular container with the probe results applied. */
function evaluate(status: ContainerStatus, probes: Partial<ProbeView> = {}, pod: Pod = podOf()) {
  const before = deepFreeze<PodStatus>({ containerStatuses: [status] });
  const after = withProbeResults(pod, before, probeView(probes)).containerStatuses?.[0];
  return { started: after?.started, ready: after?.ready };
}

describe('KL-78: started', () => {
  test('a container without a startup probe has started as soon as it runs', () => {
    expect(evaluate(live()).started).toBe(true);
  });

  test.each([
    ['waits', waiting('c', { started: true, containerID: ID })],
    ['has ended', terminated('c', 0, { started: true, containerID: ID })],
    ['has no state', { name: 'c', started: true, containerID: ID }],
  ])('one that %s has not, whatever was said before', (_name, status) => {
    expect(evaluate(status, { startup: notified('success') }).started).toBe(false);
  });

  test.each([
    ['success', true],
    ['failure', false],
    ['unknown', false],
  ] as const)('the probe said %s: %s', (result, expected) => {
    const probes = { startup: notified(result), startupProbed: watched };
    expect(evaluate(live(), probes).started).toBe(expected);
    expect(evaluate(live({ started: true }), probes).started).toBe(expected);
  });

  test('without a probe result, the previous value holds', () => {
    const probes = { startupProbed: watched };
    expect(evaluate(live(), probes).started).toBe(false);
    expect(evaluate(live({ started: false }), probes).started).toBe(false);
    expect(evaluate(live({ started: true }), probes).started).toBe(true);
  });

  test('the result for another container ID does not count', () => {
    const startup = new Map([['test://older', 'success']] as const);
    expect(evaluate(live(), { startup, startupProbed: watched }).started).toBe(false);
  });
});

describe('KL-78: ready', () => {
  test('a container without a readiness probe is ready as soon as it has started', () => {
    expect(evaluate(live())).toEqual({ started: true, ready: true });
  });

  test.each([
    ['success', true],
    ['failure', false],
    ['unknown', false],
  ] as const)('the probe said %s: %s', (result, expected) => {
    const probes = { readiness: notified(result), readinessProbed: watched };
    expect(evaluate(live({ ready: !expected }), probes).ready).toBe(expected);
  });

  test('without a probe result it is not ready', () => {
    expect(evaluate(live({ ready: true }), { readinessProbed: watched }).ready).toBe(false);
  });

  test('a failure of a container that is no longer probed does not count', () => {
    expect(evaluate(live(), { readiness: notified('failure') }).ready).toBe(true);
  });

  test('before it has started, ready stays what it was', () => {
    const probes = { startupProbed: watched, readiness: notified('success') };
    expect(evaluate(live(), probes)).toEqual({ started: false, ready: undefined });
    expect(evaluate(live({ ready: true }), probes)).toEqual({ started: false, ready: true });
    expect(evaluate(waiting('c', { ready: false })).ready).toBe(false);
  });
});

describe('KL-79, E-19: a container that ran before podkeep did keeps its readiness', () => {
  const since = '2026-01-02T03:00:10Z';
  const startedAt = (time: string | null) => live({ state: { running: { startedAt: time } } });
  const old = startedAt('2026-01-02T02:59:59Z');
  const probes = { since, readinessProbed: watched };
  const probed = { containers: [container('c', { readinessProbe: {} })] };
  const podReady = podOf(probed, { status: { conditions: [condition('Ready', 'True')] } });
  const podUnready = podOf(probed, { status: { conditions: [condition('Ready', 'False')] } });

  test('without a probe result, if its pod was Ready in the API', () => {
    expect(evaluate(old, probes, podReady).ready).toBe(true);
    expect(evaluate(old, probes, podUnready).ready).toBe(false);
    expect(evaluate(old, probes, podOf(probed)).ready).toBe(false);
  });

  test.each(['failure', 'unknown'] as const)('but not once its probe result is %s', (result) => {
    expect(evaluate(old, { ...probes, readiness: notified(result) }, podReady).ready).toBe(false);
  });

  test('and once its probe succeeded, whatever its pod was', () => {
    const spoken = { ...probes, readiness: notified('success') };
    expect(evaluate(old, spoken, podUnready).ready).toBe(true);
  });

  test.each([
    ['2026-01-02T02:59:59.999Z', true],
    ['2026-01-02T03:00:00Z', false],
    ['2026-01-02T03:00:05Z', false],
    ['2026-01-02T03:00:30Z', false],
  ])('more than ten seconds before: started at %s gives %s', (time, expected) => {
    expect(evaluate(startedAt(time), probes, podReady).ready).toBe(expected);
  });

  test('a container without a start time is not old', () => {
    expect(evaluate(startedAt(null), probes, podReady).ready).toBe(false);
    expect(evaluate(live({ state: { running: {} } }), probes, podReady).ready).toBe(false);
  });

  test('a readiness probe that does not run yet still counts: the pod must have been Ready', () => {
    expect(evaluate(old, { since }, podUnready).ready).toBe(false);
    expect(evaluate(old, { since }, podReady).ready).toBe(true);
  });

  test('one without a probe is ready nevertheless', () => {
    expect(evaluate(old, { since }, podOf()).ready).toBe(true);
  });

  test('one that the spec does not name is treated like any other', () => {
    const stranger = { ...old, name: 'stranger' };
    expect(
      evaluate(stranger, { since, readinessProbed: new Set(['stranger']) }, podReady).ready,
    ).toBe(false);
  });
});

describe('KL-78: init containers', () => {
  function evaluateInit(pod: Pod, ...initContainerStatuses: readonly ContainerStatus[]) {
    const status = deepFreeze<PodStatus>({ initContainerStatuses });
    return withProbeResults(pod, status, probeView()).initContainerStatuses;
  }

  test('a regular one is ready once it succeeded', () => {
    const pod = podOf({ initContainers: [container('i')] });
    const condition = (status: ContainerStatus) => {
      const [after] = evaluateInit(pod, status) ?? [];
      return [after?.started, after?.ready];
    };
    expect(condition(terminated('i', 0, { ready: false }))).toEqual([false, true]);
    expect(condition(terminated('i', 1, { ready: false }))).toEqual([false, false]);
    expect(condition(running('i', { ready: false }))).toEqual([true, false]);
    expect(condition(waiting('i', { ready: false }))).toEqual([false, false]);
  });

  test('a sidecar is treated like a regular container', () => {
    const pod = podOf({ initContainers: [sidecar('s')] });
    expect(evaluateInit(pod, running('s'))).toEqual([running('s', { started: true, ready: true })]);
    expect(evaluateInit(pod, terminated('s', 0, { ready: false }))).toEqual([
      terminated('s', 0, { ready: false, started: false }),
    ]);
  });

  test('one that is not at its position in the spec is not ready', () => {
    const pod = podOf({ initContainers: [container('i'), container('j')] });
    const after = evaluateInit(pod, terminated('j', 0, { ready: false }));
    expect(after).toEqual([terminated('j', 0, { ready: false, started: false })]);
  });
});

describe('unchanged parts are shared', () => {
  test('an unchanged status is returned itself', () => {
    const status = deepFreeze<PodStatus>({
      phase: 'Running',
      containerStatuses: [live({ started: true, ready: true })],
      initContainerStatuses: [terminated('i', 0, { started: false, ready: true })],
      ephemeralContainerStatuses: [running('e')],
    });
    const pod = podOf({ initContainers: [container('i')] });
    expect(withProbeResults(pod, status, probeView())).toBe(status);
    const empty = {};
    expect(withProbeResults(pod, empty, probeView())).toBe(empty);
  });

  test('ephemeral containers are not probed', () => {
    const ephemeralContainerStatuses = [running('e')];
    const status = { ephemeralContainerStatuses, containerStatuses: [live()] };
    const after = withProbeResults(podOf(), status, probeView());
    expect(after.ephemeralContainerStatuses).toBe(ephemeralContainerStatuses);
  });
});
