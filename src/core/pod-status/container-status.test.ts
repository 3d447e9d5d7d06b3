import { describe, expect, test } from 'vitest';
import type { Container, ContainerStatus, Pod } from '../../api/pod.ts';
import type { RuntimeContainer } from '../../api/runtime-pod.ts';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import {
  container,
  EARLIER,
  ended,
  LATER,
  NOW,
  podOf,
  running,
  sidecar,
  terminated,
  waiting,
} from '../../../test/support/pod-parts.ts';
import { exited, observed, runtimeOf } from '../../../test/support/runtime-parts.ts';
import {
  convertContainerStatuses,
  type ContainerKind,
  type ConversionView,
} from './container-status.ts';

const BACK_OFF = { reason: 'CrashLoopBackOff', message: 'back-off 10s' };

interface Case extends Partial<ConversionView> {
  readonly kind?: ContainerKind;
  readonly old?: readonly ContainerStatus[];
}

function convert(pod: Pod, containers: readonly RuntimeContainer[], rest: Case = {}) {
  const { kind = 'regular', old, ...view } = rest;
  const lists: Record<ContainerKind, readonly Container[] | undefined> = {
    regular: pod.spec.containers,
    init: pod.spec.initContainers,
    ephemeral: pod.spec.ephemeralContainers,
  };
  return convertContainerStatuses(
    deepFreeze({
      pod,
      runtime: runtimeOf(containers),
      isRestartingAll: false,
      startFailures: new Map(),
      supportsRecursiveReadOnly: false,
      ...view,
    }),
    kind,
    lists[kind] ?? [],
    old,
  );
}

/** The status of the only container. */
function convertOne(pod: Pod, containers: readonly RuntimeContainer[], rest: Case = {}) {
  return convert(pod, containers, rest)[0];
}

const failing = (name: string) => ({ startFailures: new Map([[name, BACK_OFF]]) });

describe('KL-35: a container that the runtime never had is waiting', () => {
  test('to be created', () => {
    expect(convertOne(podOf(), [])).toEqual({
      name: 'c',
      state: { waiting: { reason: 'ContainerCreating' } },
      lastState: {},
      ready: false,
      restartCount: 0,
      image: 'app:1',
      imageID: '',
    });
  });

  test('without an image, if its spec names none', () => {
    expect(convertOne(podOf({ containers: [{ name: 'c' }] }), [])?.image).toBe('');
  });

  test.each(['regular', 'init', 'ephemeral'] as const)(
    'or for the pod to be initialised, if it has init containers: %s',
    (kind) => {
      const pod = podOf({
        initContainers: [container('i')],
        ephemeralContainers: [container('e')],
      });
      expect(convertOne(pod, [], { kind })?.state).toEqual({
        waiting: { reason: 'PodInitializing' },
      });
    },
  );

  test('its mounts are reported from the start', () => {
    const volumeMounts = [{ name: 'data', mountPath: '/data', readOnly: true }];
    const pod = podOf({ containers: [container('c', { volumeMounts })] });
    expect(convertOne(pod, [])?.volumeMounts).toEqual([
      { name: 'data', mountPath: '/data', readOnly: true, recursiveReadOnly: 'Disabled' },
    ]);
  });
});

describe('KL-36: the previous status', () => {
  test('a terminated state is kept whole', () => {
    const old = deepFreeze(
      terminated('c', 3, { restartCount: 2, containerID: 'test://gone', ready: false }),
    );
    expect(convertOne(podOf({ restartPolicy: 'Never' }), [], { old: [old] })).toBe(old);
  });

  test('of any other state, the restart count and the last end are kept', () => {
    const old = waiting('c', { restartCount: 2, lastState: ended(3), imageID: 'x', ready: true });
    expect(convertOne(podOf(), [], { old: [old] })).toMatchObject({
      state: { waiting: { reason: 'ContainerCreating' } },
      restartCount: 2,
      lastState: ended(3),
      imageID: '',
      ready: false,
    });
  });

  test('KL-37: a container that ran and is gone has ended', () => {
    const status = convertOne(podOf(), [], { old: [running('c', { restartCount: 2 })] });
    expect(status?.state).toEqual({ waiting: { reason: 'ContainerCreating' } });
    expect(status?.lastState?.terminated).toMatchObject({
      reason: 'ContainerStatusUnknown',
      exitCode: 137,
    });
    expect(status?.restartCount).toBe(3);
  });
});

describe('KL-38: the newest record is the state, the one before it the last state', () => {
  test('and older ones are ignored, in whatever order they come', () => {
    const oldest = exited('c', 1, { id: 'test://1', createdAt: '2026-01-01T00:00:00Z' });
    const older = exited('c', 2, { id: 'test://2', createdAt: '2026-01-01T00:00:01Z' });
    const newest = observed('c', 'running', { id: 'test://3', createdAt: EARLIER });
    for (const records of [
      [newest, older, oldest],
      [oldest, newest, older],
    ]) {
      const status = convertOne(podOf(), records);
      expect(status?.containerID).toBe('test://3');
      expect(status?.state?.running).toBeDefined();
      expect(status?.lastState?.terminated?.exitCode).toBe(2);
    }
  });

  test('the runtime takes precedence over the previous status', () => {
    const older = exited('c', 2, { id: 'test://2', createdAt: '2026-01-01T00:00:00Z' });
    const newest = observed('c', 'running', { id: 'test://3', createdAt: EARLIER });
    const old = [terminated('c', 9, { containerID: 'test://1' })];
    expect(convertOne(podOf(), [newest, older], { old })?.lastState?.terminated?.exitCode).toBe(2);
  });

  test('a last state need not be an end', () => {
    const older = observed('c', 'created', { id: 'test://2', createdAt: '2026-01-01T00:00:00Z' });
    const newest = observed('c', 'running', { id: 'test://3' });
    expect(convertOne(podOf(), [newest, older])?.lastState).toEqual({ waiting: {} });
  });
});

