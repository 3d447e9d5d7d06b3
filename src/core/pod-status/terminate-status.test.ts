import { describe, expect, test } from 'vitest';
import type { Container, ContainerStatus, PodStatus } from '../../api/pod.ts';
import {
  container,
  EARLIER,
  ended,
  podOf,
  running,
  sidecar,
  staticPodOf,
  terminated,
  waiting,
} from '../../../test/support/pod-parts.ts';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import { terminateStatus } from './terminate-status.ts';

const LOST = {
  terminated: {
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
    exitCode: 137,
  },
};

/** The same container, ended in an unknown way. */
function lost(status: ContainerStatus): ContainerStatus {
  return { ...status, state: LOST };
}

const again = (name: string, exitCode: number) => waiting(name, { lastState: ended(exitCode) });

/** Terminates a pod of which only its own status is known; returns the statuses, init and regular. */
function takeDown(
  initContainerStatuses: readonly ContainerStatus[],
  regular: ContainerStatus,
  containers?: readonly Container[],
) {
  const status: PodStatus = deepFreeze({
    phase: 'Running',
    ...(initContainerStatuses.length > 0 && { initContainerStatuses }),
    containerStatuses: [regular],
  });
  const initContainers = containers ?? initContainerStatuses.map(({ name }) => container(name));
  const pod = deepFreeze(
    podOf({ containers: [container(regular.name)], initContainers }, { status }),
  );
  const result = terminateStatus(pod, status);
  return [result.initContainerStatuses ?? [], result.containerStatuses?.[0]] as const;
}

describe('SM-42, SM-43: containers whose end is unknown', () => {
  const c = waiting('c');

  test('no init, regular waiting: it ended in an unknown way, and its last end is kept', () => {
    expect(takeDown([], c)).toEqual([[], lost(c)]);
    expect(takeDown([], again('c', 3))).toEqual([[], lost(again('c', 3))]);
  });

  test('no init, regular terminated with 2: unchanged', () => {
    expect(takeDown([], terminated('c', 2))).toEqual([[], terminated('c', 2)]);
  });

  test('1 init waiting, regular waiting: the init one only', () => {
    expect(takeDown([waiting('i')], c)).toEqual([[lost(waiting('i'))], c]);
  });

  test('2 init waiting, regular waiting: only the first', () => {
    const [i, j] = [waiting('i'), waiting('j')];
    expect(takeDown([i, j], c)).toEqual([[lost(i), j], c]);
  });

  test('4 init: waiting, waiting, terminated 1, waiting: the first two', () => {
    const [i, j, k, l] = [waiting('i'), waiting('j'), terminated('k', 1), waiting('l')];
    expect(takeDown([i, j, k, l], c)).toEqual([[lost(i), lost(j), k, l], c]);
  });

  test('3 init: waiting, waiting, terminated 1: the first two; it never got initialised', () => {
    const [i, j, k] = [waiting('i'), waiting('j'), terminated('k', 1)];
    expect(takeDown([i, j, k], c)).toEqual([[lost(i), lost(j), k], c]);
  });

  test('3 init: waiting, waiting, terminated 0: the first two and the regular one', () => {
    const [i, j, k] = [waiting('i'), waiting('j'), terminated('k', 0)];
    expect(takeDown([i, j, k], c)).toEqual([[lost(i), lost(j), k], lost(c)]);
  });

  test('3 init: waiting, waiting, waiting after a success: all, and the success is lost', () => {
    const [i, j, k] = [waiting('i'), waiting('j'), again('k', 0)];
    expect(takeDown([i, j, k], c)).toEqual([[lost(i), lost(j), lost(k)], lost(c)]);
  });

  test('init waiting, regular running: both', () => {
    expect(takeDown([waiting('i')], running('c'))).toEqual([
      [lost(waiting('i'))],
      lost(running('c')),
    ]);
  });

  test('init waiting, regular terminated with 0: the init one only', () => {
    expect(takeDown([waiting('i')], terminated('c', 0))).toEqual([
      [lost(waiting('i'))],
      terminated('c', 0),
    ]);
  });

  test('init waiting, regular with only a last end: both', () => {
    expect(takeDown([waiting('i')], again('c', 1))).toEqual([
      [lost(waiting('i'))],
      lost(again('c', 1)),
    ]);
  });
});

