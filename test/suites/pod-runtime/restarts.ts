/** Containers outlive podkeep: another instance over the same place finds everything as it was. */
import { expect } from 'vitest';
import { linesOf, until, type Case } from './stage.ts';

export function casesOfRestarts(): readonly Case[] {
  return [
    {
      title: 'what runs goes on, and is found as it was',
      body: async (stage) => {
        const sandbox = await stage.runSandbox();
        const id = await stage.start({ attempt: 3 }, sandbox);
        const before = await stage.runtime.inspect('pod-1');
        await stage.reopen();
        expect(await stage.runtime.inspect('pod-1')).toEqual(before);
        expect((await stage.container(id)).state).toBe('running');
        expect(await stage.runSandbox()).toBe(sandbox);
      },
    },
    {
      title: 'what was only created can still be started',
      body: async (stage) => {
        const id = await stage.create(await stage.runSandbox(), {
          command: stage.commands.exit(6),
        });
        await stage.reopen();
        expect((await stage.container(id)).state).toBe('created');
        await stage.runtime.startContainer(id);
        expect((await stage.exited(id)).exitCode).toBe(6);
      },
    },
    {
      title: 'what has ended is remembered, with its code and its times',
      body: async (stage) => {
        const id = await stage.start({ command: stage.commands.exit(9) });
        const before = await stage.exited(id);
        await stage.reopen();
        expect(await stage.container(id)).toEqual(before);
      },
    },
    {
      title: 'what is adopted can be stopped, spoken to and removed',
      body: async (stage) => {
        const id = await stage.start({ command: stage.commands.exitOn('TERM', 7) });
        await stage.logged('ready');
        await stage.reopen();
        expect(await stage.execute(id, ['echo', 'still here'])).toBe('still here\n');
        await stage.stop(id, 20);
        expect((await stage.container(id)).exitCode).toBe(7);
        await stage.runtime.removeContainer(id);
        expect((await stage.runtime.inspect('pod-1')).containers).toEqual([]);
      },
    },
    {
      title: 'the end of what is adopted is told, with its code',
      body: async (stage) => {
        // One that ended by itself might do so before anybody listens again.
        const id = await stage.start({ command: stage.commands.countForever });
        await stage.logged('line');
        await stage.reopen();
        const stopped = stage.stop(id, 20);
        await until(() =>
          stage.events.some((event) => event.type === 'containerDied' && event.containerId === id),
        );
        expect((await stage.container(id)).exitCode).toBe(0);
        await stopped;
      },
    },
    {
      title: 'no line of a log is lost or doubled, however often the runtime is opened',
      body: async (stage) => {
        const id = await stage.start({ command: stage.commands.countSlowly(15) });
        for (let turn = 0; turn < 3; turn++) await stage.reopen();
        await stage.exited(id);
        expect(linesOf(await stage.log())).toEqual(
          Array.from({ length: 15 }, (_, index) => `line ${index}`),
        );
      },
    },
  ];
}
