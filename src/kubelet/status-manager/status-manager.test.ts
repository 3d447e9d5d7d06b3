/** What the status manager stores and answers. Its writes are tested in test/status-manager/. */
import { describe, expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../api/pod.ts';
import type { ProbeOutcome } from '../../ports/pod/probe-results.ts';
import { idOf, StatusHarness, statusOf } from '../../../test/status-manager/status-harness.ts';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import {
  condition,
  container,
  EARLIER,
  podOf,
  running,
  staticPodOf,
  terminated,
  waiting,
} from '../../../test/support/pod-parts.ts';
import { noProbes, silentStatusObserver } from '../../../test/support/silent-ports.ts';

const UID = 'uid-1';

/** A manager that is not started, on a node that has this pod. */
function harnessWith(pod: Pod = podOf()): StatusHarness {
  const harness = new StatusHarness();
  harness.pods.set(deepFreeze(pod));
  return harness;
}

function versionOf({ manager }: StatusHarness, uid = UID): number {
  return manager.records.get(uid)?.version ?? 0;
}

describe('getPodStatus (SM-6)', () => {
  test('a pod without a reported status has none', () => {
    expect(harnessWith().manager.getPodStatus(UID)).toBeUndefined();
  });

  test("a static pod is found by its own UID and by its mirror's", () => {
    const harness = new StatusHarness();
    const pod = staticPodOf();
    harness.pods.set(pod, podOf({}, { metadata: { uid: 'mirror-1' } }));
    harness.manager.setPodStatus(pod, statusOf('Running'));
    expect(harness.manager.getPodStatus('mirror-1')?.phase).toBe('Running');
    expect(harness.manager.getPodStatus('mirror-1')).toBe(harness.manager.getPodStatus(UID));
  });
});

describe('setPodStatus (SM-15)', () => {
  test('returns what is stored, and whether that is new', () => {
    const harness = harnessWith();
    const pod = podOf();
    const first = harness.manager.setPodStatus(pod, statusOf('Running'));
    expect(first.changed).toBe(true);
    expect(first.status).toBe(harness.manager.getPodStatus(UID));
    const second = harness.manager.setPodStatus(pod, statusOf('Running'));
    expect(second.changed).toBe(false);
    expect(second.status).toBe(first.status);
  });

  test('the status is of the generation of the pod it was computed for', () => {
    const harness = harnessWith();
    const pod = podOf({}, { metadata: { generation: 7 } });
    const given = { ...statusOf('Running'), observedGeneration: 3 };
    expect(harness.manager.setPodStatus(pod, given).status?.observedGeneration).toBe(7);
  });

  test('without a generation it has none', () => {
    const given = { ...statusOf('Running'), observedGeneration: 3 };
    const { status } = harnessWith().manager.setPodStatus(podOf(), given);
    expect(status?.observedGeneration).toBeUndefined();
  });

  test('for a pod that is being deleted every status is stored', () => {
    const pod = podOf({}, { metadata: { deletionTimestamp: EARLIER } });
    const harness = harnessWith(pod);
    for (let turn = 0; turn < 3; turn++) harness.manager.setPodStatus(pod, statusOf('Running'));
    expect(versionOf(harness)).toBe(3);
  });

  test('SM-22: an illegal one is refused and logged; the stored one stays', () => {
    const pod = podOf({ restartPolicy: 'Never' });
    const harness = harnessWith(pod);
    const over = { containerStatuses: [terminated('c', 0)] };
    const { status } = harness.manager.setPodStatus(pod, over);
    const revived = { containerStatuses: [running('c')] };
    expect(harness.manager.setPodStatus(pod, revived)).toEqual({ status, changed: false });
    expect(harness.problems).toHaveLength(1);
    expect(harness.decisions.at(-1)).toMatchObject({ to: 'refused' });
  });

  test('F-18: its arguments are not modified', () => {
    const harness = harnessWith();
    const pod = deepFreeze(podOf({ containers: [container('b'), container('a')] }));
    const given: PodStatus = deepFreeze({
      startTime: '2026-01-02T03:04:05.5Z',
      conditions: [condition('Ready')],
      containerStatuses: [running('b'), running('a')],
    });
    harness.manager.setPodStatus(pod, given);
    harness.manager.setPodStatus(pod, { ...given, phase: 'Running' });
    harness.manager.terminatePod(pod);
    expect(harness.manager.getPodStatus(UID)?.containerStatuses?.map(({ name }) => name)).toEqual([
      'a',
      'b',
    ]);
  });
});

describe('probes', () => {
  const pod = podOf({ containers: [container('a'), container('b')] });
  const live = (name: string) =>
    running(name, { containerID: `test://${name}`, ready: false, restartCount: 0 });
  const status: PodStatus = {
    phase: 'Running',
    containerStatuses: [live('a'), live('b')],
    conditions: [condition('Ready', 'False'), condition('ContainersReady', 'False')],
  };

  function readyOf({ manager }: StatusHarness): string {
    const { containerStatuses = [], conditions = [] } = manager.getPodStatus(UID) ?? {};
    const each = containerStatuses.map(({ name, ready }) => `${name}=${ready}`);
    return [...each, ...conditions.map(({ type, status: value }) => `${type}=${value}`)].join(' ');
  }

  test('TestSetContainerReadiness', () => {
    const harness = harnessWith(pod);
    harness.manager.setContainerReadiness(UID, 'test://a', true);
    expect(versionOf(harness), 'before there is a status').toBe(0);

    harness.manager.setPodStatus(pod, status);
    harness.manager.setContainerReadiness(UID, 'test://a', false);
    expect(versionOf(harness), 'the same').toBe(1);

    harness.manager.setContainerReadiness(UID, 'test://a', true);
    expect(versionOf(harness)).toBe(2);
    expect(readyOf(harness)).toBe('a=true b=false Ready=False ContainersReady=False');

    harness.manager.setContainerReadiness(UID, 'test://b', true);
    expect(versionOf(harness)).toBe(3);
    expect(readyOf(harness)).toBe('a=true b=true Ready=True ContainersReady=True');

    harness.manager.setContainerReadiness(UID, 'test://z', true);
    expect(versionOf(harness), 'an unknown container').toBe(3);
  });

  test('TestSetContainerStartup', () => {
    const harness = harnessWith(pod);
    harness.manager.setContainerStartup(UID, 'test://a', true);
    expect(versionOf(harness), 'before there is a status').toBe(0);

    harness.manager.setPodStatus(pod, status);
    harness.manager.setContainerStartup(UID, 'test://a', false);
    expect(versionOf(harness), 'no word and no are two things').toBe(2);
    harness.manager.setContainerStartup(UID, 'test://a', false);
    expect(versionOf(harness), 'the same').toBe(2);
    harness.manager.setContainerStartup(UID, 'test://a', true);
    expect(versionOf(harness)).toBe(3);
    expect(readyOf(harness), 'conditions are left alone').toContain('Ready=False');
    harness.manager.setContainerStartup(UID, 'test://z', true);
    expect(versionOf(harness), 'an unknown container').toBe(3);
  });

  test('SM-16: for a pod that has left the node nothing is stored', () => {
    const harness = harnessWith(pod);
    harness.manager.setPodStatus(pod, status);
    harness.pods.remove(UID);
    harness.manager.setContainerReadiness(UID, 'test://a', true);
    harness.manager.setContainerStartup(UID, 'test://a', true);
    expect(versionOf(harness)).toBe(1);
  });

  test('a finished pod stays finished, whatever late probe results come (SM-21)', () => {
    const harness = harnessWith(pod);
    harness.manager.setPodStatus(pod, status);
    harness.manager.terminatePod(pod);
    harness.manager.setContainerReadiness(UID, 'test://a', true);
    expect(harness.manager.records.get(UID)?.isFinished).toBe(true);
  });
});

describe('a status that took a while to compute (F-3)', () => {
  const pod = podOf({ containers: [container('c', { readinessProbe: {} })] });
  const ready = statusOf('Running', { ready: true, uid: UID });

  function probedHarness() {
    const readiness = new Map<string, ProbeOutcome>();
    const harness = new StatusHarness({
      probes: {
        of: (uid) => ({ ...noProbes.of(uid), readiness, readinessProbed: new Set(['c']) }),
      },
    });
    harness.pods.set(pod);
    const probe = (isReady: boolean): void => {
      readiness.set(idOf(UID), isReady ? 'success' : 'failure');
      harness.manager.setContainerReadiness(UID, idOf(UID), isReady);
    };
    return { harness, probe };
  }

  function isReady({ manager }: StatusHarness): string | undefined {
    return manager.getPodStatus(UID)?.conditions?.find(({ type }) => type === 'Ready')?.status;
  }

  test('a probe that failed meanwhile is not lost', () => {
    const { harness, probe } = probedHarness();
    probe(true);
    harness.manager.handOverPodStatus(pod, ready);
    expect(isReady(harness)).toBe('True');
    probe(false);
    expect(harness.manager.handOverPodStatus(pod, ready).changed).toBe(false);
    expect(isReady(harness)).toBe('False');
  });

  test('nor one that failed before the first status', () => {
    const { harness, probe } = probedHarness();
    probe(false);
    harness.manager.handOverPodStatus(pod, ready);
    expect(isReady(harness)).toBe('False');
  });

  test('nor one that succeeded', () => {
    const { harness, probe } = probedHarness();
    harness.manager.handOverPodStatus(pod, statusOf('Running', { uid: UID }));
    probe(true);
    harness.manager.handOverPodStatus(pod, statusOf('Running', { uid: UID }));
    expect(isReady(harness)).toBe('True');
  });

  test('setPodStatus stores what it is given', () => {
    const { harness, probe } = probedHarness();
    harness.manager.setPodStatus(pod, ready);
    probe(false);
    harness.manager.setPodStatus(pod, ready);
    expect(isReady(harness)).toBe('True');
  });
});

describe('terminatePod (SM-40 to SM-45)', () => {
  test('TestTerminatePod: a container without an end is terminated as unknown, others keep their exit code', () => {
    const pod = podOf({ containers: [container('a'), container('b'), container('c')] });
    const harness = harnessWith(pod);
    harness.manager.setPodStatus(pod, {
      phase: 'Running',
      message: 'kept',
      startTime: EARLIER,
      containerStatuses: [running('a'), terminated('b', 2), waiting('c')],
    });
    harness.manager.terminatePod(pod);
    const status = harness.manager.getPodStatus(UID);
    expect(status).toMatchObject({ phase: 'Failed', message: 'kept', startTime: EARLIER });
    expect(status?.containerStatuses?.map(({ state }) => state?.terminated?.exitCode)).toEqual([
      137, 2, 137,
    ]);
  });

  test('it is a new version, even if nothing changed, and the final one', () => {
    const pod = podOf();
    const harness = harnessWith(pod);
    harness.manager.setPodStatus(pod, { phase: 'Succeeded' });
    for (const version of [2, 3]) {
      harness.manager.terminatePod(pod);
      expect(harness.manager.records.get(UID)).toMatchObject({ version, isFinished: true });
    }
    expect(harness.manager.getPodStatus(UID)?.phase).toBe('Succeeded');
  });

  test('SM-40: without a stored status it is made from that of the API', () => {
    const pod = podOf({}, { status: { phase: 'Running', containerStatuses: [running('c')] } });
    const harness = harnessWith(pod);
    harness.manager.terminatePod(pod);
    expect(harness.manager.getPodStatus(UID)).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { reason: 'ContainerStatusUnknown' } } }],
    });
  });

  test('SM-44: a static pod keeps its phase, and may start again', () => {
    const pod = staticPodOf();
    const harness = harnessWith(pod);
    harness.manager.setPodStatus(pod, { phase: 'Running' });
    harness.manager.terminatePod(pod);
    expect(harness.manager.getPodStatus(UID)?.phase).toBe('Running');
    harness.manager.setPodStatus(pod, { phase: 'Pending' });
    expect(harness.manager.records.get(UID)?.isFinished).toBe(false);
  });
});