describe('KL-41: a container that is to be started but could not be', () => {
  test('waits for that reason, and its end moves to the last state', () => {
    const records = [exited('c', 1, { finishedAt: LATER, restartCount: 3 })];
    const status = convertOne(podOf(), records, failing('c'));
    expect(status?.lastState?.terminated).toMatchObject({ exitCode: 1, finishedAt: LATER });
    expect(status).toEqual({
      ...convertOne(podOf(), records),
      state: { waiting: BACK_OFF },
      lastState: status?.lastState,
    });
  });

  test('waits for that reason after a success, too', () => {
    const status = convertOne(podOf(), [exited('c', 0)], failing('c'));
    expect(status?.state).toEqual({ waiting: BACK_OFF });
  });

  test('waits for that reason before its first start, too', () => {
    const status = convertOne(podOf(), [], failing('c'));
    expect(status?.state).toEqual({ waiting: BACK_OFF });
    expect(status?.lastState).toEqual({});
  });

  test('keeps its last end if it has not ended since', () => {
    const old = [waiting('c', { lastState: ended(7) })];
    const status = convertOne(podOf(), [observed('c', 'created')], { ...failing('c'), old });
    expect(status?.state).toEqual({ waiting: BACK_OFF });
    expect(status?.lastState).toEqual(ended(7));
  });

  test('keeps its state while no start of it failed', () => {
    expect(
      convertOne(podOf(), [exited('c', 1)], failing('other'))?.state?.terminated,
    ).toBeDefined();
  });

  test.each([
    ['it runs', podOf(), [observed('c', 'running')]],
    ['it is over', podOf({ restartPolicy: 'Never' }), [exited('c', 1)]],
    ['it ended well', podOf({ restartPolicy: 'OnFailure' }), [exited('c', 0)]],
    ['its pod goes', podOf({}, { metadata: { deletionTimestamp: NOW } }), [exited('c', 1)]],
  ])('is distinguished from one that is not to be started: %s', (_name, pod, records) => {
    expect(convertOne(pod, records, failing('c'))?.state?.waiting).toBeUndefined();
  });
});

describe('KL-41, E-23: init containers', () => {
  const pod = podOf({ initContainers: [container('i')] });

  test('one that ended well is not waiting for anything', () => {
    const status = convertOne(pod, [exited('i', 0)], { kind: 'init', ...failing('i') });
    expect(status?.state?.terminated?.exitCode).toBe(0);
  });

  test('one that failed is', () => {
    const status = convertOne(pod, [exited('i', 1)], { kind: 'init', ...failing('i') });
    expect(status?.state).toEqual({ waiting: BACK_OFF });
  });

  test.each(['created', 'running', 'exited'] as const)(
    'one that is gone ended well if a regular container is %s',
    (state) => {
      const old = [waiting('i', { restartCount: 2, lastState: ended(1) })];
      const status = convertOne(pod, [observed('c', state)], { kind: 'init', old });
      expect(status).toMatchObject({ name: 'i', restartCount: 2, lastState: ended(1) });
      expect(status?.state?.terminated).toEqual({
        reason: 'Completed',
        message:
          'Unable to get init container status from container runtime and pod has been ' +
          'initialized, treat it as exited normally',
        exitCode: 0,
      });
    },
  );

  test('even if a start of it failed once', () => {
    const rest = { kind: 'init', ...failing('i') } as const;
    expect(convertOne(pod, [observed('c', 'running')], rest)?.state?.terminated?.exitCode).toBe(0);
  });

  test('but not if the regular container is unknown, or there is none', () => {
    for (const records of [[observed('c', 'unknown')], []]) {
      expect(convertOne(pod, records, { kind: 'init' })?.state?.waiting).toBeDefined();
    }
  });

  test('a known end is kept', () => {
    const old = [terminated('i', 3)];
    const status = convertOne(pod, [observed('c', 'running')], { kind: 'init', old });
    expect(status?.state).toEqual(ended(3));
  });

  test('a sidecar that is gone waits: it will be started again', () => {
    const withSidecar = podOf({ initContainers: [sidecar('s')] });
    const status = convertOne(withSidecar, [observed('c', 'running')], { kind: 'init' });
    expect(status?.state).toEqual({ waiting: { reason: 'PodInitializing' } });
  });
});

describe('KL-46: order', () => {
  const names = (statuses: readonly ContainerStatus[]) => statuses.map(({ name }) => name);
  const spec = ['b', 'c', 'a'].map((name) => container(name));

  test('init containers as in the spec, others by name', () => {
    const pod = podOf({ containers: spec, initContainers: spec, ephemeralContainers: spec });
    expect(names(convert(pod, [], { kind: 'init' }))).toEqual(['b', 'c', 'a']);
    expect(names(convert(pod, []))).toEqual(['a', 'b', 'c']);
    expect(names(convert(pod, [], { kind: 'ephemeral' }))).toEqual(['a', 'b', 'c']);
  });

  test('containers that the spec does not name are not reported', () => {
    const old = [running('stranger')];
    expect(names(convert(podOf(), [observed('stranger', 'running')], { old }))).toEqual(['c']);
  });
});
