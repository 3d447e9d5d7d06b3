/** Sandboxes come, are there, and go. */
import { expect } from 'vitest';
import { until, type Case } from './stage.ts';

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
      body: async (stage) => {
        const id = await stage.runSandbox({ podUid: 'a', podName: 'web', namespace: 'shop' });
        const [entry, ...others] = await stage.runtime.list();
        expect(others).toEqual([]);
        expect(entry).toMatchObject({ uid: 'a', name: 'web', namespace: 'shop' });
        expect(entry?.pod.sandboxes).toMatchObject([{ id, attempt: 0, ready: true }]);
      },
    },
    {
      title: 'running a sandbox that runs already gives the same one',
      body: async (stage) => {
        const [a, b] = await Promise.all([stage.runSandbox(), stage.runSandbox()]);
        expect(b).toBe(a);
        expect(await stage.runSandbox()).toBe(a);
        expect((await stage.runtime.inspect('pod-1')).sandboxes).toHaveLength(1);
      },
    },
    {
      title: 'a stopped sandbox is not ready, and stopping it again changes nothing',
      body: async (stage) => {
        const id = await stage.runSandbox();
        await stage.runtime.stopSandbox(id);
        await stage.runtime.stopSandbox(id);
        const pod = await stage.runtime.inspect('pod-1');
        expect(pod.sandboxes).toMatchObject([{ id, ready: false }]);
        expect(pod.ips).toEqual([]);
      },
    },
    {
      title: 'a removed sandbox is gone, and what is gone can be removed again',
      body: async (stage) => {
        const id = await stage.runSandbox();
        await stage.runtime.removeSandbox(id);
        await stage.runtime.removeSandbox(id);
        await stage.runtime.stopSandbox(id);
        expect(await stage.runtime.list()).toEqual([]);
      },
    },
    {
      title: 'stopping a sandbox ends what runs in it',
      body: async (stage) => {
        const sandbox = await stage.runSandbox();
        const ids = await Promise.all(
          ['a', 'b'].map((name) =>
            stage.start({ name, command: stage.commands.stubborn }, sandbox),
          ),
        );
        await stage.runtime.stopSandbox(sandbox);
        for (const id of ids) expect((await stage.container(id)).state).toBe('exited');
      },
    },
    {
      title: 'of two sandboxes of one pod the newest comes first',
      body: async (stage) => {
        const old = await stage.runSandbox();
        await stage.runtime.stopSandbox(old);
        const young = await stage.runSandbox({ attempt: 1 });
        const pod = await stage.runtime.inspect('pod-1');
        expect(pod.sandboxes.map(({ id }) => id)).toEqual([young, old]);
        expect(pod.sandboxes.map(({ ready }) => ready)).toEqual([true, false]);
      },
    },
    {
      title: 'each pod has an address that no other has, and gives it back',
      body: async (stage) => {
        const ids = await Promise.all(
          ['a', 'b', 'c'].map((podUid) => stage.runSandbox({ podUid })),
        );
        const pods = await Promise.all(['a', 'b', 'c'].map((uid) => stage.runtime.inspect(uid)));
        const addresses = pods.flatMap(({ ips }) => ips);
        expect(new Set(addresses).size).toBe(3);
        expect(pods.map(({ sandboxes }) => sandboxes[0]?.ip)).toEqual(addresses);
        for (const id of ids) await stage.runtime.removeSandbox(id);
        expect(await stage.runtime.list()).toEqual([]);
      },
    },
    {
      title: 'a pod in the network of its node has no address of its own',
      body: async (stage) => {
        await stage.runSandbox({ hostNetwork: true });
        const { sandboxes, ips } = await stage.runtime.inspect('pod-1');
        expect(sandboxes).toMatchObject([{ hostNetwork: true, ready: true }]);
        expect(ips).toEqual([]);
      },
    },
    {
      title: 'a change of a sandbox is told at once',
      body: async (stage) => {
        const id = await stage.runSandbox();
        await stage.runtime.stopSandbox(id);
        const told = (): number =>
          stage.events.filter(({ type }) => type === 'sandboxChanged').length;
        await until(() => told() >= 2);
        expect(stage.events[0]).toEqual({ podUid: 'pod-1', type: 'sandboxChanged' });
      },
    },
  ];
}
