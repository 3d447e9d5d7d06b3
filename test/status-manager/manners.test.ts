/** How podkeep treats an API that has other clients, and other writers of statuses. */
import { describe, expect, test } from 'vitest';
import { MemoryApi } from '../support/memory-api.ts';
import { MemoryPodManager } from '../support/memory-pod-manager.ts';
import {
  noProbes,
  silentDecisions,
  silentLog,
  silentStatusObserver,
} from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import type { Pod } from '../../src/api/pod.ts';
import { StatusManager } from '../../src/kubelet/status-manager/status-manager.ts';
import type { StatusManagerOptions } from '../../src/kubelet/status-manager/settings.ts';

function harnessWith(options: Partial<StatusManagerOptions> = {}) {
  const clock = new VirtualClock();
  const api = new MemoryApi({ clock });
  const pods = new MemoryPodManager();
  const manager = new StatusManager({
    clock,
    random: { next: () => 0 },
    api,
    pods,
    probes: noProbes,
    decisions: silentDecisions,
    log: silentLog,
    observer: silentStatusObserver,
    couldHaveRunningContainers: () => false,
    ...options,
  });
  api.onChange = (pod, isGone) => {
    if (isGone) return manager.apiPodGone(pod);
    pods.set(pod);
    manager.apiPodSeen(pod);
  };
  manager.start();
  return { clock, api, pods, manager };
}

function podOf(name: string): Pod {
  return {
    metadata: { name, namespace: 'default', uid: name, generation: 1 },
    spec: { containers: [{ name: 'main' }] },
    status: { phase: 'Pending' },
  };
}

describe('another writer that does not give up', () => {
  test('is overwritten immediately, and then once in a period, not as fast as both can write', async () => {
    const { clock, api, manager } = harnessWith();
    const pod = api.put(podOf('web'));
    manager.setPodStatus(pod, { phase: 'Running' });
    await clock.pass(0);
    const watch = api.onChange;
    api.onChange = (changed, isGone) => {
      watch(changed, isGone);
      if (changed.status?.phase === 'Running') {
        clock.after(5, () => api.put({ ...changed, status: { phase: 'Pending' } }));
      }
    };
    api.put({ ...pod, status: { phase: 'Pending' } });
    await clock.pass(60_000);
    expect(api.writes.length).toBeGreaterThanOrEqual(6);
    expect(api.writes.length).toBeLessThanOrEqual(15);
  });
});

describe('the client limit (KL-107)', () => {
  test('applies to the deletion that follows a final status, too', async () => {
    const { clock, api, manager } = harnessWith({ qps: 1, burst: 1 });
    const pod = api.put({
      ...podOf('web'),
      metadata: { ...podOf('web').metadata, deletionTimestamp: '2030-01-01T00:00:00Z' },
    });
    manager.terminatePod(pod);
    await clock.pass(0);
    expect(api.calls.map(({ verb }) => verb)).toEqual(['patch']);
    await clock.pass(1000);
    expect(api.calls.map(({ verb }) => verb)).toEqual(['patch', 'delete']);
  });

  test('a limit or a window of zero is refused with a hint what to write instead', () => {
    expect(() => harnessWith({ qps: 0 })).toThrow(/qps of the status manager cannot be 0/);
    expect(() => harnessWith({ window: 0 })).toThrow(/window of the status manager cannot be 0/);
  });
});

describe('the deletion of a finished pod', () => {
  test('goes before ordinary writes that wait', async () => {
    const { clock, api, manager } = harnessWith({ window: 1 });
    const goner = api.put({
      ...podOf('goner'),
      metadata: { ...podOf('goner').metadata, deletionTimestamp: '2030-01-01T00:00:00Z' },
    });
    const others = ['a', 'b', 'c'].map((name) => api.put(podOf(name)));
    manager.terminatePod(goner);
    for (const pod of others) manager.setPodStatus(pod, { phase: 'Running' });
    await clock.pass(0);
    const calls = api.calls.map(({ verb, name }) => `${verb} ${name}`);
    expect(calls.slice(0, 2)).toEqual(['patch goner', 'delete goner']);
  });
});

describe('a pod that cannot be parsed', () => {
  test('does not stop the full pass over all other pods', async () => {
    const { clock, api, manager } = harnessWith();
    const bad = api.put(podOf('bad'));
    const good = api.put(podOf('good'));
    manager.setPodStatus(bad, { phase: 'Running' });
    manager.setPodStatus(good, { phase: 'Running' });
    await clock.pass(0);
    api.put({ ...bad, status: { phase: 'Running', startTime: 'yesterday' } });
    // Overwritten twice: the first time it is corrected immediately, the second time by the full pass.
    for (const times of [1, 2]) {
      api.put({ ...good, status: { phase: 'Pending', reason: `${times}` } });
      await clock.pass(0);
    }
    expect(api.find({ namespace: 'default', name: 'good' })?.status?.phase).toBe('Pending');
    await clock.pass(25_000);
    expect(api.find({ namespace: 'default', name: 'good' })?.status?.phase).toBe('Running');
  });
});

describe('subscribers', () => {
  test('are notified of every status in order, even of one that is stored during a notification', async () => {
    const { api, manager } = harnessWith();
    const pod = api.put(podOf('web'));
    const heard: string[] = [];
    manager.subscribe({
      podUpdated: (_pod, { phase }) => {
        if (phase === 'Running') manager.setPodStatus(pod, { phase: 'Failed' });
      },
      podRemoved: () => {},
    });
    manager.subscribe({
      podUpdated: (_pod, { phase }) => void heard.push(String(phase)),
      podRemoved: () => {},
    });
    manager.setPodStatus(pod, { phase: 'Running' });
    expect(heard).toEqual(['Running', 'Failed']);
  });

  test('one that fails harms neither the others nor the write', async () => {
    const { clock, api, manager } = harnessWith();
    const pod = api.put(podOf('web'));
    manager.subscribe({
      podUpdated: () => {
        throw new Error('broken');
      },
      podRemoved: () => {},
    });
    expect(manager.setPodStatus(pod, { phase: 'Running' }).changed).toBe(true);
    await clock.pass(0);
    expect(api.find({ namespace: 'default', name: 'web' })?.status?.phase).toBe('Running');
  });
});
