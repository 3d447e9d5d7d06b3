/** Containers are made, run, end, and are remembered until they are removed. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { until, type Case } from './runtime-harness.ts';

export function casesOfContainers(): readonly Case[] {
  return [...casesOfLife(), ...casesOfConfiguration(), ...casesOfRemoval()];
}

function casesOfLife(): readonly Case[] {
  return [
    {
      title: 'a container that was only created does not run',
      body: async (harness) => {
        const sandbox = await harness.runSandbox();
        const id = await harness.create(sandbox, { attempt: 2 });
        expect(id).toMatch(new RegExp(`^${harness.runtime.name}://.+`));
        const created = await harness.container(id);
        expect(created).toMatchObject({ id, name: 'main', state: 'created', sandboxID: sandbox });
        expect(created).toMatchObject({ restartCount: 2, image: harness.image });
        expect(created.startedAt).toBeUndefined();
        expect(created.exitCode).toBeUndefined();
      },
    },
    {
      title: 'a container that was started runs, and has no exit code yet',
      body: async (harness) => {
        const id = await harness.start();
        const running = await harness.container(id);
        expect(running.state).toBe('running');
        expect(Date.parse(running.startedAt ?? '')).toBeGreaterThan(0);
        expect(running.exitCode).toBeUndefined();
        expect(running.finishedAt).toBeUndefined();
      },
    },
    {
      title: 'the exit code is known as soon as the container has exited',
      body: async (harness) => {
        const sandbox = await harness.runSandbox();
        const codes = [0, 3, 255];
        const ids = await Promise.all(
          codes.map((code) =>
            harness.start({ name: `c${code}`, command: harness.commands.exit(code) }, sandbox),
          ),
        );
        const ended = await Promise.all(ids.map((id) => harness.exited(id)));
        expect(ended.map(({ exitCode }) => exitCode)).toEqual(codes);
        expect(ended.map(({ reason }) => reason)).toEqual(['Completed', 'Error', 'Error']);
        for (const { startedAt = '', finishedAt = '' } of ended) {
          // Some runtimes record the start when they are notified of it, which may be after so short a
          // life.
          expect(Date.parse(finishedAt)).toBeGreaterThan(Date.parse(startedAt) - 1000);
        }
      },
    },
    {
      title: 'starting a container twice starts it once',
      body: async (harness) => {
        const sandbox = await harness.runSandbox();
        const id = await harness.create(sandbox, {
          command: harness.commands.print([['stdout', 'once\n']]),
        });
        await Promise.all([harness.runtime.startContainer(id), harness.runtime.startContainer(id)]);
        await harness.exited(id);
        await harness.runtime.startContainer(id);
        expect((await harness.log()).match(/once/g)).toHaveLength(1);
      },
    },
    {
      title: 'creating a container that is there already gives the same one',
      body: async (harness) => {
        const sandbox = await harness.runSandbox();
        const [a, b] = await Promise.all([harness.create(sandbox), harness.create(sandbox)]);
        expect(b).toBe(a);
        expect(await harness.create(sandbox)).toBe(a);
      },
    },
    {
      title: 'a container cannot be made where there is no sandbox',
      body: async (harness) => {
        const refusal = { code: 'RUNTIME_NOT_FOUND' };
        await expect(harness.create('nowhere')).rejects.toMatchObject(refusal);
        await expect(harness.runtime.startContainer('nobody')).rejects.toMatchObject(refusal);
      },
    },
    {
      title: 'a command that does not exist is refused, and the container is over',
      body: async (harness) => {
        const id = await harness.create(await harness.runSandbox(), {
          command: ['no-such-command'],
        });
        await expect(harness.runtime.startContainer(id)).rejects.toThrow(/no-such-command/);
        const ended = await harness.exited(id);
        expect(ended).toMatchObject({ reason: 'StartError', exitCode: 128 });
        // The kubelet writes this time although there is none, so a runtime has to have one.
        expect(Date.parse(ended.startedAt ?? '')).toBe(0);
        expect(ended.message).toMatch(/no-such-command/);
      },
    },
    {
      title: 'starts and ends are told as they happen, in order',
      body: async (harness) => {
        const id = await harness.start({ command: harness.commands.exit(0) });
        await harness.exited(id);
        await harness.runtime.removeContainer(id);
        const own = () => harness.events.filter(({ containerId }) => containerId === id);
        await until(() => own().length >= 3);
        expect(own().map(({ type }) => type)).toEqual([
          'containerStarted',
          'containerDied',
          'containerRemoved',
        ]);
      },
    },
    {
      title: 'of two containers of one name the newest comes first',
      body: async (harness) => {
        const sandbox = await harness.runSandbox();
        const first = await harness.start({ command: harness.commands.exit(1) }, sandbox);
        await harness.exited(first);
        const second = await harness.start({ attempt: 1 }, sandbox);
        const { containers } = await harness.runtime.inspect('pod-1');
        expect(containers.map(({ id }) => id)).toEqual([second, first]);
        expect(containers.map(({ restartCount }) => restartCount)).toEqual([1, 0]);
      },
    },
  ];
}

function casesOfConfiguration(): readonly Case[] {
  return [
    {
      title: 'variables reach the command as they are, and of two with one name the last counts',
      body: async (harness) => {
        const env = [
          { name: 'GREETING', value: 'first' },
          { name: 'GREETING', value: `it's "quoted" $HOME \`x\` \\n` },
          { name: 'EMPTY', value: '' },
        ];
        const lines = await harness.output({ command: harness.commands.printVariables, env });
        expect(lines.split('\n')).toContain(`GREETING=it's "quoted" $HOME \`x\` \\n`);
        expect(lines.split('\n')).toContain('EMPTY=');
        expect(lines).not.toContain('first');
      },
    },
    {
      title: 'nothing of the environment of podkeep reaches a container',
      body: async (harness) => {
        process.env['PODKEEP_TEST_SECRET'] = 'leaked';
        const lines = await harness.output({ command: harness.commands.printVariables });
        delete process.env['PODKEEP_TEST_SECRET'];
        expect(lines).toMatch(/^PATH=/m);
        expect(lines).not.toContain('leaked');
      },
    },
    {
      title: 'arguments follow the command, whatever is in them',
      body: async (harness) => {
        const args = ['%s|%s|%s|', 'a b', `'"$(x)`, ''];
        expect(await harness.output({ command: ['printf'], args })).toBe(`a b|'"$(x)||`);
      },
    },
    {
      title: 'a container works in the folder that it asks for',
      body: async (harness) => {
        const command = harness.commands.printFolder;
        expect(await harness.output({ command, workingDir: '/usr/bin' })).toBe('/usr/bin');
      },
    },
    {
      title: 'a volume is where the spec mounts it, and what is written there stays',
      body: async (harness) => {
        const hostPath = path.join(harness.folder, 'volume');
        await mkdir(hostPath, { mode: 0o777, recursive: true });
        await writeFile(path.join(hostPath, 'in'), 'from outside');
        await openToAll(hostPath);
        const mounts = [mountOf(hostPath, '/deep/in/the/container', false)];
        const sandbox = await harness.runSandbox();
        const command = harness.commands.printFile('/deep/in/the/container/in');
        expect(await harness.output({ command, mounts }, sandbox)).toBe('from outside');
        const id = await harness.start(
          {
            name: 'writer',
            command: harness.commands.writeFile('/deep/in/the/container/out'),
            mounts,
          },
          sandbox,
        );
        expect((await harness.exited(id)).exitCode).toBe(0);
        expect(await readFile(path.join(hostPath, 'out'), 'utf8')).toBe('written\n');
      },
    },
    {
      title: 'a volume that is mounted read-only cannot be written',
      body: async (harness) => {
        const hostPath = path.join(harness.folder, 'volume');
        await mkdir(hostPath, { mode: 0o777, recursive: true });
        await openToAll(hostPath);
        const mounts = [mountOf(hostPath, '/data', true)];
        const id = await harness.start({
          command: harness.commands.writeFile('/data/out'),
          mounts,
        });
        expect((await harness.exited(id)).exitCode).not.toBe(0);
      },
    },
    {
      title: 'a single file can be mounted, over one that is there and where there is none',
      body: async (harness) => {
        const hostPath = path.join(harness.folder, 'hosts');
        await writeFile(hostPath, '127.0.0.1 here');
        const mounts = [
          mountOf(hostPath, '/etc/hosts', true),
          mountOf(hostPath, '/new/file', true),
        ];
        const sandbox = await harness.runSandbox();
        for (const [name, file] of [
          ['a', '/etc/hosts'],
          ['b', '/new/file'],
        ] as const) {
          const command = harness.commands.printFile(file);
          expect(await harness.output({ name, command, mounts }, sandbox)).toBe('127.0.0.1 here');
        }
      },
    },
  ];
}

function casesOfRemoval(): readonly Case[] {
  return [
    {
      title: 'a removed container is gone, and its log is not',
      body: async (harness) => {
        const command = harness.commands.print([['stdout', 'last words\n']]);
        const id = await harness.start({ command });
        await harness.exited(id);
        await harness.runtime.removeContainer(id);
        await harness.runtime.removeContainer(id);
        expect((await harness.runtime.inspect('pod-1')).containers).toEqual([]);
        expect(await harness.log()).toContain('last words');
        await expect(harness.runtime.startContainer(id)).rejects.toMatchObject({
          code: 'RUNTIME_NOT_FOUND',
        });
      },
    },
    {
      title: 'a container that runs ends when it is removed',
      body: async (harness) => {
        const hostPath = path.join(harness.folder, 'volume');
        await mkdir(hostPath, { mode: 0o777, recursive: true });
        const id = await harness.start({ command: harness.commands.stubborn });
        await harness.runtime.removeContainer(id);
        expect((await harness.runtime.inspect('pod-1')).containers).toEqual([]);
      },
    },
    {
      title: 'removing a sandbox removes its containers',
      body: async (harness) => {
        const sandbox = await harness.runSandbox();
        await harness.start({}, sandbox);
        await harness.create(sandbox, { name: 'created' });
        await harness.runtime.removeSandbox(sandbox);
        expect(await harness.runtime.list()).toEqual([]);
      },
    },
  ];
}

function mountOf(hostPath: string, containerPath: string, isReadOnly: boolean) {
  const propagation = 'None' as const;
  return { hostPath, containerPath, isReadOnly, isRecursiveReadOnly: false, propagation };
}

/** As the kubelet does with an emptyDir. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o777);
}
