import { expect, test } from 'vitest';
import type { PodCgroups } from '../../ports/pod/pod-cgroups.ts';
import { livePod } from '../../../test/kubelet/runs/live-pod.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { preparePod, type PreparationDeps } from './pod-preparation.ts';

const NEVER = new AbortController().signal;
const EMPTY = { sandboxes: [], containers: [], ips: [] };
const RUNNING = { containerStatuses: [{ name: 'main', state: { running: {} } }] };

function harness(changes: Partial<PreparationDeps> = {}) {
  const steps: string[] = [];
  const events: string[] = [];
  const step = (name: string) => (): void => {
    steps.push(name);
  };
  const later = (name: string) => (): Promise<void> => {
    steps.push(name);
    return Promise.resolve();
  };
  const nothing = new Map<string, never>();
  const deps: PreparationDeps = {
    events: { record: (_pod, _type, reason, message) => events.push(`${reason}: ${message}`) },
    log: silentLog,
    runner: { stopPod: later('stop') },
    files: { makePodFolders: later('folders') },
    volumes: {
      waitForMounts: later('volumes'),
      waitForUnmount: later('unmount'),
      volumesExist: () => false,
    },
    prober: {
      addPod: step('probes'),
      removePod: step('remove'),
      stopLivenessAndStartup: step('stop probes'),
      liveness: () => nothing,
      of: () => ({
        startup: nothing,
        readiness: nothing,
        startupProbed: new Set(),
        readinessProbed: new Set(),
        since: '1970-01-01T00:00:00Z',
      }),
    },
    objects: { registerPod: step('objects'), unregisterPod: step('unregister') },
    mirrors: { reconcile: later('mirror') },
    networkError: () => null,
    isTerminationRequested: () => false,
    ...changes,
  };
  const prepare = (spec = {}, status = {}, signal = NEVER) => {
    const pod = livePod('web', spec);
    return preparePod(deps, { pod, mirrorPod: null, runtimePod: EMPTY, status }, signal);
  };
  return { steps, events, prepare };
}

function cgroupsWith(exists: boolean, log: string[], ensure?: () => Promise<void>): PodCgroups {
  const note = (name: string) => (): Promise<void> => {
    log.push(name);
    return Promise.resolve();
  };
  return {
    parentOf: () => '/kubepods',
    exists: () => exists,
    ensure: ensure ?? note('ensure'),
    raise: note('raise'),
    settle: note('settle'),
    destroy: note('destroy'),
  };
}

test('everything that a pod needs is prepared in order (KL-2)', async () => {
  const { steps, prepare } = harness();
  await prepare();
  expect(steps).toEqual(['objects', 'folders', 'volumes', 'probes']);
});

test('a pod that has to end is not registered any more', async () => {
  const { steps, prepare } = harness({ isTerminationRequested: () => true });
  await prepare();
  expect(steps).not.toContain('objects');
});

test('an existing cgroup is left alone', async () => {
  const made: string[] = [];
  const { prepare } = harness({ cgroups: cgroupsWith(true, made) });
  await prepare({}, RUNNING);
  expect(made).toEqual([]);
});

test('a pod that runs without its cgroup is stopped, and gets one (KL-3)', async () => {
  const made: string[] = [];
  const { steps, prepare } = harness({ cgroups: cgroupsWith(false, made) });
  await prepare({}, RUNNING);
  expect(steps).toContain('stop');
  expect(made).toEqual(['ensure']);
});

test('a stopped pod that may run only once gets none, unless one of its containers may restart (KL-3)', async () => {
  const made: string[] = [];
  const { prepare } = harness({ cgroups: cgroupsWith(false, made) });
  await prepare({ restartPolicy: 'Never' }, RUNNING);
  expect(made).toEqual([]);
  const containers = [{ name: 'main', restartPolicy: 'OnFailure' }];
  await prepare({ restartPolicy: 'Never', containers }, RUNNING);
  expect(made).toEqual(['ensure']);
});

test('a pod that does not run yet is not stopped for its cgroup', async () => {
  const made: string[] = [];
  const { steps, prepare } = harness({ cgroups: cgroupsWith(false, made) });
  await prepare();
  expect(steps).not.toContain('stop');
  expect(made).toEqual(['ensure']);
});

test('a cgroup that cannot be made is recorded as an Event, and fails the sync', async () => {
  const fail = (): Promise<void> => Promise.reject(new Error('read-only'));
  const { events, prepare } = harness({ cgroups: cgroupsWith(false, [], fail) });
  await expect(prepare()).rejects.toThrow('cgroups exist and are correctly applied: read-only');
  expect(events).toEqual([
    'FailedCreatePodContainer: unable to ensure pod container exists: read-only',
  ]);
});

test('folders and volumes that cannot be made are recorded as Events (KL-2, KL-5)', async () => {
  const fail = (): Promise<void> => Promise.reject(new Error('disk full'));
  const first = harness({ files: { makePodFolders: fail } });
  await expect(first.prepare()).rejects.toThrow('disk full');
  expect(first.events).toEqual(['Failed: error making pod data directories: disk full']);
  const volumes = {
    waitForMounts: fail,
    waitForUnmount: fail,
    volumesExist: () => false,
  };
  const second = harness({ volumes });
  await expect(second.prepare()).rejects.toThrow('disk full');
  expect(second.events).toEqual(['FailedMount: Unable to attach or mount volumes: disk full']);
});

test('a mount that was aborted is not recorded (KL-5)', async () => {
  const abort = new AbortController();
  const volumes = {
    waitForMounts: () => {
      abort.abort(new Error('overtaken'));
      return Promise.reject(new Error('mount given up'));
    },
    waitForUnmount: () => Promise.resolve(),
    volumesExist: () => false,
  };
  const { events, prepare } = harness({ volumes });
  await expect(prepare({}, {}, abort.signal)).rejects.toThrow('overtaken');
  expect(events).toEqual([]);
});
