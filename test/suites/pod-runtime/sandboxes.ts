/** Sandboxes are created, listed and removed. */
import { expect } from 'vitest';
import { until, type Case } from './runtime-harness.ts';

export function casesOfSandboxes(): readonly Case[] {
  return [
    {
      title: 'a new runtime has no pods and is ready for some',
      body: async ({ runtime }) => {
        expect(await runtime.list()).toEqual([]);
        expect(await runtime.inspect('nobody')).toEqual({ sandboxes: [], containers: [], ips: [] });
        expect(await runtime.status()).toMatchObject({ isReady: true, isNetworkReady: true });
        expect((await runtime.version()).name).not.toBe('');
      },
    },
    {
      title: 'a sandbox that runs is ready, and its pod is listed by name',
      body: async (harness) => {
        const id = await harness.runSandbox({ podUid: 'a', podName: 'web', namespace: 'shop' });
        const [entry, ...others] = await harness.runtime.list();
        expect(others).toEqual([]);
        expect(entry).toMatchObject({ uid: 'a', name: 'web', namespace: 'shop' });
        expect(entry?.pod.sandboxes).toMatchObject([{ id, attempt: 0, ready: true }]);
      },
    },
    {
      title: 'running a sandbox that runs already gives the same one',
      body: async (harness) => {
        const [a, b] = await Promise.all([harness.runSandbox(), harness.runSandbox()]);
        expect(b).toBe(a);
        expect(await harness.runSandbox()).toBe(a);
        expect((await harness.runtime.inspect('pod-1')).sandboxes).toHaveLength(1);
      },
    },
    {
      title: 'a stopped sandbox is not ready, and stopping it again changes nothing',
      body: async (harness) => {
        const id = await harness.runSandbox();
        await harness.runtime.stopSandbox(id);
        await harness.runtime.stopSandbox(id);
        const pod = await harness.runtime.inspect('pod-1');
        expect(pod.sandboxes).toMatchObject([{ id, ready: false }]);
        expect(pod.ips).toEqual([]);
      },
    },
    {
      title: 'a removed sandbox is gone, and what is gone can be removed again',
      body: async (harness) => {
        const id = await harness.runSandbox();
        await harness.runtime.removeSandbox(id);
        await harness.runtime.removeSandbox(id);
        await harness.runtime.stopSandbox(id);
        expect(await harness.runtime.list()).toEqual([]);
      },
    },
    {
      title: 'stopping a sandbox ends what runs in it',
      body: async (harness) => {
        const sandbox = await harness.runSandbox();
        const ids = await Promise.all(
          ['a', 'b'].map((name) =>
            harness.start({ name, command: harness.commands.stubborn }, sandbox),
          ),
        );
        await harness.runtime.stopSandbox(sandbox);
        for (const id of ids) expect((await harness.container(id)).state).toBe('exited');
      },
    },
    {
      title: 'of two sandboxes of one pod the newest comes first',
      body: async (harness) => {
        const old = await harness.runSandbox();
        await harness.runtime.stopSandbox(old);
        const young = await harness.runSandbox({ attempt: 1 });
        const pod = await harness.runtime.inspect('pod-1');
        expect(pod.sandboxes.map(({ id }) => id)).toEqual([young, old]);
        expect(pod.sandboxes.map(({ ready }) => ready)).toEqual([true, false]);
      },
    },
    {
      title: 'each pod has an address that no other has, and gives it back',
      body: async (harness) => {
        const ids = await Promise.all(
          ['a', 'b', 'c'].map((podUid) => harness.runSandbox({ podUid })),
        );
        const pods = await Promise.all(['a', 'b', 'c'].map((uid) => harness.runtime.inspect(uid)));
        const addresses = pods.flatMap(({ ips }) => ips);
        expect(new Set(addresses).size).toBe(3);
        expect(pods.map(({ sandboxes }) => sandboxes[0]?.ip)).toEqual(addresses);
        for (const id of ids) await harness.runtime.removeSandbox(id);
        expect(await harness.runtime.list()).toEqual([]);
      },
    },
    {
      title: 'a pod in the network of its node has no address of its own',
      body: async (harness) => {
        await harness.runSandbox({ hostNetwork: true });
        const { sandboxes, ips } = await harness.runtime.inspect('pod-1');
        expect(sandboxes).toMatchObject([{ hostNetwork: true, ready: true }]);
        expect(ips).toEqual([]);
      },
    },
    {
      title: 'a change of a sandbox is told at once',
      body: async (harness) => {
        const id = await harness.runSandbox();
        await harness.runtime.stopSandbox(id);
        const notified = (): number =>
          harness.events.filter(({ type }) => type === 'sandboxChanged').length;
        await until(() => notified() >= 2);
        expect(harness.events[0]).toEqual({ podUid: 'pod-1', type: 'sandboxChanged' });
      },
    },
  ];
}
