/** What the manager remembers and answers. How it writes is told in test/status-manager/. */
import { describe, expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../api/pod.ts';
import type { ProbeOutcome } from '../../ports/probe-results.ts';
import { idOf, StatusStage, statusOf } from '../../../test/status-manager/stage.ts';
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

/** A manager that nobody started, on a node that has this pod. */
function stageWith(pod: Pod = podOf()): StatusStage {
  const stage = new StatusStage();
  stage.pods.set(deepFreeze(pod));
  return stage;
}

function versionOf({ manager }: StatusStage, uid = UID): number {
  return manager.records.get(uid)?.version ?? 0;
}

describe('getPodStatus (SM-6)', () => {
  test('a pod that nobody spoke of has none', () => {
    expect(stageWith().manager.getPodStatus(UID)).toBeUndefined();
  });

  test("a static pod is found by its own UID and by its mirror's", () => {
    const stage = new StatusStage();
    const pod = staticPodOf();
    stage.pods.set(pod, podOf({}, { metadata: { uid: 'mirror-1' } }));
    stage.manager.setPodStatus(pod, statusOf('Running'));
    expect(stage.manager.getPodStatus('mirror-1')?.phase).toBe('Running');
    expect(stage.manager.getPodStatus('mirror-1')).toBe(stage.manager.getPodStatus(UID));
  });
});

describe('setPodStatus (SM-15)', () => {
  test('returns what is stored, and whether that is new', () => {
    const stage = stageWith();
    const pod = podOf();
    const first = stage.manager.setPodStatus(pod, statusOf('Running'));
    expect(first.changed).toBe(true);
    expect(first.status).toBe(stage.manager.getPodStatus(UID));
    const second = stage.manager.setPodStatus(pod, statusOf('Running'));
    expect(second.changed).toBe(false);
    expect(second.status).toBe(first.status);
  });

  test('the status is of the generation of the pod it was computed for', () => {
    const stage = stageWith();
    const pod = podOf({}, { metadata: { generation: 7 } });
    const said = { ...statusOf('Running'), observedGeneration: 3 };
    expect(stage.manager.setPodStatus(pod, said).status?.observedGeneration).toBe(7);
  });

  test('without a generation it has none', () => {
    const said = { ...statusOf('Running'), observedGeneration: 3 };
    const { status } = stageWith().manager.setPodStatus(podOf(), said);
    expect(status?.observedGeneration).toBeUndefined();
  });

  test('for a pod that is being deleted every status is stored', () => {
    const pod = podOf({}, { metadata: { deletionTimestamp: EARLIER } });
    const stage = stageWith(pod);
    for (let turn = 0; turn < 3; turn++) stage.manager.setPodStatus(pod, statusOf('Running'));
    expect(versionOf(stage)).toBe(3);
  });

  test('SM-22: an unlawful one is refused and complained of; what was stored stays', () => {
    const pod = podOf({ restartPolicy: 'Never' });
    const stage = stageWith(pod);
    const over = { containerStatuses: [terminated('c', 0)] };
    const { status } = stage.manager.setPodStatus(pod, over);
    const revived = { containerStatuses: [running('c')] };
    expect(stage.manager.setPodStatus(pod, revived)).toEqual({ status, changed: false });
    expect(stage.complaints).toHaveLength(1);
    expect(stage.decisions.at(-1)).toMatchObject({ to: 'refused' });
  });

  test('F-18: what it is given stays as it is', () => {
    const stage = stageWith();
    const pod = deepFreeze(podOf({ containers: [container('b'), container('a')] }));
    const said: PodStatus = deepFreeze({
      startTime: '2026-01-02T03:04:05.5Z',
      conditions: [condition('Ready')],
      containerStatuses: [running('b'), running('a')],
    });
    stage.manager.setPodStatus(pod, said);
    stage.manager.setPodStatus(pod, { ...said, phase: 'Running' });
    stage.manager.terminatePod(pod);
    expect(stage.manager.getPodStatus(UID)?.containerStatuses?.map(({ name }) => name)).toEqual([
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

  function readyOf({ manager }: StatusStage): string {
    const { containerStatuses = [], conditions = [] } = manager.getPodStatus(UID) ?? {};
    const each = containerStatuses.map(({ name, ready }) => `${name}=${ready}`);
    return [...each, ...conditions.map(({ type, status: value }) => `${type}=${value}`)].join(' ');
  }

  test('TestSetContainerReadiness', () => {
    const stage = stageWith(pod);
    stage.manager.setContainerReadiness(UID, 'test://a', true);
    expect(versionOf(stage), 'before there is a status').toBe(0);

    stage.manager.setPodStatus(pod, status);
    stage.manager.setContainerReadiness(UID, 'test://a', false);
    expect(versionOf(stage), 'the same').toBe(1);

    stage.manager.setContainerReadiness(UID, 'test://a', true);
    expect(versionOf(stage)).toBe(2);
    expect(readyOf(stage)).toBe('a=true b=false Ready=False ContainersReady=False');

    stage.manager.setContainerReadiness(UID, 'test://b', true);
    expect(versionOf(stage)).toBe(3);
    expect(readyOf(stage)).toBe('a=true b=true Ready=True ContainersReady=True');

    stage.manager.setContainerReadiness(UID, 'test://z', true);
    expect(versionOf(stage), 'an unknown container').toBe(3);
  });

  test('TestSetContainerStartup', () => {
    const stage = stageWith(pod);
    stage.manager.setContainerStartup(UID, 'test://a', true);
    expect(versionOf(stage), 'before there is a status').toBe(0);

    stage.manager.setPodStatus(pod, status);
    stage.manager.setContainerStartup(UID, 'test://a', false);
    expect(versionOf(stage), 'no word and no are two things').toBe(2);
    stage.manager.setContainerStartup(UID, 'test://a', false);
    expect(versionOf(stage), 'the same').toBe(2);
    stage.manager.setContainerStartup(UID, 'test://a', true);
    expect(versionOf(stage)).toBe(3);
    expect(readyOf(stage), 'conditions are left alone').toContain('Ready=False');
    stage.manager.setContainerStartup(UID, 'test://z', true);
    expect(versionOf(stage), 'an unknown container').toBe(3);
  });

  test('SM-16: of a pod that has left the node nothing is stored', () => {
    const stage = stageWith(pod);
    stage.manager.setPodStatus(pod, status);
    stage.pods.remove(UID);
    stage.manager.setContainerReadiness(UID, 'test://a', true);
    stage.manager.setContainerStartup(UID, 'test://a', true);
    expect(versionOf(stage)).toBe(1);
  });

  test('a finished pod stays finished, whatever its probes say late (SM-21)', () => {
    const stage = stageWith(pod);
    stage.manager.setPodStatus(pod, status);
    stage.manager.terminatePod(pod);
    stage.manager.setContainerReadiness(UID, 'test://a', true);
    expect(stage.manager.records.get(UID)?.isFinished).toBe(true);
  });
});

describe('a status that took a while to compute (F-3)', () => {
  const pod = podOf({ containers: [container('c', { readinessProbe: {} })] });
  const ready = statusOf('Running', { ready: true, uid: UID });

  function probedStage() {
    const readiness = new Map<string, ProbeOutcome>();
    const stage = new StatusStage({
      probes: {
        of: (uid) => ({ ...noProbes.of(uid), readiness, readinessProbed: new Set(['c']) }),
      },
    });
    stage.pods.set(pod);
    const probe = (isReady: boolean): void => {
      readiness.set(idOf(UID), isReady ? 'success' : 'failure');
      stage.manager.setContainerReadiness(UID, idOf(UID), isReady);
    };
    return { stage, probe };
  }

  function isReady({ manager }: StatusStage): string | undefined {
    return manager.getPodStatus(UID)?.conditions?.find(({ type }) => type === 'Ready')?.status;
  }

  test('a probe that failed while it was computed is not lost', () => {
    const { stage, probe } = probedStage();
    probe(true);
    stage.manager.handOverPodStatus(pod, ready);
    expect(isReady(stage)).toBe('True');
    probe(false);
    expect(stage.manager.handOverPodStatus(pod, ready).changed).toBe(false);
    expect(isReady(stage)).toBe('False');
  });

  test('nor one that failed before there was any status to tell', () => {
    const { stage, probe } = probedStage();
    probe(false);
    stage.manager.handOverPodStatus(pod, ready);
    expect(isReady(stage)).toBe('False');
  });

  test('nor one that succeeded', () => {
    const { stage, probe } = probedStage();
    stage.manager.handOverPodStatus(pod, statusOf('Running', { uid: UID }));
    probe(true);
    stage.manager.handOverPodStatus(pod, statusOf('Running', { uid: UID }));
    expect(isReady(stage)).toBe('True');
  });

  test('setPodStatus stores what it is told', () => {
    const { stage, probe } = probedStage();
    stage.manager.setPodStatus(pod, ready);
    probe(false);
    stage.manager.setPodStatus(pod, ready);
    expect(isReady(stage)).toBe('True');
  });
});

describe('terminatePod (SM-40 to SM-45)', () => {
  test('TestTerminatePod: what did not end is lost, what did keeps its exit code', () => {
    const pod = podOf({ containers: [container('a'), container('b'), container('c')] });
    const stage = stageWith(pod);
    stage.manager.setPodStatus(pod, {
      phase: 'Running',
      message: 'kept',
      startTime: EARLIER,
      containerStatuses: [running('a'), terminated('b', 2), waiting('c')],
    });
    stage.manager.terminatePod(pod);
    const status = stage.manager.getPodStatus(UID);
    expect(status).toMatchObject({ phase: 'Failed', message: 'kept', startTime: EARLIER });
    expect(status?.containerStatuses?.map(({ state }) => state?.terminated?.exitCode)).toEqual([
      137, 2, 137,
    ]);
  });

  test('it is a new version, also if it says nothing new, and the last word', () => {
    const pod = podOf();
    const stage = stageWith(pod);
    stage.manager.setPodStatus(pod, { phase: 'Succeeded' });
    for (const version of [2, 3]) {
      stage.manager.terminatePod(pod);
      expect(stage.manager.records.get(UID)).toMatchObject({ version, isFinished: true });
    }
    expect(stage.manager.getPodStatus(UID)?.phase).toBe('Succeeded');
  });

  test('SM-40: without a status of ours it is made from that of the API', () => {
    const pod = podOf({}, { status: { phase: 'Running', containerStatuses: [running('c')] } });
    const stage = stageWith(pod);
    stage.manager.terminatePod(pod);
    expect(stage.manager.getPodStatus(UID)).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { reason: 'ContainerStatusUnknown' } } }],
    });
  });

  test('SM-44: a static pod keeps its phase, and may start again', () => {
    const pod = staticPodOf();
    const stage = stageWith(pod);
    stage.manager.setPodStatus(pod, { phase: 'Running' });
    stage.manager.terminatePod(pod);
    expect(stage.manager.getPodStatus(UID)?.phase).toBe('Running');
    stage.manager.setPodStatus(pod, { phase: 'Pending' });
    expect(stage.manager.records.get(UID)?.isFinished).toBe(false);
  });
});

