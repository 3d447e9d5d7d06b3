import { describe, expect, test } from 'vitest';
import { only, PodWorkersStage } from '../../../test/support/pod-workers-stage.ts';
import { pod } from '../../../test/support/pods.ts';
import { promisesSettled } from '../../../test/support/virtual-clock.ts';
import { networkNotReady } from '../../ports/sync-failure.ts';

/** What was started since the last time, as `uid sync`. */
async function started(stage: PodWorkersStage): Promise<readonly string[]> {
  await promisesSettled();
  return only(stage.takeTold(), 'started').map(({ call }) => `${call.uid} ${call.sync}`);
}

async function end(stage: PodWorkersStage, uid: string): Promise<void> {
  stage.podSync.end(uid);
  await promisesSettled();
}

describe('work', () => {
  test('pods are worked on at the same time, each with one piece of work at a time (PW-1)', async () => {
    const stage = new PodWorkersStage();
    const [a, b] = [stage.create(pod('a')), stage.create(pod('b'))];
    for (const each of [a, b]) stage.workers.updatePod({ updateType: 'update', pod: each });
    expect(await started(stage)).toEqual(['a syncPod', 'b syncPod']);
    await end(stage, 'b');
    expect(await started(stage)).toEqual(['b syncPod']);
  });

  test('after many updates in a row the last one is delivered (PW-5)', async () => {
    const stage = new PodWorkersStage();
    stage.create(pod('web'));
    await promisesSettled();
    for (let graceSeconds = 1; graceSeconds <= 20; graceSeconds++) {
      stage.workers.updatePod({ updateType: 'update', pod: pod('web', { graceSeconds }) });
    }
    await end(stage, 'web');
    await end(stage, 'web');
    expect(only(stage.takeTold(), 'started')).toHaveLength(2);
    stage.workers.updatePod({ updateType: 'kill', pod: pod('web', { graceSeconds: 20 }) });
    await promisesSettled();
    expect(stage.podSync.inFlight('web')?.graceSeconds).toBe(20);
  });

  test('create, kill and update in a row: the kill is never lost (PW-82)', async () => {
    const stage = new PodWorkersStage();
    const web = stage.create(pod('web', { graceSeconds: 30 }));
    stage.workers.updatePod({ updateType: 'kill', pod: web });
    stage.workers.updatePod({ updateType: 'update', pod: web });
    // The sync was cancelled before it began, so it never does.
    expect(await started(stage)).toEqual(['web syncTerminatingPod']);
    await end(stage, 'web');
    expect(await started(stage)).toEqual(['web syncTerminatedPod']);
  });

  test('each piece of work has a signal of its own, aborted only if it is overtaken (F-17)', async () => {
    const stage = new PodWorkersStage();
    const signals: AbortSignal[] = [];
    const { podSync } = stage;
    const syncPod = podSync.syncPod.bind(podSync);
    podSync.syncPod = (request, signal) => {
      signals.push(signal);
      return syncPod(request, signal);
    };
    const web = stage.create(pod('web'));
    await promisesSettled();
    await end(stage, 'web');
    stage.workers.updatePod({ updateType: 'update', pod: web });
    await promisesSettled();
    stage.workers.updatePod({ updateType: 'kill', pod: web });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  });

  test('a recipe that throws at once has failed like any other', async () => {
    const stage = new PodWorkersStage();
    stage.podSync.syncPod = () => {
      throw networkNotReady({ reason: 'early' });
    };
    stage.create(pod('web'));
    await promisesSettled();
    const told = stage.takeTold();
    expect(only(told, 'wake')).toEqual([{ kind: 'wake', uid: 'web', delayMs: 1_000 }]);
    expect(only(told, 'warn')).toHaveLength(1);
    expect(stage.workers.parkedPods).toEqual([]);
  });

  test('news that a listener brings in the middle of an event waits until that is over', async () => {
    const stage: PodWorkersStage = new PodWorkersStage({
      decisions: {
        record: ({ to, pod: { name } }) => {
          if (to === 'syncing') stage.workers.updatePod({ updateType: 'kill', pod: pod(name) });
        },
      },
    });
    stage.create(pod('web'));
    expect(await started(stage)).toEqual(['web syncTerminatingPod']);
  });

  test('a recipe may tell the workers news of its own pod', async () => {
    const stage = new PodWorkersStage();
    const { podSync, workers } = stage;
    const syncPod = podSync.syncPod.bind(podSync);
    podSync.syncPod = (request, signal) => {
      if (request.updateType === 'create') {
        workers.updatePod({ updateType: 'update', pod: request.pod });
      }
      return syncPod(request, signal);
    };
    stage.create(pod('web'));
    await promisesSettled();
    await end(stage, 'web');
    const calls = only(stage.takeTold(), 'started').map(({ call }) => call.updateType);
    expect(calls).toEqual(['create', 'update']);
  });
});

