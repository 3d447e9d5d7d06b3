import { describe, expect, test } from 'vitest';
import type { ContainerStatus, PodSpec } from '../../api/pod.ts';
import {
  container,
  ended,
  podOf,
  restartRule,
  running,
  sidecar,
  staticPodOf,
  terminated,
  waiting,
} from '../../../test/support/pod-parts.ts';
import { podPhase } from './phase.ts';

const crashed = (name: string, exitCode: number) => waiting(name, { lastState: ended(exitCode) });
const stateless = (name: string): ContainerStatus => ({ name, state: {} });

/** The phase of a pod that is not terminal, and not yet initialised unless set. */
function phaseOf(
  spec: Partial<PodSpec>,
  containerStatuses: readonly ContainerStatus[],
  view: { readonly isTerminal?: boolean; readonly hasInitialized?: boolean } = {},
) {
  return podPhase(podOf(spec), {
    containerStatuses,
    isTerminal: false,
    hasInitialized: false,
    ...view,
  });
}

describe('KL-21, row 1: an init container that failed for good fails the pod', () => {
  const init = (fields = {}): Partial<PodSpec> => ({ initContainers: [container('i', fields)] });

  test('immediately, and after it began to wait', () => {
    const spec = { ...init(), restartPolicy: 'Never' } as const;
    expect(phaseOf(spec, [terminated('i', 1), waiting('c')])).toBe('Failed');
    expect(phaseOf(spec, [crashed('i', 1), waiting('c')])).toBe('Failed');
  });

  test('even if another init container is still to run, or a container runs', () => {
    const spec = {
      initContainers: [container('i'), container('j')],
      restartPolicy: 'Never',
    } as const;
    expect(phaseOf(spec, [terminated('i', 1), waiting('j'), waiting('c')])).toBe('Failed');
    expect(phaseOf(spec, [terminated('i', 1), terminated('j', 0), running('c')])).toBe('Failed');
  });

  test('but not if it will run again, by the pod’s policy or its own rules', () => {
    const statuses = [terminated('i', 42), waiting('c')];
    expect(phaseOf({ ...init(), restartPolicy: 'OnFailure' }, statuses)).toBe('Pending');
    expect(phaseOf({ ...init(), restartPolicy: 'Always' }, statuses)).toBe('Pending');
    const ruled = init({
      restartPolicy: 'Never',
      restartPolicyRules: [restartRule('Restart', 'In', 42)],
    });
    expect(phaseOf({ ...ruled, restartPolicy: 'Never' }, statuses)).toBe('Pending');
  });

  test('E-7: nor if it was removed because the whole pod restarts', () => {
    const reason = 'RestartingAllContainers';
    const spec = { ...init(), restartPolicy: 'Never' } as const;
    const now = { name: 'i', state: ended(137, reason) };
    expect(phaseOf(spec, [now, waiting('c')])).toBe('Pending');
    const before = waiting('i', { lastState: ended(137, reason) });
    expect(phaseOf(spec, [before, waiting('c')])).toBe('Pending');
  });
});

describe('KL-21, row 2: init containers are not complete', () => {
  const spec = { initContainers: [container('i')] };

  test.each([
    ['no status', []],
    ['running', [running('i')]],
    ['no state', [stateless('i')]],
    ['waiting, never ended', [waiting('i')]],
  ])('an init container with %s keeps the pod pending', (_name, statuses) => {
    expect(phaseOf(spec, [...statuses, running('c')])).toBe('Pending');
  });

  test('KL-30: even in a pod that was initialised', () => {
    expect(phaseOf(spec, [waiting('i'), running('c')], { hasInitialized: true })).toBe('Pending');
  });

  test.each([
    ['runs, but has not started', running('s')],
    ['waits for its first start', waiting('s')],
    ['has no state', stateless('s')],
  ])('a sidecar that %s keeps it pending', (_name, status) => {
    const withSidecar = { initContainers: [sidecar('s')] };
    expect(phaseOf(withSidecar, [status, running('c')])).toBe('Pending');
  });

  test('a sidecar that has started does not', () => {
    const withSidecar = { initContainers: [sidecar('s')] };
    expect(phaseOf(withSidecar, [running('s', { started: true }), running('c')])).toBe('Running');
  });

  test('once initialised, a sidecar that is starting again does not (KL-30)', () => {
    const withSidecar = { initContainers: [sidecar('s')] };
    const statuses = [running('s', { started: false }), running('c')];
    expect(phaseOf(withSidecar, statuses, { hasInitialized: true })).toBe('Running');
  });
});

describe('KL-21, row 3: a container waits for its first start', () => {
  test('and the pod with it, though others run', () => {
    const containers = [container('a'), container('b')];
    expect(phaseOf({ containers }, [running('a'), waiting('b')])).toBe('Pending');
  });

  test('a sidecar that waits counts too, even in an initialised pod', () => {
    const spec = { initContainers: [sidecar('s')] };
    expect(phaseOf(spec, [waiting('s'), running('c')], { hasInitialized: true })).toBe('Pending');
  });
});

describe('KL-21, row 4: something runs, and all are known', () => {
  const containers = [container('a'), container('b')];

  test('so the pod runs', () => {
    expect(phaseOf({ containers }, [running('a'), running('b')])).toBe('Running');
    expect(phaseOf({ containers }, [running('a'), terminated('b', 1)])).toBe('Running');
    expect(phaseOf({ containers }, [running('a'), crashed('b', 1)])).toBe('Running');
  });

  test('a sidecar alone keeps it running after its containers ended', () => {
    const spec = { initContainers: [sidecar('s')], restartPolicy: 'Never' } as const;
    const statuses = [running('s', { started: true }), terminated('c', 0)];
    expect(phaseOf(spec, statuses, { hasInitialized: true })).toBe('Running');
  });

  test('even in a pod that is being terminated, as long as something runs', () => {
    expect(phaseOf({ containers }, [running('a'), terminated('b', 0)], { isTerminal: true })).toBe(
      'Running',
    );
  });
});

