import { describe, expect, test } from 'vitest';
import { only, PodWorkersHarness } from '../../../test/support/pod-workers-harness.ts';
import { pod } from '../../../test/support/pods.ts';
import { promisesSettled } from '../../../test/support/virtual-clock.ts';
import { networkNotReady } from '../../ports/pod/sync-failure.ts';

/** The work started since the last call, as `uid sync`. */
async function started(harness: PodWorkersHarness): Promise<readonly string[]> {
  await promisesSettled();
  return only(harness.takeAcknowledged(), 'started').map(({ call }) => `${call.uid} ${call.sync}`);
}

async function end(harness: PodWorkersHarness, uid: string): Promise<void> {
  harness.podSync.end(uid);
  await promisesSettled();
}

describe('work', () => {
  test('pods are synced concurrently, each with one piece of work at a time (PW-1)', async () => {
    const harness = new PodWorkersHarness();
    const [a, b] = [harness.create(pod('a')), harness.create(pod('b'))];
    for (const each of [a, b]) harness.workers.updatePod({ updateType: 'update', pod: each });
    expect(await started(harness)).toEqual(['a syncPod', 'b syncPod']);
    await end(harness, 'b');
    expect(await started(harness)).toEqual(['b syncPod']);
  });

  test('after many updates in a row the last one is delivered (PW-5)', async () => {
    const harness = new PodWorkersHarness();
    harness.create(pod('web'));
    await promisesSettled();
    for (let graceSeconds = 1; graceSeconds <= 20; graceSeconds++) {
      harness.workers.updatePod({ updateType: 'update', pod: pod('web', { graceSeconds }) });
    }
    await end(harness, 'web');
    await end(harness, 'web');
    expect(only(harness.takeAcknowledged(), 'started')).toHaveLength(2);
    harness.workers.updatePod({ updateType: 'kill', pod: pod('web', { graceSeconds: 20 }) });
    await promisesSettled();
    expect(harness.podSync.inFlight('web')?.graceSeconds).toBe(20);
  });

  test('create, kill and update in a row: the kill is never lost (PW-82)', async () => {
    const harness = new PodWorkersHarness();
    const web = harness.create(pod('web', { graceSeconds: 30 }));
    harness.workers.updatePod({ updateType: 'kill', pod: web });
    harness.workers.updatePod({ updateType: 'update', pod: web });
    // The sync was cancelled before it started, so it never starts.
    expect(await started(harness)).toEqual(['web syncTerminatingPod']);
    await end(harness, 'web');
    expect(await started(harness)).toEqual(['web syncTerminatedPod']);
  });

  test('each piece of work has its own signal, aborted only if it is overtaken (F-17)', async () => {
    const harness = new PodWorkersHarness();
    const signals: AbortSignal[] = [];
    const { podSync } = harness;
    const syncPod = podSync.syncPod.bind(podSync);
    podSync.syncPod = (request, signal) => {
      signals.push(signal);
      return syncPod(request, signal);
    };
    const web = harness.create(pod('web'));
    await promisesSettled();
    await end(harness, 'web');
    harness.workers.updatePod({ updateType: 'update', pod: web });
    await promisesSettled();
    harness.workers.updatePod({ updateType: 'kill', pod: web });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  });

  test('a handler that throws synchronously has failed like any other', async () => {
    const harness = new PodWorkersHarness();
    harness.podSync.syncPod = () => {
      throw networkNotReady({ reason: 'early' });
    };
    harness.create(pod('web'));
    await promisesSettled();
    const request = harness.takeAcknowledged();
    expect(only(request, 'wake')).toEqual([{ kind: 'wake', uid: 'web', delayMs: 1_000 }]);
    expect(only(request, 'warn')).toHaveLength(1);
    expect(harness.workers.parkedPods).toEqual([]);
  });

  test('an update that a listener sends during an event is handled after that event', async () => {
    const harness: PodWorkersHarness = new PodWorkersHarness({
      decisions: {
        record: ({ to, pod: { name } }) => {
          if (to === 'syncing') harness.workers.updatePod({ updateType: 'kill', pod: pod(name) });
        },
      },
    });
    harness.create(pod('web'));
    expect(await started(harness)).toEqual(['web syncTerminatingPod']);
  });

  test('a handler may send an update of its own pod', async () => {
    const harness = new PodWorkersHarness();
    const { podSync, workers } = harness;
    const syncPod = podSync.syncPod.bind(podSync);
    podSync.syncPod = (request, signal) => {
      if (request.updateType === 'create') {
        workers.updatePod({ updateType: 'update', pod: request.pod });
      }
      return syncPod(request, signal);
    };
    harness.create(pod('web'));
    await promisesSettled();
    await end(harness, 'web');
    const calls = only(harness.takeAcknowledged(), 'started').map(({ call }) => call.updateType);
    expect(calls).toEqual(['create', 'update']);
  });
});