describe('removeOrphanedStatuses (SM-50)', () => {
  test('A-23: it forgets those that are not named', () => {
    const harness = new StatusHarness();
    for (const uid of ['a', 'b', 'c']) {
      harness.manager.setPodStatus(podOf({}, { metadata: { uid, name: uid } }), {
        phase: 'Running',
      });
    }
    harness.manager.removeOrphanedStatuses(new Set(['b', 'z']));
    expect([...harness.manager.records.keys()]).toEqual(['b']);
  });

  test("a mirror's UID does not protect its static pod", () => {
    const harness = new StatusHarness();
    const pod = staticPodOf();
    harness.pods.set(pod, podOf({}, { metadata: { uid: 'mirror-1' } }));
    harness.manager.setPodStatus(pod, { phase: 'Running' });
    harness.manager.removeOrphanedStatuses(new Set(['mirror-1']));
    expect(harness.manager.getPodStatus(UID)).toBeUndefined();
  });

  test('that is recorded', () => {
    const harness = harnessWith();
    harness.manager.setPodStatus(podOf(), { phase: 'Running' });
    harness.manager.removeOrphanedStatuses(new Set());
    expect(harness.decisions.at(-1)).toMatchObject({ from: 'v1', to: 'forgotten' });
  });

  test('a UID that comes back starts at version 1', () => {
    const harness = harnessWith();
    for (const phase of ['Pending', 'Running'] as const) {
      harness.manager.setPodStatus(podOf(), { phase });
    }
    harness.manager.removeOrphanedStatuses(new Set());
    harness.manager.setPodStatus(podOf(), { phase: 'Running' });
    expect(versionOf(harness)).toBe(1);
  });
});

