/** Containers are asked to stop, and exit. */
import { expect } from 'vitest';
import { type Case } from './runtime-harness.ts';

export function casesOfStopping(): readonly Case[] {
  return [
    {
      title: 'a container that is asked to stop does so in its own way',
      body: async (harness) => {
        const id = await harness.start({ command: harness.commands.exitOn('TERM', 7) });
        await harness.logged('ready');
        await harness.stop(id, 20);
        expect(await harness.container(id)).toMatchObject({ state: 'exited', exitCode: 7 });
      },
    },
    {
      title: 'the signal that a container asks for is the one it gets',
      body: async (harness) => {
        const command = harness.commands.exitOn('USR1', 9);
        const id = await harness.start({ command, stopSignal: 'SIGUSR1' });
        await harness.logged('ready');
        await harness.stop(id, 20);
        expect((await harness.container(id)).exitCode).toBe(9);
      },
    },
    {
      title: 'a container that does not want to end is ended after the grace',
      body: async (harness) => {
        const id = await harness.start({ command: harness.commands.stubborn });
        await harness.logged('ready');
        await harness.stop(id, 0.1);
        expect(await harness.container(id)).toMatchObject({ state: 'exited', exitCode: 137 });
      },
    },
    {
      title: 'without a grace it is ended at once',
      body: async (harness) => {
        const id = await harness.start({ command: harness.commands.exitOn('TERM', 0) });
        await harness.stop(id, 0);
        expect((await harness.container(id)).exitCode).toBe(137);
      },
    },
    {
      title: 'a second stop with a shorter grace takes effect at once, for both',
      body: async (harness) => {
        const id = await harness.start({ command: harness.commands.stubborn });
        await harness.logged('ready');
        const patient = harness.stop(id, 600);
        await harness.stop(id, 0.05);
        await patient;
        expect((await harness.container(id)).exitCode).toBe(137);
      },
    },
    {
      title: 'a second stop with a longer grace does not prolong the first',
      body: async (harness) => {
        const id = await harness.start({ command: harness.commands.stubborn });
        await harness.logged('ready');
        const hurried = harness.stop(id, 0.1);
        await harness.stop(id, 600);
        await hurried;
        expect((await harness.container(id)).exitCode).toBe(137);
      },
    },
    {
      title: 'whoever no longer waits for a stop has not called it off',
      body: async (harness) => {
        const id = await harness.start({ command: harness.commands.stubborn });
        await harness.logged('ready');
        const abort = new AbortController();
        const waiting = harness.stop(id, 0.2, abort.signal);
        abort.abort(new Error('gone'));
        await expect(waiting).rejects.toThrow('gone');
        expect((await harness.container(id)).state).toBe('running');
        expect((await harness.exited(id)).exitCode).toBe(137);
      },
    },
    {
      title: 'stopping what has ended, or never was, succeeds',
      body: async (harness) => {
        const id = await harness.start({ command: harness.commands.exit(4) });
        await harness.exited(id);
        await harness.stop(id, 1);
        await harness.stop('nobody', 1);
        expect((await harness.container(id)).exitCode).toBe(4);
      },
    },
  ];
}