describe('the work queue', () => {
  test('a pod that is well is looked at again after the resync interval', async () => {
    const stage = new PodWorkersStage();
    stage.create(pod('web'));
    await promisesSettled();
    await end(stage, 'web');
    stage.takeTold();
    await stage.clock.pass(59_999);
    expect(await started(stage)).toEqual([]);
    await stage.clock.pass(1);
    expect(only(stage.takeTold(), 'started')).toMatchObject([{ call: { updateType: 'sync' } }]);
  });

  test('chance and the settings make the delay (PW-54)', async () => {
    const stage = new PodWorkersStage({ random: { next: () => 0.5 }, resyncMs: 8_000 });
    stage.create(pod('web'));
    await promisesSettled();
    await end(stage, 'web');
    expect(only(stage.takeTold(), 'wake')).toMatchObject([{ delayMs: 10_000 }]);
  });

  test('a pod that no source knows is dropped without a word (PW-56)', async () => {
    const stage = new PodWorkersStage();
    stage.create(pod('web'));
    await promisesSettled();
    await end(stage, 'web');
    stage.takeTold();
    stage.pods.delete('web');
    await stage.clock.pass(120_000);
    expect(stage.takeTold()).toEqual([]);
  });

  test('a pod that is over is never woken, nor is the next one with its UID (F-14)', async () => {
    const stage = new PodWorkersStage();
    const web = stage.create(pod('web'));
    stage.workers.updatePod({ updateType: 'kill', pod: web });
    await promisesSettled();
    await end(stage, 'web');
    expect(stage.clock.pending).toBe(1);
    await end(stage, 'web');
    expect(stage.clock.pending).toBe(0);
  });
});

describe('static pods', () => {
  test('an API pod and a static pod of the same name do not wait for each other (PW-41)', async () => {
    const stage = new PodWorkersStage();
    stage.create(pod('web', { uid: 'api' }));
    stage.create(pod('web', { uid: 'manifest', static: true }));
    expect(await started(stage)).toEqual(['api syncPod', 'manifest syncPod']);
  });

  test('a mirror pod is known to be terminating by its full name (PW-77)', async () => {
    const stage = new PodWorkersStage();
    const manifest = stage.create(pod('web', { uid: 'v1', static: true }));
    const isTerminating = () => stage.workers.isPodForMirrorPodTerminatingByFullName('web_default');
    expect(isTerminating()).toBe(false);
    stage.workers.updatePod({ updateType: 'kill', pod: manifest });
    expect(isTerminating()).toBe(true);
    await promisesSettled();
    await end(stage, 'v1');
    expect(isTerminating()).toBe(false);
  });

  test('UIDs and names that look like parts of JavaScript are plain keys', async () => {
    const stage = new PodWorkersStage();
    for (const uid of ['__proto__', 'constructor']) stage.create(pod(uid, { static: true }));
    expect(await started(stage)).toEqual(['__proto__ syncPod', 'constructor syncPod']);
    const known = stage.workers.syncKnownPods([pod('__proto__')]);
    expect([...known.keys()]).toEqual(['__proto__', 'constructor']);
    expect(known.get('constructor')?.orphan).toBe(true);
  });
});