describe('the work queue', () => {
  test('a pod without failures is synced again after the resync interval', async () => {
    const harness = new PodWorkersHarness();
    harness.create(pod('web'));
    await promisesSettled();
    await end(harness, 'web');
    harness.takeAcknowledged();
    await harness.clock.pass(59_999);
    expect(await started(harness)).toEqual([]);
    await harness.clock.pass(1);
    expect(only(harness.takeAcknowledged(), 'started')).toMatchObject([
      { call: { updateType: 'sync' } },
    ]);
  });

  test('random jitter and the settings make the delay (PW-54)', async () => {
    const harness = new PodWorkersHarness({ random: { next: () => 0.5 }, resyncMs: 8_000 });
    harness.create(pod('web'));
    await promisesSettled();
    await end(harness, 'web');
    expect(only(harness.takeAcknowledged(), 'wake')).toMatchObject([{ delayMs: 10_000 }]);
  });

  test('a pod that no source knows is dropped silently (PW-56)', async () => {
    const harness = new PodWorkersHarness();
    harness.create(pod('web'));
    await promisesSettled();
    await end(harness, 'web');
    harness.takeAcknowledged();
    harness.pods.delete('web');
    await harness.clock.pass(120_000);
    expect(harness.takeAcknowledged()).toEqual([]);
  });

  test('a finished pod is never woken, nor is the next one with its UID (F-14)', async () => {
    const harness = new PodWorkersHarness();
    const web = harness.create(pod('web'));
    harness.workers.updatePod({ updateType: 'kill', pod: web });
    await promisesSettled();
    await end(harness, 'web');
    expect(harness.clock.pending).toBe(1);
    await end(harness, 'web');
    expect(harness.clock.pending).toBe(0);
  });
});

describe('static pods', () => {
  test('an API pod and a static pod of the same name do not wait for each other (PW-41)', async () => {
    const harness = new PodWorkersHarness();
    harness.create(pod('web', { uid: 'api' }));
    harness.create(pod('web', { uid: 'manifest', static: true }));
    expect(await started(harness)).toEqual(['api syncPod', 'manifest syncPod']);
  });

  test('a mirror pod is known to be terminating by its full name (PW-77)', async () => {
    const harness = new PodWorkersHarness();
    const manifest = harness.create(pod('web', { uid: 'v1', static: true }));
    const isTerminating = () =>
      harness.workers.isPodForMirrorPodTerminatingByFullName('web_default');
    expect(isTerminating()).toBe(false);
    harness.workers.updatePod({ updateType: 'kill', pod: manifest });
    expect(isTerminating()).toBe(true);
    await promisesSettled();
    await end(harness, 'v1');
    expect(isTerminating()).toBe(false);
  });

  test('UIDs and names that are also JavaScript properties are plain keys', async () => {
    const harness = new PodWorkersHarness();
    for (const uid of ['__proto__', 'constructor']) harness.create(pod(uid, { static: true }));
    expect(await started(harness)).toEqual(['__proto__ syncPod', 'constructor syncPod']);
    const known = harness.workers.syncKnownPods([pod('__proto__')]);
    expect([...known.keys()]).toEqual(['__proto__', 'constructor']);
    expect(known.get('constructor')?.orphan).toBe(true);
  });
});

