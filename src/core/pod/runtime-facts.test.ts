import { describe, expect, test } from 'vitest';
import { container, NOW, podOf, restartRule } from '../../../test/support/pod-parts.ts';
import { exited, observed, runtimeOf, SANDBOX } from '../../../test/support/runtime-parts.ts';
import {
  areContainersCleanedUp,
  findNewest,
  hasActiveRegularContainer,
  hasRegularContainerBeenCreated,
  shouldBeStarted,
} from './runtime-facts.ts';

const app = container('c');

test('the newest container of a name is the first that the runtime lists', () => {
  const [newer, older] = [observed('c', 'running', { id: 'test://2' }), exited('c', 1)];
  expect(findNewest(runtimeOf([observed('x', 'running'), newer, older]), 'c')).toBe(newer);
  expect(findNewest(runtimeOf([newer]), 'd')).toBeUndefined();
});

describe('KL-42: a container should be started', () => {
  const pod = podOf({ restartPolicy: 'Never' });

  test('if it was never seen, was only created, or is unknown', () => {
    expect(shouldBeStarted(pod, app, runtimeOf())).toBe(true);
    expect(shouldBeStarted(pod, app, runtimeOf([observed('c', 'created')]))).toBe(true);
    expect(shouldBeStarted(pod, app, runtimeOf([observed('c', 'unknown')]))).toBe(true);
  });

  test('not while it runs', () => {
    const always = podOf({ restartPolicy: 'Always' });
    expect(shouldBeStarted(always, app, runtimeOf([observed('c', 'running')]))).toBe(false);
  });

  test.each([
    ['Always', 0, true],
    ['Always', 1, true],
    ['OnFailure', 0, false],
    ['OnFailure', 1, true],
    ['Never', 0, false],
    ['Never', 1, false],
  ] as const)(
    'after its end by policy: %s and exit %s give %s',
    (restartPolicy, code, expected) => {
      const runtime = runtimeOf([exited('c', code)]);
      expect(shouldBeStarted(podOf({ restartPolicy }), app, runtime)).toBe(expected);
    },
  );

  test('E-6: after its end by its own rules', () => {
    const ruled = container('c', {
      restartPolicy: 'Never',
      restartPolicyRules: [restartRule('Restart', 'In', 42)],
    });
    expect(shouldBeStarted(pod, ruled, runtimeOf([exited('c', 42)]))).toBe(true);
    expect(shouldBeStarted(pod, ruled, runtimeOf([exited('c', 1)]))).toBe(false);
  });

  test('never in a pod that is being deleted, not even for the first time', () => {
    const dying = podOf({ restartPolicy: 'Always' }, { metadata: { deletionTimestamp: NOW } });
    expect(shouldBeStarted(dying, app, runtimeOf())).toBe(false);
    expect(shouldBeStarted(dying, app, runtimeOf([exited('c', 1)]))).toBe(false);
    expect(shouldBeStarted(dying, app, runtimeOf([observed('c', 'unknown')]))).toBe(false);
  });

  test('by its newest record only', () => {
    const runtime = runtimeOf([observed('c', 'running', { id: 'test://2' }), exited('c', 1)]);
    expect(shouldBeStarted(podOf(), app, runtime)).toBe(false);
  });

  test('an end without an exit code was a success', () => {
    const onFailure = podOf({ restartPolicy: 'OnFailure' });
    expect(shouldBeStarted(onFailure, app, runtimeOf([observed('c', 'exited')]))).toBe(false);
  });
});

describe('whether a regular container got as far as being created', () => {
  const pod = podOf({ initContainers: [container('i')] });

  test.each(['created', 'running', 'exited'] as const)('%s is proof', (state) => {
    expect(hasRegularContainerBeenCreated(pod, runtimeOf([observed('c', state)]))).toBe(true);
  });

  test('an unknown one is not, nor is an init container', () => {
    expect(hasRegularContainerBeenCreated(pod, runtimeOf([observed('c', 'unknown')]))).toBe(false);
    expect(hasRegularContainerBeenCreated(pod, runtimeOf([observed('i', 'running')]))).toBe(false);
    expect(hasRegularContainerBeenCreated(pod, runtimeOf())).toBe(false);
  });
});

describe('E-22: whether a regular container exists in the sandbox in use', () => {
  const pod = podOf({ initContainers: [container('i')] });

  test('in whatever state it is', () => {
    for (const state of ['created', 'running', 'exited', 'unknown'] as const) {
      expect(hasActiveRegularContainer(pod, runtimeOf([observed('c', state)]))).toBe(true);
    }
  });

  test('one of an older sandbox does not count, nor does an init container', () => {
    const old = exited('c', 0, { sandboxID: 'sandbox-0' });
    expect(hasActiveRegularContainer(pod, runtimeOf([old]))).toBe(false);
    expect(hasActiveRegularContainer(pod, runtimeOf([observed('i', 'running')]))).toBe(false);
  });

  test('without a ready sandbox none is in use', () => {
    const containers = [observed('c', 'running')];
    const dead = { ...SANDBOX, ready: false };
    expect(hasActiveRegularContainer(pod, runtimeOf(containers, { sandboxes: [dead] }))).toBe(
      false,
    );
    expect(hasActiveRegularContainer(pod, runtimeOf(containers, { sandboxes: [] }))).toBe(false);
  });
});

describe('SM-119: whether all containers are gone', () => {
  const pod = podOf({ initContainers: [container('i')], ephemeralContainers: [container('e')] });

  test('one that is left, even a dead one, is not gone', () => {
    expect(areContainersCleanedUp(pod, runtimeOf([exited('c', 0)]))).toBe(false);
    expect(areContainersCleanedUp(pod, runtimeOf([exited('i', 0)]))).toBe(false);
  });

  test('ephemeral containers and those that the spec does not name may stay', () => {
    const rest = [observed('e', 'running'), observed('stranger', 'running')];
    expect(areContainersCleanedUp(pod, runtimeOf(rest))).toBe(true);
    expect(areContainersCleanedUp(pod, runtimeOf())).toBe(true);
  });
});
