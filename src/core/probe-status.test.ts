import { describe, expect, test } from 'vitest';
import type { ContainerStatus, Pod, PodStatus } from '../api/pod.ts';
import { deepFreeze } from '../../test/support/deep-freeze.ts';
import {
  condition,
  container,
  podOf,
  running,
  sidecar,
  terminated,
  waiting,
} from '../../test/support/pod-parts.ts';
import { probeView } from '../../test/support/views.ts';
import { withProbeResults, type ProbeResult, type ProbeView } from './probe-status.ts';

const ID = 'test://c';
const live = (fields: Partial<ContainerStatus> = {}) =>
  running('c', { containerID: ID, ...fields });
const told = (result: ProbeResult) => new Map([[ID, result]]);
const watched = new Set(['c']);

/** What the probes make of the one regular container. */
function judge(status: ContainerStatus, probes: Partial<ProbeView> = {}, pod: Pod = podOf()) {
  const before = deepFreeze<PodStatus>({ containerStatuses: [status] });
  const after = withProbeResults(pod, before, probeView(probes)).containerStatuses?.[0];
  return { started: after?.started, ready: after?.ready };
}

describe('KL-78: started', () => {
  test('a container without a startup probe has started as soon as it runs', () => {
    expect(judge(live()).started).toBe(true);
  });

  test.each([
    ['waits', waiting('c', { started: true, containerID: ID })],
    ['has ended', terminated('c', 0, { started: true, containerID: ID })],
    ['has no state', { name: 'c', started: true, containerID: ID }],
  ])('one that %s has not, whatever was said before', (_name, status) => {
    expect(judge(status, { startup: told('success') }).started).toBe(false);
  });

  test.each([
    ['success', true],
    ['failure', false],
    ['unknown', false],
  ] as const)('the probe said %s: %s', (result, expected) => {
    const probes = { startup: told(result), startupProbed: watched };
    expect(judge(live(), probes).started).toBe(expected);
    expect(judge(live({ started: true }), probes).started).toBe(expected);
  });

  test('while the probe has not spoken, what was said before holds', () => {
    const probes = { startupProbed: watched };
    expect(judge(live(), probes).started).toBe(false);
    expect(judge(live({ started: false }), probes).started).toBe(false);
    expect(judge(live({ started: true }), probes).started).toBe(true);
  });

  test('what the probe said of another container does not count', () => {
    const startup = new Map([['test://older', 'success']] as const);
    expect(judge(live(), { startup, startupProbed: watched }).started).toBe(false);
  });
});

describe('KL-78: ready', () => {
  test('a container without a readiness probe is ready as soon as it has started', () => {
    expect(judge(live())).toEqual({ started: true, ready: true });
  });

  test.each([
    ['success', true],
    ['failure', false],
    ['unknown', false],
  ] as const)('the probe said %s: %s', (result, expected) => {
    const probes = { readiness: told(result), readinessProbed: watched };
    expect(judge(live({ ready: !expected }), probes).ready).toBe(expected);
  });

  test('while the probe has not spoken it is not ready', () => {
    expect(judge(live({ ready: true }), { readinessProbed: watched }).ready).toBe(false);
  });

  test('a failure that nobody watches any more is none', () => {
    expect(judge(live(), { readiness: told('failure') }).ready).toBe(true);
  });

  test('before it has started nobody asks: ready stays what it was', () => {
    const probes = { startupProbed: watched, readiness: told('success') };
    expect(judge(live(), probes)).toEqual({ started: false, ready: undefined });
    expect(judge(live({ ready: true }), probes)).toEqual({ started: false, ready: true });
    expect(judge(waiting('c', { ready: false })).ready).toBe(false);
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

  test('while its probe has not spoken, if its pod was Ready in the API', () => {
    expect(judge(old, probes, podReady).ready).toBe(true);
    expect(judge(old, probes, podUnready).ready).toBe(false);
    expect(judge(old, probes, podOf(probed)).ready).toBe(false);
  });

  test.each(['failure', 'unknown'] as const)('but not once its probe said %s', (result) => {
    expect(judge(old, { ...probes, readiness: told(result) }, podReady).ready).toBe(false);
  });

  test('and once its probe said success, whatever its pod was', () => {
    const spoken = { ...probes, readiness: told('success') };
    expect(judge(old, spoken, podUnready).ready).toBe(true);
  });

  test.each([
    ['2026-01-02T02:59:59.999Z', true],
    ['2026-01-02T03:00:00Z', false],
    ['2026-01-02T03:00:05Z', false],
    ['2026-01-02T03:00:30Z', false],
  ])('more than ten seconds before: started at %s gives %s', (time, expected) => {
    expect(judge(startedAt(time), probes, podReady).ready).toBe(expected);
  });

  test('one whose start nobody knows is not old', () => {
    expect(judge(startedAt(null), probes, podReady).ready).toBe(false);
    expect(judge(live({ state: { running: {} } }), probes, podReady).ready).toBe(false);
  });

  test('a probe that is not watched yet is still a probe: the pod must have been Ready', () => {
    expect(judge(old, { since }, podUnready).ready).toBe(false);
    expect(judge(old, { since }, podReady).ready).toBe(true);
  });

  test('one without a probe is ready all the same', () => {
    expect(judge(old, { since }, podOf()).ready).toBe(true);
  });

  test('one that the spec does not name is judged like any other', () => {
    const stranger = { ...old, name: 'stranger' };
    expect(judge(stranger, { since, readinessProbed: new Set(['stranger']) }, podReady).ready).toBe(
      false,
    );
  });
});

describe('KL-78: init containers', () => {
  function judgeInit(pod: Pod, ...initContainerStatuses: readonly ContainerStatus[]) {
    const status = deepFreeze<PodStatus>({ initContainerStatuses });
    return withProbeResults(pod, status, probeView()).initContainerStatuses;
  }

  test('a regular one is ready once it ended well', () => {
    const pod = podOf({ initContainers: [container('i')] });
    const verdict = (status: ContainerStatus) => {
      const [after] = judgeInit(pod, status) ?? [];
      return [after?.started, after?.ready];
    };
    expect(verdict(terminated('i', 0, { ready: false }))).toEqual([false, true]);
    expect(verdict(terminated('i', 1, { ready: false }))).toEqual([false, false]);
    expect(verdict(running('i', { ready: false }))).toEqual([true, false]);
    expect(verdict(waiting('i', { ready: false }))).toEqual([false, false]);
  });

  test('a sidecar is judged like a regular container', () => {
    const pod = podOf({ initContainers: [sidecar('s')] });
    expect(judgeInit(pod, running('s'))).toEqual([running('s', { started: true, ready: true })]);
    expect(judgeInit(pod, terminated('s', 0, { ready: false }))).toEqual([
      terminated('s', 0, { ready: false, started: false }),
    ]);
  });

  test('one that does not stand where the spec has it is not called ready', () => {
    const pod = podOf({ initContainers: [container('i'), container('j')] });
    const after = judgeInit(pod, terminated('j', 0, { ready: false }));
    expect(after).toEqual([terminated('j', 0, { ready: false, started: false })]);
  });
});

describe('what the probes do not change is shared', () => {
  test('a status that says so already is returned itself', () => {
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