describe('housekeeping', () => {
  test('before the first one, unknown pods may run; after it, they may not (PW-71)', () => {
    const { workers } = new PodWorkersHarness();
    const questions = [
      'couldHaveRunningContainers',
      'shouldPodBeFinished',
      'shouldPodContainersBeTerminating',
      'shouldPodRuntimeBeRemoved',
      'shouldPodContentBeRemoved',
    ] as const;
    const ask = () => questions.map((question) => workers[question]('unknown'));
    expect(ask()).toEqual([true, false, false, false, false]);
    workers.syncKnownPods([]);
    expect(ask()).toEqual([false, true, true, true, true]);
  });

  test('a kill without options is no eviction', () => {
    const harness = new PodWorkersHarness();
    const web = harness.create(pod('web'));
    harness.workers.updatePod({ updateType: 'kill', pod: web });
    expect(harness.workers.shouldPodContentBeRemoved('web')).toBe(false);
    harness.workers.updatePod({ updateType: 'kill', pod: web, kill: { evict: true } });
    expect(harness.workers.shouldPodContentBeRemoved('web')).toBe(true);
  });
});

describe('a broken invariant', () => {
  /** A pod on which `decide` throws as soon as the machine reads its containers. */
  function cursed(name: string) {
    return Object.defineProperty({ ...pod(name) }, 'spec', {
      get: () => {
        throw new Error('an unforeseen case');
      },
    });
  }

  test('parks only that pod, and reports it in log, Event and decisions', async () => {
    const harness = new PodWorkersHarness();
    harness.workers.updatePod({ updateType: 'create', pod: cursed('cursed') });
    harness.create(pod('web'));
    await promisesSettled();
    const request = harness.takeAcknowledged();
    expect(only(request, 'started').map(({ call }) => call.uid)).toEqual(['web']);
    expect(only(request, 'event')).toMatchObject([
      { text: expect.stringMatching(/^cursed Warning PodParked: .*an unforeseen case/) as string },
    ]);
    expect(only(request, 'error')).toHaveLength(1);
    expect(only(request, 'decision').map(({ record }) => record)).toContainEqual({
      atMs: harness.clock.now(),
      pod: { uid: 'cursed', name: 'cursed', namespace: 'default' },
      machine: 'pod-worker',
      from: 'forgotten',
      to: 'parked',
      why: 'an unforeseen case',
    });
    expect(harness.workers.parkedPods).toMatchObject([{ uid: 'cursed' }]);
  });

  test('a parked pod is left alone, whatever its updates', async () => {
    const harness = new PodWorkersHarness();
    const web = harness.create(pod('web'));
    await promisesSettled();
    harness.workers.updatePod({ updateType: 'kill', pod: cursed('web') });
    harness.takeAcknowledged();
    harness.workers.updatePod({ updateType: 'kill', pod: web });
    await end(harness, 'web');
    expect(harness.takeAcknowledged()).toEqual([]);
    expect(harness.workers.isPodTerminationRequested('web')).toBe(false);
  });
});

describe('metrics', () => {
  test('a turn is measured from when its cause was first seen', async () => {
    const harness = new PodWorkersHarness();
    await harness.clock.pass(1_000);
    harness.workers.updatePod({
      updateType: 'create',
      pod: pod('web', { containers: 2 }),
      startedAtMs: 400,
    });
    await harness.clock.pass(2_000);
    await end(harness, 'web');
    const request = harness.takeAcknowledged();
    expect(only(request, 'podStarted')).toEqual([{ kind: 'podStarted', containers: 2 }]);
    expect(only(request, 'turn')).toEqual([{ kind: 'turn', operation: 'create', seconds: 2.6 }]);
  });
});

describe('closing', () => {
  test('all work is cancelled and awaited, and nothing follows', async () => {
    const harness = new PodWorkersHarness();
    const web = harness.create(pod('web'));
    harness.create(pod('idle'));
    await promisesSettled();
    await end(harness, 'idle');
    harness.takeAcknowledged();
    let closed = false;
    const closing = harness.workers.close().then(() => {
      closed = true;
    });
    await promisesSettled();
    expect(only(harness.takeAcknowledged(), 'canceled').map(({ call }) => call.uid)).toEqual([
      'web',
    ]);
    expect(closed).toBe(false);
    harness.podSync.fail('web', new DOMException('closing', 'AbortError'));
    await closing;
    harness.workers.updatePod({ updateType: 'kill', pod: web });
    await promisesSettled();
    expect(harness.takeAcknowledged()).toEqual([]);
    expect(harness.clock.pending).toBe(0);
  });
});