describe('SM-41: whether the pod got past its init containers', () => {
  const c = waiting('c');

  test('a regular container without any state is not waiting, so it did', () => {
    const stateless = { name: 'c' };
    expect(takeDown([waiting('i')], stateless)[1]).toEqual(lost(stateless));
  });

  test.each([
    ['runs and has started', running('s', { started: true }), true],
    ['runs and has not started', running('s', { started: false }), false],
    ['runs, and nobody said that it started', running('s'), false],
    ['ended well', terminated('s', 0, { started: true }), false],
  ])('a last sidecar that %s', (_name, status, initialized) => {
    const [, regular] = takeDown([status], c, [sidecar('s')]);
    expect(regular).toEqual(initialized ? lost(c) : c);
  });

  test('only the last init container counts', () => {
    const statuses = [terminated('i', 0), waiting('j')];
    expect(takeDown(statuses, c)[1]).toEqual(c);
  });

  test('a success after a failure is a success', () => {
    const status = terminated('i', 0, { lastState: ended(1) });
    expect(takeDown([status], c)[1]).toEqual(lost(c));
  });

  test('if spec and status disagree about the last one, it did not', () => {
    expect(takeDown([terminated('i', 0)], c, [container('other')])[1]).toEqual(c);
    expect(takeDown([terminated('i', 0), terminated('j', 0)], c, [container('i')])[1]).toEqual(c);
  });

  test('the pod’s own status decides it, not the one that is closed', () => {
    const spec = { initContainers: [container('i')] };
    const stale = podOf(spec, { status: { containerStatuses: [running('c')] } });
    const known = { initContainerStatuses: [waiting('i')], containerStatuses: [waiting('c')] };
    expect(terminateStatus(stale, known).containerStatuses).toEqual([lost(waiting('c'))]);
    const fresh = podOf(spec);
    const ran = { initContainerStatuses: [terminated('i', 0)], containerStatuses: [running('c')] };
    expect(terminateStatus(fresh, ran).containerStatuses).toEqual([running('c')]);
  });
});

describe('SM-43: which statuses are closed', () => {
  test('an init container without a state counts as started', () => {
    const statuses = [waiting('i'), { name: 'j' }, waiting('k')];
    expect(takeDown(statuses, waiting('c'))[0]).toEqual([
      lost(waiting('i')),
      lost({ name: 'j' }),
      waiting('k'),
    ]);
  });

  test('ephemeral ones never', () => {
    const ephemeralContainerStatuses = [running('e')];
    const result = terminateStatus(podOf(), { phase: 'Failed', ephemeralContainerStatuses });
    expect(result.ephemeralContainerStatuses).toBe(ephemeralContainerStatuses);
  });

  test('everything else about a container is kept', () => {
    const known = running('c', { restartCount: 4, containerID: 'test://c', ready: true });
    expect(takeDown([], known)[1]).toEqual(lost(known));
  });
});

describe('SM-44: the phase', () => {
  test.each([
    ['Pending', 'Failed'],
    ['Running', 'Failed'],
    ['Unknown', 'Failed'],
    ['Strange', 'Failed'],
    [undefined, 'Failed'],
    ['Failed', 'Failed'],
    ['Succeeded', 'Succeeded'],
  ] as const)('%s becomes %s', (phase, expected) => {
    const status = phase ? { phase: phase as 'Pending' } : {};
    expect(terminateStatus(podOf(), status).phase).toBe(expected);
  });

  test.each(['Pending', 'Running'] as const)('a static pod stays %s', (phase) => {
    expect(terminateStatus(staticPodOf(), { phase }).phase).toBe(phase);
  });

  test('reason, message and start time are kept', () => {
    const status = {
      phase: 'Running',
      reason: 'Evicted',
      message: 'low on memory',
      startTime: EARLIER,
    } as const;
    expect(terminateStatus(podOf(), status)).toEqual({ ...status, phase: 'Failed' });
  });
});

test('a status that is closed already is returned itself', () => {
  const status = deepFreeze({
    phase: 'Succeeded',
    initContainerStatuses: [terminated('i', 0)],
    containerStatuses: [terminated('c', 0)],
  } as const);
  const pod = podOf({ initContainers: [container('i')] }, { status });
  expect(terminateStatus(pod, status)).toBe(status);
});