describe('KL-21, row 5: nothing runs and nothing will', () => {
  const down = { isTerminal: true };
  const always = { restartPolicy: 'Always' } as const;

  test('all succeeded: Succeeded, whatever the policy', () => {
    expect(phaseOf(always, [terminated('c', 0)], down)).toBe('Succeeded');
  });

  test('one did not: Failed', () => {
    const containers = [container('a'), container('b')];
    expect(phaseOf({ containers, ...always }, [terminated('a', 0), terminated('b', 1)], down)).toBe(
      'Failed',
    );
  });

  test('KL-31: one that waits after a good end has not succeeded', () => {
    expect(phaseOf(always, [crashed('c', 0)], down)).toBe('Failed');
  });

  test('a static pod counts as one that goes on (row 6)', () => {
    const view = {
      containerStatuses: [terminated('c', 0)],
      isTerminal: true,
      hasInitialized: true,
    };
    expect(podPhase(staticPodOf(always), view)).toBe('Running');
    expect(podPhase(staticPodOf({ restartPolicy: 'Never' }), view)).toBe('Succeeded');
  });

  test('sidecars that ended do not count', () => {
    const spec = { initContainers: [sidecar('s')], ...always };
    expect(phaseOf(spec, [terminated('s', 1), terminated('c', 0)], down)).toBe('Succeeded');
    expect(phaseOf(spec, [crashed('s', 1), terminated('c', 0)], down)).toBe('Succeeded');
  });
});

describe('KL-21, rows 6 to 8: nothing runs, but the pod goes on', () => {
  test.each([
    ['Always', [0], 'Running'],
    ['Always', [1], 'Running'],
    ['OnFailure', [0], 'Succeeded'],
    ['OnFailure', [1], 'Running'],
    ['OnFailure', [0, 1], 'Running'],
    ['Never', [0], 'Succeeded'],
    ['Never', [1], 'Failed'],
    ['Never', [0, 1], 'Failed'],
  ] as const)('policy %s, exit codes %j: %s', (restartPolicy, codes, expected) => {
    const names = codes.map((_, index) => `c${index}`);
    const statuses = codes.map((code, index) => terminated(`c${index}`, code));
    expect(
      phaseOf({ containers: names.map((name) => container(name)), restartPolicy }, statuses),
    ).toBe(expected);
  });

  test('a container that waits after its end counts as stopped', () => {
    expect(phaseOf({ restartPolicy: 'Always' }, [crashed('c', 1)])).toBe('Running');
    expect(phaseOf({ restartPolicy: 'Never' }, [crashed('c', 1)])).toBe('Failed');
    expect(phaseOf({ restartPolicy: 'Never' }, [crashed('c', 0)])).toBe('Failed');
  });

  test('E-6: one container that restarts by its own rule keeps the pod running', () => {
    const ruled = container('a', {
      restartPolicy: 'Never',
      restartPolicyRules: [restartRule('Restart', 'In', 42)],
    });
    const spec = { containers: [ruled, container('b')], restartPolicy: 'Never' } as const;
    expect(phaseOf(spec, [terminated('a', 42), terminated('b', 0)])).toBe('Running');
    expect(phaseOf(spec, [terminated('a', 41), terminated('b', 0)])).toBe('Failed');
  });

  test('E-7: one that was removed to be restarted keeps it running', () => {
    const removed = { name: 'c', state: ended(137, 'RestartingAllContainers') };
    expect(phaseOf({ restartPolicy: 'Never' }, [removed])).toBe('Running');
    const waits = waiting('c', { lastState: ended(137, 'RestartingAllContainers') });
    expect(phaseOf({ restartPolicy: 'Never' }, [waits])).toBe('Running');
  });

  test('KL-29a: only the reason of the end itself counts for that', () => {
    const since = terminated('c', 1, { lastState: ended(137, 'RestartingAllContainers') });
    expect(phaseOf({ restartPolicy: 'Never' }, [since])).toBe('Failed');
  });
});

describe('KL-21, row 9: anything else is pending', () => {
  test('a container without a status', () => {
    const containers = [container('a'), container('b')];
    expect(phaseOf({ containers }, [running('a')])).toBe('Pending');
    expect(phaseOf({ containers }, [terminated('a', 0)], { isTerminal: true })).toBe('Pending');
    expect(phaseOf({ containers }, [running('a'), stateless('b')])).toBe('Pending');
  });

  test('KL-29a: a sidecar without a status or a state, even once initialised', () => {
    const spec = { initContainers: [sidecar('s')] };
    expect(phaseOf(spec, [running('c')], { hasInitialized: true })).toBe('Pending');
    expect(phaseOf(spec, [stateless('s'), running('c')], { hasInitialized: true })).toBe('Pending');
  });

  test('a pod without containers', () => {
    expect(phaseOf({ containers: [] }, [])).toBe('Pending');
    expect(phaseOf({ containers: [] }, [], { isTerminal: true })).toBe('Pending');
  });

  test('statuses of containers that the spec does not name do not count', () => {
    expect(phaseOf({}, [running('stranger')])).toBe('Pending');
    expect(phaseOf({}, [running('c'), waiting('stranger')])).toBe('Running');
  });
});
