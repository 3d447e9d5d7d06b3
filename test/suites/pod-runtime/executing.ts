/** Exec in containers, and attach to them. */
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { until, type Case } from './runtime-harness.ts';

const NEVER = new AbortController().signal;
const ALL = { stdin: true, stdout: true, stderr: true, tty: false, signal: NEVER };

export function casesOfExecuting(): readonly Case[] {
  return [
    {
      title: 'a command inside has its output and its exit code',
      body: async (harness) => {
        const id = await harness.start();
        const command = ['sh', '-c', 'echo out; echo err >&2; exit 5'];
        const result = await harness.runtime.execSync(id, { command, timeoutSeconds: 0 }, NEVER);
        expect(Buffer.from(result.stdout).toString()).toBe('out\n');
        expect(Buffer.from(result.stderr).toString()).toBe('err\n');
        expect(result.exitCode).toBe(5);
      },
    },
    {
      title: 'a command inside sees what the container sees',
      body: async (harness) => {
        const env = [{ name: 'WORD', value: 'seen' }];
        const id = await harness.start({ env, workingDir: '/usr' });
        expect(await harness.execute(id, ['sh', '-c', 'echo $WORD; pwd'])).toBe('seen\n/usr\n');
      },
    },
    {
      title: 'a command inside that takes too long is ended',
      body: async (harness) => {
        const id = await harness.start();
        await expect(harness.execute(id, ['sleep', '1000'], 0.2)).rejects.toMatchObject({
          code: 'EXEC_TIMED_OUT',
        });
        expect((await harness.container(id)).state).toBe('running');
      },
    },
    {
      title: 'a command for which nobody waits any more is ended',
      body: async (harness) => {
        const id = await harness.start();
        const abort = new AbortController();
        const request = { command: ['sleep', '1000'], timeoutSeconds: 0 };
        const running = harness.runtime.execSync(id, request, abort.signal);
        abort.abort(new Error('gone'));
        await expect(running).rejects.toThrow('gone');
      },
    },
    {
      title: 'a command that is not there ends with 127 or says so',
      body: async (harness) => {
        const id = await harness.start();
        const request = { command: ['no-such-command'], timeoutSeconds: 0 };
        const outcome = await harness.runtime
          .execSync(id, request, NEVER)
          .then(({ exitCode }) => exitCode, String);
        expect(String(outcome)).toMatch(/126|127|128|no-such-command/);
      },
    },
    {
      title: 'no command runs in a container that is not there or has ended',
      body: async (harness) => {
        const id = await harness.start({ command: harness.commands.exit(0) });
        await harness.exited(id);
        await expect(harness.execute(id, ['true'])).rejects.toThrow(/./);
        await expect(harness.execute('nobody', ['true'])).rejects.toMatchObject({
          code: 'RUNTIME_NOT_FOUND',
        });
      },
    },
    {
      title: 'a command with streams hears and speaks until it ends',
      body: async (harness) => {
        const id = await harness.start();
        const streams = await harness.runtime.exec?.(id, harness.commands.echo, ALL);
        streams?.stdin?.end('hello\nthere');
        expect(streams?.stdout && (await text(streams.stdout))).toBe('hello\nthere');
        expect(await streams?.ended).toBe(0);
      },
    },
    {
      title: 'whoever attaches hears what is said from then on, and speaks to the container',
      body: async (harness) => {
        const id = await harness.start({
          command: harness.commands.echo,
          stdin: true,
          stdinOnce: true,
        });
        const streams = await harness.runtime.attach?.(id, ALL);
        streams?.stdin?.end('hello\n');
        expect(streams?.stdout && (await text(streams.stdout))).toBe('hello\n');
        expect(await streams?.ended).toBe(0);
        expect((await harness.exited(id)).exitCode).toBe(0);
        expect(await harness.log()).toContain('hello');
      },
    },
    {
      title: 'whoever leaves an attachment leaves the container running',
      body: async (harness) => {
        const id = await harness.start({ command: harness.commands.countSlowly(1000) });
        const abort = new AbortController();
        const streams = await harness.runtime.attach?.(id, { ...ALL, signal: abort.signal });
        let heard = '';
        streams?.stdout?.on('data', (chunk) => (heard += String(chunk)));
        await until(() => heard.includes('line'));
        abort.abort();
        await streams?.ended.catch(() => undefined);
        expect((await harness.container(id)).state).toBe('running');
      },
    },
  ];
}
