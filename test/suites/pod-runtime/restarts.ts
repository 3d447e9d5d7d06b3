/** Containers outlive podkeep: another instance over the same folder finds everything as it was. */
import { expect } from 'vitest';
import { linesOf, until, type Case } from './runtime-harness.ts';

export function casesOfRestarts(): readonly Case[] {
  return [
    {
      title: 'what runs goes on, and is found as it was',
      body: async (harness) => {
        const sandbox = await harness.runSandbox();
        const id = await harness.start({ attempt: 3 }, sandbox);
        const before = await harness.runtime.inspect('pod-1');
        await harness.reopen();
        expect(await harness.runtime.inspect('pod-1')).toEqual(before);
        expect((await harness.container(id)).state).toBe('running');
        expect(await harness.runSandbox()).toBe(sandbox);
      },
    },
    {
      title: 'what was only created can still be started',
      body: async (harness) => {
        const id = await harness.create(await harness.runSandbox(), {
          command: harness.commands.exit(6),
        });
        await harness.reopen();
        expect((await harness.container(id)).state).toBe('created');
        await harness.runtime.startContainer(id);
        expect((await harness.exited(id)).exitCode).toBe(6);
      },
    },
    {
      title: 'what has ended is remembered, with its code and its times',
      body: async (harness) => {
        const id = await harness.start({ command: harness.commands.exit(9) });
        const before = await harness.exited(id);
        await harness.reopen();
        expect(await harness.container(id)).toEqual(before);
      },
    },
    {
      title: 'what is adopted can be stopped, spoken to and removed',
      body: async (harness) => {
        const id = await harness.start({ command: harness.commands.exitOn('TERM', 7) });
        await harness.logged('ready');
        await harness.reopen();
        expect(await harness.execute(id, ['echo', 'still here'])).toBe('still here\n');
        await harness.stop(id, 20);
        expect((await harness.container(id)).exitCode).toBe(7);
        await harness.runtime.removeContainer(id);
        expect((await harness.runtime.inspect('pod-1')).containers).toEqual([]);
      },
    },
    {
      title: 'the end of what is adopted is told, with its code',
      body: async (harness) => {
        // One that exits by itself might do so before the subscription.
        const id = await harness.start({ command: harness.commands.countForever });
        await harness.logged('line');
        await harness.reopen();
        const stopped = harness.stop(id, 20);
        await until(() =>
          harness.events.some(
            (event) => event.type === 'containerDied' && event.containerId === id,
          ),
        );
        expect((await harness.container(id)).exitCode).toBe(0);
        await stopped;
      },
    },
    {
      title: 'no line of a log is lost or doubled, however often the runtime is opened',
      body: async (harness) => {
        const id = await harness.start({ command: harness.commands.countSlowly(15) });
        for (let turn = 0; turn < 3; turn++) await harness.reopen();
        await harness.exited(id);
        expect(linesOf(await harness.log())).toEqual(
          Array.from({ length: 15 }, (_, index) => `line ${index}`),
        );
      },
    },
  ];
}