describe('housekeeping', () => {
  test('before the first one, pods that nobody knows may run; after it, they do not (PW-71)', () => {
    const { workers } = new PodWorkersStage();
    const questions = [
      'couldHaveRunningContainers',
      'shouldPodBeFinished',
      'shouldPodContainersBeTerminating',
      'shouldPodRuntimeBeRemoved',
      'shouldPodContentBeRemoved',
    ] as const;
    const ask = () => questions.map((question) => workers[question]('nobody'));
    expect(ask()).toEqual([true, false, false, false, false]);
    workers.syncKnownPods([]);
    expect(ask()).toEqual([false, true, true, true, true]);
  });

  test('a kill without options is no eviction', () => {
    const stage = new PodWorkersStage();
    const web = stage.create(pod('web'));
    stage.workers.updatePod({ updateType: 'kill', pod: web });
    expect(stage.workers.shouldPodContentBeRemoved('web')).toBe(false);
    stage.workers.updatePod({ updateType: 'kill', pod: web, kill: { evict: true } });
    expect(stage.workers.shouldPodContentBeRemoved('web')).toBe(true);
  });
});

describe('a broken rule', () => {
  /** A pod on which `decide` breaks as soon as the machine looks into its containers. */
  function cursed(name: string) {
    return Object.defineProperty({ ...pod(name) }, 'spec', {
      get: () => {
        throw new Error('a rule that nobody thought of');
      },
    });
  }

  test('parks the one pod, tells everybody, and spares the others', async () => {
    const stage = new PodWorkersStage();
    stage.workers.updatePod({ updateType: 'create', pod: cursed('cursed') });
    stage.create(pod('web'));
    await promisesSettled();
    const told = stage.takeTold();
    expect(only(told, 'started').map(({ call }) => call.uid)).toEqual(['web']);
    expect(only(told, 'event')).toMatchObject([
      { text: expect.stringMatching(/^cursed Warning PodParked: .*a rule that nobody/) as string },
    ]);
    expect(only(told, 'error')).toHaveLength(1);
    expect(only(told, 'decision').map(({ record }) => record)).toContainEqual({
      atMs: stage.clock.now(),
      pod: { uid: 'cursed', name: 'cursed', namespace: 'default' },
      machine: 'pod-worker',
      from: 'forgotten',
      to: 'parked',
      why: 'a rule that nobody thought of',
    });
    expect(stage.workers.parkedPods).toMatchObject([{ uid: 'cursed' }]);
  });

  test('a parked pod is left alone, whatever comes', async () => {
    const stage = new PodWorkersStage();
    const web = stage.create(pod('web'));
    await promisesSettled();
    stage.workers.updatePod({ updateType: 'kill', pod: cursed('web') });
    stage.takeTold();
    stage.workers.updatePod({ updateType: 'kill', pod: web });
    await end(stage, 'web');
    expect(stage.takeTold()).toEqual([]);
    expect(stage.workers.isPodTerminationRequested('web')).toBe(false);
  });
});

describe('metrics', () => {
  test('a turn is measured from where its cause was first seen', async () => {
    const stage = new PodWorkersStage();
    await stage.clock.pass(1_000);
    stage.workers.updatePod({
      updateType: 'create',
      pod: pod('web', { containers: 2 }),
      startedAtMs: 400,
    });
    await stage.clock.pass(2_000);
    await end(stage, 'web');
    const told = stage.takeTold();
    expect(only(told, 'podStarted')).toEqual([{ kind: 'podStarted', containers: 2 }]);
    expect(only(told, 'turn')).toEqual([{ kind: 'turn', operation: 'create', seconds: 2.6 }]);
  });
});

describe('closing', () => {
  test('all work is cancelled and awaited, and nothing follows', async () => {
    const stage = new PodWorkersStage();
    const web = stage.create(pod('web'));
    stage.create(pod('idle'));
    await promisesSettled();
    await end(stage, 'idle');
    stage.takeTold();
    let closed = false;
    const closing = stage.workers.close().then(() => {
      closed = true;
    });
    await promisesSettled();
    expect(only(stage.takeTold(), 'canceled').map(({ call }) => call.uid)).toEqual(['web']);
    expect(closed).toBe(false);
    stage.podSync.fail('web', new DOMException('closing', 'AbortError'));
    await closing;
    stage.workers.updatePod({ updateType: 'kill', pod: web });
    await promisesSettled();
    expect(stage.takeTold()).toEqual([]);
    expect(stage.clock.pending).toBe(0);
  });
});