test('resize conditions are kept beside the status, and go with it (SM-50, SM-95)', () => {
  const harness = harnessWith();
  const { manager } = harness;
  const report = { reason: 'Deferred', message: 'no room', generation: 2 };
  manager.setPodStatus(podOf(), { phase: 'Running' });
  expect(manager.setResizePending(UID, report)).toBe(true);
  expect(manager.setResizeInProgress(UID, report)).toEqual({ generation: 2, changed: true });
  const types = (): readonly string[] => manager.resizeConditions(UID).map(({ type }) => type);
  expect(types()).toEqual(['PodResizePending', 'PodResizeInProgress']);
  manager.clearResizePending(UID);
  expect(manager.clearResizeInProgress(UID)).toBe(2);
  expect(types()).toEqual([]);
  manager.backfillResizeConditions([
    podOf({}, { status: { conditions: [condition('PodResizePending', 'True')] } }),
  ]);
  expect(types()).toEqual(['PodResizePending']);
  manager.removeOrphanedStatuses(new Set());
  expect(types()).toEqual([]);
});

test('TestContainerTerminationMetric: each terminated container is counted once (SM-29)', () => {
  const notified: string[] = [];
  const observer = {
    ...silentStatusObserver,
    containerTerminated: (type: string, exitCode: number, reason: string) =>
      void notified.push(`${type} ${exitCode} ${reason}`.trim()),
  };
  const harness = new StatusHarness({ observer });
  const pod = podOf();
  for (const state of [running('c'), terminated('c', 1), terminated('c', 1)]) {
    harness.manager.setPodStatus(pod, { containerStatuses: [state] });
  }
  harness.manager.terminatePod(pod);
  expect(notified).toEqual(['container 1']);
});
