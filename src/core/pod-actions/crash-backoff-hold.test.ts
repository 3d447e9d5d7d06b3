import { describe, expect, test } from 'vitest';
import type { Container, PodSpec } from '../../api/pod.ts';
import type { RuntimeContainer } from '../../api/runtime-pod.ts';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import { container, podOf, sidecar } from '../../../test/support/pod-parts.ts';
import { exited, observed, runtimeOf } from '../../../test/support/runtime-parts.ts';
import { actionsView } from '../../../test/support/views.ts';
import { backOffKey, type BackOff } from './crash-backoff.ts';
import { holdForCrashBackOff } from './crash-backoff-hold.ts';
import { podActions } from './pod-actions.ts';

const FINISHED = '2026-01-02T03:00:00Z';
const FINISHED_MS = Date.UTC(2026, 0, 2, 3, 0, 0);
const SECOND = 1000;

const crashed = (name: string, finishedAt = FINISHED) => exited(name, 1, { finishedAt });

/** Plans with a back-off of ten seconds for each container named, `seconds` after the end. */
function plan(
  spec: Partial<PodSpec>,
  records: readonly RuntimeContainer[],
  backedOff: readonly Container[],
  seconds = 4,
) {
  const pod = podOf(spec);
  const view = actionsView(pod, runtimeOf(records));
  const backOff: BackOff = { delayMs: 10 * SECOND, advancedAt: FINISHED_MS - 60 * SECOND };
  const backOffs = new Map(backedOff.map((each) => [backOffKey(pod, each), backOff]));
  const actions = deepFreeze(podActions(view));
  return {
    before: actions,
    ...holdForCrashBackOff(view, actions, backOffs, FINISHED_MS + seconds * SECOND),
  };
}

const c = container('c');

describe('KL-50: a container that crashed', () => {
  test('is held back until its delay is over, and the message says how long that is', () => {
    const { actions, held } = plan({}, [crashed('c')], [c]);
    expect(actions.containersToStart).toEqual([]);
    expect(held).toEqual([
      {
        name: 'c',
        message: 'back-off 10s restarting failed container=c pod=web_default(uid-1)',
        until: FINISHED_MS + 10 * SECOND,
      },
    ]);
  });

  test('E-14: starts the moment it is over', () => {
    expect(plan({}, [crashed('c')], [c], 9.999).actions.containersToStart).toEqual([]);
    expect(plan({}, [crashed('c')], [c], 10)).toMatchObject({
      actions: { containersToStart: [0] },
      held: [],
    });
  });

  test('counts from the end of its last run, with its fractions', () => {
    const late = crashed('c', '2026-01-02T03:00:03.250Z');
    expect(plan({}, [late], [c]).held[0]?.until).toBe(FINISHED_MS + 13.25 * SECOND);
  });

  test('KL-51: starts immediately if it has no back-off yet', () => {
    expect(plan({}, [crashed('c')], [])).toMatchObject({
      actions: { containersToStart: [0] },
      held: [],
    });
  });

  test('KL-52: starts immediately with another image', () => {
    const other = container('c', { image: 'app:0' });
    expect(plan({}, [crashed('c')], [other]).held).toEqual([]);
  });

  test('does not wait if no ended instance is left', () => {
    expect(plan({}, [], [c]).held).toEqual([]);
    expect(plan({}, [observed('c', 'created')], [c]).held).toEqual([]);
  });

  test('waits for the newest ended instance, though a newer one was only created', () => {
    const records = [observed('c', 'created', { id: 'test://2' }), crashed('c')];
    expect(plan({}, records, [c]).held[0]?.until).toBe(FINISHED_MS + 10 * SECOND);
  });

  test('does not wait if the time of its end is unknown', () => {
    expect(plan({}, [exited('c', 1)], [c]).held).toEqual([]);
  });
});

describe('which containers wait for others', () => {
  test('regular containers do not wait for each other', () => {
    const containers = [container('a'), c];
    const { actions, held } = plan({ containers }, [crashed('a'), crashed('c')], [c]);
    expect(actions.containersToStart).toEqual([0]);
    expect(held.map(({ name }) => name)).toEqual(['c']);
  });

  test('a regular init container holds back everything behind it', () => {
    const i = container('i');
    const spec = { initContainers: [sidecar('s'), i] };
    const { before, actions, held } = plan(spec, [exited('s', 1), crashed('i')], [i]);
    expect(before.initContainersToStart).toEqual([0, 1]);
    expect(actions).toEqual({ ...before, initContainersToStart: [0] });
    expect(held.map(({ name }) => name)).toEqual(['i']);
  });

  test('the containers behind it have no wait of their own', () => {
    const [i, s] = [container('i'), sidecar('s')];
    const spec = { initContainers: [i, s] };
    const view = actionsView(podOf(spec), runtimeOf([crashed('i'), crashed('s')]));
    const actions = { ...podActions(view), initContainersToStart: [0, 1], containersToStart: [0] };
    const backOff = { delayMs: 10 * SECOND, advancedAt: FINISHED_MS };
    const backOffs = new Map([i, s].map((each) => [backOffKey(view.pod, each), backOff]));
    const plan2 = holdForCrashBackOff(view, actions, backOffs, FINISHED_MS);
    expect(plan2.actions).toMatchObject({ initContainersToStart: [], containersToStart: [] });
    expect(plan2.held.map(({ name }) => name)).toEqual(['i']);
  });

  test('a sidecar holds back only itself', () => {
    const s = sidecar('s');
    const spec = { initContainers: [s, sidecar('t')] };
    const records = [crashed('s'), observed('t', 'running')];
    const { before, actions, held } = plan(spec, records, [s]);
    expect(before).toMatchObject({ initContainersToStart: [0], containersToStart: [0] });
    expect(actions).toMatchObject({ initContainersToStart: [], containersToStart: [0] });
    expect(held.map(({ name }) => name)).toEqual(['s']);
  });
});

describe('the rest of the plan', () => {
  test('is returned itself if no container waits', () => {
    const { before, actions } = plan({}, [crashed('c')], []);
    expect(actions).toBe(before);
  });

  test('is kept if one does', () => {
    const containers = [container('a'), c];
    const { before, actions } = plan({ containers }, [observed('a', 'unknown'), crashed('c')], [c]);
    expect(actions).toEqual({ ...before, containersToStart: [0] });
    expect(actions.containersToKill).toBe(before.containersToKill);
  });
});
