/** Containers are asked to end, and end. */
import { expect } from 'vitest';
import { type Case } from './stage.ts';

export function casesOfStopping(): readonly Case[] {
  return [
    {
      title: 'a container that is asked to stop does so in its own way',
      body: async (stage) => {
        const id = await stage.start({ command: stage.commands.exitOn('TERM', 7) });
        await stage.logged('ready');
        await stage.stop(id, 20);
        expect(await stage.container(id)).toMatchObject({ state: 'exited', exitCode: 7 });
      },
    },
    {
      title: 'the signal that a container asks for is the one it gets',
      body: async (stage) => {
        const command = stage.commands.exitOn('USR1', 9);
        const id = await stage.start({ command, stopSignal: 'SIGUSR1' });
        await stage.logged('ready');
        await stage.stop(id, 20);
        expect((await stage.container(id)).exitCode).toBe(9);
      },
    },
    {
      title: 'a container that does not want to end is ended after the grace',
      body: async (stage) => {
        const id = await stage.start({ command: stage.commands.stubborn });
        await stage.logged('ready');
        await stage.stop(id, 0.1);
        expect(await stage.container(id)).toMatchObject({ state: 'exited', exitCode: 137 });
      },
    },
    {
      title: 'without a grace it is ended at once',
      body: async (stage) => {
        const id = await stage.start({ command: stage.commands.exitOn('TERM', 0) });
        await stage.stop(id, 0);
        expect((await stage.container(id)).exitCode).toBe(137);
      },
    },
    {
      title: 'a second stop with a shorter grace takes effect at once, for both',
      body: async (stage) => {
        const id = await stage.start({ command: stage.commands.stubborn });
        await stage.logged('ready');
        const patient = stage.stop(id, 600);
        await stage.stop(id, 0.05);
        await patient;
        expect((await stage.container(id)).exitCode).toBe(137);
      },
    },
    {
      title: 'a second stop with a longer grace does not prolong the first',
      body: async (stage) => {
        const id = await stage.start({ command: stage.commands.stubborn });
        await stage.logged('ready');
        const hurried = stage.stop(id, 0.1);
        await stage.stop(id, 600);
        await hurried;
        expect((await stage.container(id)).exitCode).toBe(137);
      },
    },
    {
      title: 'whoever no longer waits for a stop has not called it off',
      body: async (stage) => {
        const id = await stage.start({ command: stage.commands.stubborn });
        await stage.logged('ready');
        const abort = new AbortController();
        const waiting = stage.stop(id, 0.2, abort.signal);
        abort.abort(new Error('gone'));
        await expect(waiting).rejects.toThrow('gone');
        expect((await stage.container(id)).state).toBe('running');
        expect((await stage.exited(id)).exitCode).toBe(137);
      },
    },
    {
      title: 'stopping what has ended, or never was, succeeds',
      body: async (stage) => {
        const id = await stage.start({ command: stage.commands.exit(4) });
        await stage.exited(id);
        await stage.stop(id, 1);
        await stage.stop('nobody', 1);
        expect((await stage.container(id)).exitCode).toBe(4);
      },
    },
  ];
}
