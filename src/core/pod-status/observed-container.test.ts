import { describe, expect, test } from 'vitest';
import type { ContainerStatus } from '../../api/pod.ts';
import type { RuntimeContainer } from '../../api/runtime-pod.ts';
import {
  container,
  EARLIER,
  ended,
  LATER,
  running,
  terminated,
  waiting,
} from '../../../test/support/pod-parts.ts';
import { exited, observed } from '../../../test/support/runtime-parts.ts';
import { statusOfObserved } from './observed-container.ts';

function convert(record: RuntimeContainer, old?: ContainerStatus, isRestartingAll = false) {
  return statusOfObserved({ isRestartingAll }, container('c'), record, old);
}

const id = 'test://c';

describe('KL-39: the state', () => {
  test('running, since when', () => {
    const { state } = convert(observed('c', 'running', { startedAt: EARLIER }));
    expect(state).toEqual({ running: { startedAt: EARLIER } });
    expect(convert(observed('c', 'running')).state).toEqual({ running: { startedAt: null } });
  });

  test('created: it waits, without a reason', () => {
    expect(convert(observed('c', 'created'), running('c')).state).toEqual({ waiting: {} });
  });

  test('exited: everything known about its end', () => {
    const record = exited('c', 3, {
      reason: 'Error',
      message: 'oops',
      startedAt: EARLIER,
      finishedAt: LATER,
    });
    expect(convert(record).state).toEqual({
      terminated: {
        exitCode: 3,
        reason: 'Error',
        message: 'oops',
        startedAt: EARLIER,
        finishedAt: LATER,
        containerID: id,
      },
    });
  });

  test('exited without a code, a reason or times', () => {
    expect(convert(observed('c', 'exited')).state).toStrictEqual({
      terminated: { exitCode: 0, startedAt: null, finishedAt: null, containerID: id },
    });
  });

  test('unknown, and it ran before: it ended, in an unknown way', () => {
    expect(convert(observed('c', 'unknown'), running('c')).state).toEqual({
      terminated: {
        reason: 'ContainerStatusUnknown',
        message: 'The container could not be located when the pod was terminated',
        exitCode: 137,
      },
    });
  });

  test('unknown, and it ran before, while the whole pod restarts: that is why (E-7)', () => {
    const { state } = convert(observed('c', 'unknown'), running('c'), true);
    expect(state?.terminated?.reason).toBe('RestartingAllContainers');
    expect(state?.terminated?.exitCode).toBe(137);
  });

  test.each([
    ['nothing was said of it', undefined],
    ['it waited', waiting('c')],
    ['it had ended', terminated('c', 0)],
  ])('unknown, and %s: it waits', (_name, old) => {
    expect(convert(observed('c', 'unknown'), old).state).toEqual({ waiting: {} });
  });
});

describe('KL-40: its identity', () => {
  test('name, image, the digest of the image and its ID come from the runtime', () => {
    const record = observed('c', 'running', { image: 'app:2', imageRef: 'app@sha256:2' });
    expect(convert(record)).toMatchObject({
      name: 'c',
      image: 'app:2',
      imageID: 'app@sha256:2',
      containerID: id,
      ready: false,
    });
  });

  test('its user too, if the runtime reports it', () => {
    const user = { linux: { uid: 1000, gid: 1000 } };
    expect(convert(observed('c', 'running', { user })).user).toEqual(user);
    expect(convert(observed('c', 'running'))).not.toHaveProperty('user');
  });

  test('its mounts are those reported before: they cannot change', () => {
    const volumeMounts = [{ name: 'data', mountPath: '/data' }];
    expect(convert(observed('c', 'running'), waiting('c', { volumeMounts })).volumeMounts).toBe(
      volumeMounts,
    );
    expect(convert(observed('c', 'running'))).not.toHaveProperty('volumeMounts');
  });

  test('its allocated resources are shown beside the actual ones', () => {
    const resources = { requests: { cpu: '1' }, limits: { cpu: '2' } };
    const record = observed('c', 'running', { resources: { cpuRequest: '3', cpuLimit: '4' } });
    const spec = container('c', { resources });
    const status = statusOfObserved({ isRestartingAll: false }, spec, record, undefined);
    expect(status.allocatedResources).toEqual({ cpu: '1' });
    expect(status.resources).toEqual({ requests: { cpu: '3' }, limits: { cpu: '4' } });
    expect(convert(record)).not.toHaveProperty('allocatedResources');
  });
});

describe('E-19: started is remembered while it runs', () => {
  test.each([true, false])('%s', (started) => {
    expect(convert(observed('c', 'running'), running('c', { started })).started).toBe(started);
  });

  test('and forgotten when it does not, or when it was never reported', () => {
    expect(convert(exited('c', 0), running('c', { started: true }))).not.toHaveProperty('started');
    expect(convert(observed('c', 'running'), running('c', { started: null }))).not.toHaveProperty(
      'started',
    );
    expect(convert(observed('c', 'running'))).not.toHaveProperty('started');
  });
});

describe('restart counts', () => {
  test('come from the runtime', () => {
    expect(convert(observed('c', 'running', { restartCount: 3 })).restartCount).toBe(3);
  });

  test('never decrease: the larger one of runtime and status', () => {
    const record = observed('c', 'running', { restartCount: 3 });
    expect(convert(record, running('c', { restartCount: 5 })).restartCount).toBe(5);
    expect(convert(record, running('c', { restartCount: 1 })).restartCount).toBe(3);
    expect(convert(exited('c', 1, { restartCount: 3 }), terminated('c', 1)).restartCount).toBe(3);
  });

  test('E-7: one that runs after an end that the runtime forgot was restarted once more', () => {
    const record = observed('c', 'running', { restartCount: 0, id: 'test://new' });
    const old = terminated('c', 42, { restartCount: 4, containerID: 'test://old' });
    expect(convert(record, old).restartCount).toBe(5);
    expect(convert({ ...record, restartCount: 4 }, old).restartCount).toBe(5);
  });

  test('an absent count is zero', () => {
    const record = observed('c', 'running', { restartCount: 0 });
    expect(convert(record, running('c')).restartCount).toBe(0);
    expect(convert(record, terminated('c', 1)).restartCount).toBe(1);
  });

  test('one that the runtime counted itself is not counted twice', () => {
    const record = observed('c', 'running', { restartCount: 5, id: 'test://new' });
    const old = terminated('c', 1, { restartCount: 4, containerID: 'test://old' });
    expect(convert(record, old).restartCount).toBe(5);
  });

  test('KL-39: one that ran and is unknown now counts once more', () => {
    const record = observed('c', 'unknown', { restartCount: 9 });
    expect(convert(record, running('c', { restartCount: 2 })).restartCount).toBe(3);
  });
});

describe('E-7: the end before this one', () => {
  test('is the old end, if that was of another container', () => {
    const old = terminated('c', 42, { containerID: 'test://old', lastState: ended(1) });
    expect(convert(observed('c', 'running'), old).lastState).toEqual(ended(42));
  });

  test('is the one before, if this is the same container', () => {
    const old = terminated('c', 42, { containerID: id, lastState: ended(1) });
    expect(convert(exited('c', 42), old).lastState).toEqual(ended(1));
  });

  test('is the one before, if the old container had not ended', () => {
    const old = running('c', { containerID: 'test://old', lastState: ended(1) });
    expect(convert(observed('c', 'running'), old).lastState).toEqual(ended(1));
  });

  test('is none, if there was none', () => {
    expect(convert(observed('c', 'running')).lastState).toStrictEqual({});
    expect(convert(observed('c', 'running'), waiting('c')).lastState).toEqual({});
  });
});
