import { describe, expect, test } from 'vitest';
import type { ContainerStatus, PodSpec, RestartPolicy } from '../../api/pod.ts';
import {
  container,
  podOf,
  restartRule,
  running,
  sidecar,
  terminated,
  waiting,
} from '../../../test/support/pod-parts.ts';
import { checkContainerTransitions } from './container-transition.ts';

const REVIVED = 'terminated container c attempted illegal transition to non-terminated state';
const REVIVED_INIT =
  'terminated init container i attempted illegal transition to non-terminated state';

function checkRegular(
  spec: Partial<PodSpec>,
  before: ContainerStatus,
  ...after: readonly ContainerStatus[]
) {
  return checkContainerTransitions(
    podOf(spec).spec,
    { containerStatuses: [before] },
    { containerStatuses: after },
  );
}

function checkInit(
  spec: Partial<PodSpec>,
  before: readonly ContainerStatus[],
  after: readonly ContainerStatus[],
) {
  return checkContainerTransitions(
    podOf(spec).spec,
    { initContainerStatuses: before },
    { initContainerStatuses: after },
  );
}

describe('SM-31, A-09: a regular container that ended runs again', () => {
  test.each([
    ['Always', 0, null],
    ['Always', 1, null],
    ['OnFailure', 0, REVIVED],
    ['OnFailure', 1, null],
    ['Never', 0, REVIVED],
    ['Never', 1, REVIVED],
  ] as const)('policy %s, exit %s: %s', (restartPolicy, exitCode, expected) => {
    expect(checkRegular({ restartPolicy }, terminated('c', exitCode), running('c'))).toBe(expected);
    expect(checkRegular({ restartPolicy }, terminated('c', exitCode), waiting('c'))).toBe(expected);
    expect(checkRegular({ restartPolicy }, terminated('c', exitCode), { name: 'c' })).toBe(
      expected,
    );
  });

  test('a pod without a policy restarts', () => {
    expect(checkRegular({}, terminated('c', 0), running('c'))).toBeNull();
  });

  test('another end is allowed', () => {
    expect(checkRegular({ restartPolicy: 'Never' }, terminated('c', 0), terminated('c', 1))).toBe(
      null,
    );
  });

  test('a container that had not ended may change to any state', () => {
    const spec = { restartPolicy: 'Never' } as const;
    expect(checkRegular(spec, running('c'), waiting('c'))).toBeNull();
    expect(
      checkRegular(
        spec,
        waiting('c', { lastState: { terminated: { exitCode: 1 } } }),
        running('c'),
      ),
    ).toBeNull();
  });

  test('SM-33: a missing container is no violation', () => {
    expect(checkRegular({ restartPolicy: 'Never' }, terminated('c', 0), running('d'))).toBeNull();
    expect(checkRegular({ restartPolicy: 'Never' }, terminated('c', 0))).toBeNull();
  });

  test('for a container that the spec does not name, only the pod’s policy counts', () => {
    const message = REVIVED.replace(' c ', ' x ');
    expect(checkRegular({ restartPolicy: 'Never' }, terminated('x', 1), running('x'))).toBe(
      message,
    );
    expect(
      checkRegular({ restartPolicy: 'OnFailure' }, terminated('x', 1), running('x')),
    ).toBeNull();
  });
});

describe('SM-34, E-6: its own policy and rules may allow it', () => {
  const own = (restartPolicy: RestartPolicy, fields = {}) => ({
    containers: [container('c', { restartPolicy, ...fields })],
    restartPolicy: 'Never' as const,
  });

  test('its own policy', () => {
    expect(checkRegular(own('Always'), terminated('c', 0), running('c'))).toBeNull();
    expect(checkRegular(own('OnFailure'), terminated('c', 1), running('c'))).toBeNull();
    expect(checkRegular(own('OnFailure'), terminated('c', 0), running('c'))).toBe(REVIVED);
  });

  test('its own rules, for the exit code that it had', () => {
    const spec = own('Never', { restartPolicyRules: [restartRule('Restart', 'In', 42)] });
    expect(checkRegular(spec, terminated('c', 42), running('c'))).toBeNull();
    expect(checkRegular(spec, terminated('c', 1), running('c'))).toBe(REVIVED);
  });

  test('OnFailure of the pod takes precedence over Never of the container', () => {
    const spec = { ...own('Never'), restartPolicy: 'OnFailure' as const };
    expect(checkRegular(spec, terminated('c', 1), running('c'))).toBeNull();
  });
});

