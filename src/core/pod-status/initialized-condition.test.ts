import { describe, expect, test } from 'vitest';
import type { ContainerStatus, PodCondition, PodPhase, PodSpec, PodStatus } from '../../api/pod.ts';
import {
  condition,
  container,
  podOf,
  running,
  sidecar,
  terminated,
  waiting,
} from '../../../test/support/pod-parts.ts';
import { initializedCondition } from './initialized-condition.ts';

const INIT = { initContainers: [container('i'), sidecar('s'), container('j')] };
const done = (name: string) => terminated(name, 0, { ready: true });

function initialized(
  spec: Partial<PodSpec>,
  containerStatuses: readonly ContainerStatus[] | null | undefined,
  { phase, old = {} }: { readonly phase?: PodPhase; readonly old?: PodStatus } = {},
): PodCondition {
  return initializedCondition(podOf(spec), old, { containerStatuses, phase });
}

function incomplete(message: string): PodCondition {
  return { type: 'Initialized', status: 'False', reason: 'ContainersNotInitialized', message };
}

const yes = condition('Initialized', 'True');

describe('SM-115: no statuses', () => {
  test.each([[null], [undefined]])('%s: nothing is known of the init containers', (none) => {
    const unknown = { type: 'Initialized', status: 'False', reason: 'UnknownContainerStatuses' };
    expect(initialized(INIT, none)).toEqual(unknown);
    expect(initialized(INIT, none, { phase: 'Succeeded' })).toEqual(unknown);
    expect(initialized(INIT, none, { old: { conditions: [yes] } })).toEqual(unknown);
    expect(initialized({ initContainers: [container('i')] }, none)).toEqual(unknown);
  });

  test('a pod without init containers is initialised nevertheless', () => {
    expect(initialized({}, undefined)).toEqual(yes);
    expect(initialized({}, null)).toEqual(yes);
  });
});

describe('SM-116, SM-117: the init containers count, in the order of the spec', () => {
  test('all are complete', () => {
    expect(initialized(INIT, [done('i'), running('s', { started: true }), done('j')])).toEqual(yes);
  });

  test('unknown ones are named before incomplete ones', () => {
    expect(initialized(INIT, [waiting('j')])).toEqual(
      incomplete('containers with unknown status: [i s], containers with incomplete status: [j]'),
    );
  });

  test('a regular one is complete when it is ready, a sidecar when it has started', () => {
    const statuses = [done('i'), running('s', { started: false, ready: true }), done('j')];
    expect(initialized(INIT, statuses)).toEqual(
      incomplete('containers with incomplete status: [s]'),
    );
    const unready = [terminated('i', 0), running('s', { started: true }), done('j')];
    expect(initialized(INIT, unready)).toEqual(
      incomplete('containers with incomplete status: [i]'),
    );
  });

  test('a sidecar without `started` has not started', () => {
    expect(initialized({ initContainers: [sidecar('s')] }, [running('s')])).toEqual(
      incomplete('containers with incomplete status: [s]'),
    );
    expect(
      initialized({ initContainers: [sidecar('s')] }, [running('s', { started: null })]),
    ).toEqual(incomplete('containers with incomplete status: [s]'));
  });

  test('an empty list has them all missing', () => {
    expect(initialized({ initContainers: [container('i')] }, [])).toEqual(
      incomplete('containers with unknown status: [i]'),
    );
    expect(initialized(INIT, [])).toEqual(incomplete('containers with unknown status: [i s j]'));
  });
});

describe('SM-117: the order of decision', () => {
  const unfinished = [waiting('i'), waiting('s'), waiting('j'), waiting('c')];

  test('a pod that succeeded is initialised, if all are known', () => {
    const completed = { ...yes, reason: 'PodCompleted' };
    expect(initialized(INIT, unfinished, { phase: 'Succeeded' })).toEqual(completed);
    expect(initialized({}, [], { phase: 'Succeeded' })).toEqual(completed);
  });

  test('if one is unknown, the success of the pod proves nothing', () => {
    expect(initialized(INIT, unfinished.slice(1), { phase: 'Succeeded' }).status).toBe('False');
  });

  test('failure proves nothing either', () => {
    expect(initialized(INIT, unfinished, { phase: 'Failed' }).status).toBe('False');
  });

  test.each([
    ['runs', running('c')],
    ['has ended', terminated('c', 1)],
  ])('a regular container that %s proves it', (_name, status) => {
    expect(initialized(INIT, [...unfinished.slice(0, 3), status])).toEqual(yes);
  });

  test('one that waits does not, even if it ended before', () => {
    const again = waiting('c', { lastState: { terminated: { exitCode: 1 } } });
    expect(initialized(INIT, [...unfinished.slice(0, 3), again]).status).toBe('False');
  });

  test('a running init container, or one that the spec does not name, does not', () => {
    const statuses = [running('i'), waiting('s'), waiting('j'), running('stranger')];
    expect(initialized(INIT, statuses).status).toBe('False');
  });

  test('E-7: once true it stays true, in every pod', () => {
    const old = { conditions: [{ ...yes, reason: 'PodCompleted' }] };
    expect(initialized(INIT, unfinished, { old })).toEqual(yes);
    expect(initialized(INIT, [], { old })).toEqual(yes);
    const never = { conditions: [condition('Initialized', 'False')] };
    expect(initialized(INIT, unfinished, { old: never }).status).toBe('False');
  });
});

test('SM-120: it carries the generation of the pod', () => {
  const pod = podOf({}, { metadata: { generation: 3 } });
  expect(initializedCondition(pod, {}, { containerStatuses: [], phase: 'Running' })).toEqual({
    ...yes,
    observedGeneration: 3,
  });
});