describe('removeOrphanedStatuses (SM-50)', () => {
  test('A-23: it forgets those that are not named', () => {
    const stage = new StatusStage();
    for (const uid of ['a', 'b', 'c']) {
      stage.manager.setPodStatus(podOf({}, { metadata: { uid, name: uid } }), { phase: 'Running' });
    }
    stage.manager.removeOrphanedStatuses(new Set(['b', 'z']));
    expect([...stage.manager.records.keys()]).toEqual(['b']);
  });

  test("a mirror's UID does not protect its static pod", () => {
    const stage = new StatusStage();
    const pod = staticPodOf();
    stage.pods.set(pod, podOf({}, { metadata: { uid: 'mirror-1' } }));
    stage.manager.setPodStatus(pod, { phase: 'Running' });
    stage.manager.removeOrphanedStatuses(new Set(['mirror-1']));
    expect(stage.manager.getPodStatus(UID)).toBeUndefined();
  });

  test('that is written down', () => {
    const stage = stageWith();
    stage.manager.setPodStatus(podOf(), { phase: 'Running' });
    stage.manager.removeOrphanedStatuses(new Set());
    expect(stage.decisions.at(-1)).toMatchObject({ from: 'v1', to: 'forgotten' });
  });

  test('a UID that comes back starts at version 1', () => {
    const stage = stageWith();
    for (const phase of ['Pending', 'Running'] as const) {
      stage.manager.setPodStatus(podOf(), { phase });
    }
    stage.manager.removeOrphanedStatuses(new Set());
    stage.manager.setPodStatus(podOf(), { phase: 'Running' });
    expect(versionOf(stage)).toBe(1);
  });
});

test('resize conditions are kept beside the status, and go with it (SM-50, SM-95)', () => {
  const stage = stageWith();
  const { manager } = stage;
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

test('TestContainerTerminationMetric: each container that ended is told once (SM-29)', () => {
  const told: string[] = [];
  const observer = {
    ...silentStatusObserver,
    containerTerminated: (type: string, exitCode: number, reason: string) =>
      void told.push(`${type} ${exitCode} ${reason}`.trim()),
  };
  const stage = new StatusStage({ observer });
  const pod = podOf();
  for (const state of [running('c'), terminated('c', 1), terminated('c', 1)]) {
    stage.manager.setPodStatus(pod, { containerStatuses: [state] });
  }
  stage.manager.terminatePod(pod);
  expect(told).toEqual(['container 1']);
});