describe('SM-30, E-7: a pod that may restart in place', () => {
  test('allows it to all of its containers', () => {
    const rules = { restartPolicyRules: [restartRule('RestartAllContainers', 'In', 42)] };
    const spec = {
      containers: [container('c'), container('d', rules)],
      restartPolicy: 'Never',
    } as const;
    expect(checkRegular(spec, terminated('c', 0), running('c'))).toBeNull();
    expect(checkInit(spec, [terminated('stranger', 0)], [])).toBeNull();
  });
});

describe('SM-32: init containers', () => {
  const never = {
    initContainers: [container('i'), container('j')],
    restartPolicy: 'Never',
  } as const;

  test('may not run again, as regular ones may not', () => {
    expect(checkInit(never, [terminated('i', 0)], [running('i')])).toBe(REVIVED_INIT);
    const onFailure = { ...never, restartPolicy: 'OnFailure' } as const;
    expect(checkInit(onFailure, [terminated('i', 0)], [running('i')])).toBe(REVIVED_INIT);
    expect(checkInit(onFailure, [terminated('i', 1)], [running('i')])).toBeNull();
  });

  test('E-6: may, if their own rules say so', () => {
    const ruled = container('i', {
      restartPolicy: 'Never',
      restartPolicyRules: [restartRule('Restart', 'In', 42)],
    });
    const spec = { ...never, initContainers: [ruled] };
    expect(checkInit(spec, [terminated('i', 42)], [running('i')])).toBeNull();
    expect(checkInit(spec, [terminated('i', 1)], [running('i')])).toBe(REVIVED_INIT);
  });

  test('A-08: sidecars may, always', () => {
    const spec = { ...never, initContainers: [sidecar('i')] };
    expect(checkInit(spec, [terminated('i', 0)], [running('i')])).toBeNull();
  });

  test('must be at their index in the spec, terminated or not', () => {
    const mismatch = (name: string) =>
      `found mismatch between pod spec and status, container: ${name}`;
    expect(checkInit(never, [running('j'), running('i')], [])).toBe(mismatch('j'));
    expect(checkInit(never, [running('i'), running('j'), waiting('k')], [])).toBe(mismatch('k'));
    expect(checkInit({ restartPolicy: 'Never' }, [waiting('i')], [])).toBe(mismatch('i'));
  });

  test('are checked in order: the first violation is reported', () => {
    expect(checkInit(never, [terminated('i', 0), running('x')], [running('i')])).toBe(REVIVED_INIT);
  });

  test('only the old list must be in order', () => {
    const after = [terminated('j', 0), terminated('i', 0)];
    expect(checkInit(never, [terminated('i', 0), terminated('j', 0)], after)).toBeNull();
  });

  test('in a pod that always restarts nothing is checked', () => {
    expect(checkInit({ ...never, restartPolicy: 'Always' }, [running('x')], [])).toBeNull();
  });
});

test('SM-32: regular containers are checked before init containers', () => {
  const { spec } = podOf({ initContainers: [container('i')], restartPolicy: 'Never' });
  const before = {
    containerStatuses: [terminated('c', 0)],
    initContainerStatuses: [terminated('i', 0)],
  };
  const after = { containerStatuses: [running('c')], initContainerStatuses: [running('i')] };
  expect(checkContainerTransitions(spec, before, after)).toBe(REVIVED);
});

test('SM-33: ephemeral containers are not checked', () => {
  const { spec } = podOf({ restartPolicy: 'Never' });
  const before = { ephemeralContainerStatuses: [terminated('e', 0)] };
  const after = { ephemeralContainerStatuses: [running('e')] };
  expect(checkContainerTransitions(spec, before, after)).toBeNull();
});

test('statuses without containers are valid', () => {
  const { spec } = podOf({ restartPolicy: 'Never' });
  expect(checkContainerTransitions(spec, {}, {})).toBeNull();
  expect(
    checkContainerTransitions(spec, { containerStatuses: [terminated('c', 0)] }, {}),
  ).toBeNull();
});
