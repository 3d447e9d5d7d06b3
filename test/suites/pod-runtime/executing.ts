/** Commands inside containers, and listening to them. */
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { until, type Case } from './stage.ts';

const NEVER = new AbortController().signal;
const ALL = { stdin: true, stdout: true, stderr: true, tty: false, signal: NEVER };

export function casesOfExecuting(): readonly Case[] {
  return [
    {
      title: 'a command inside has its output and its exit code',
      body: async (stage) => {
        const id = await stage.start();
        const command = ['sh', '-c', 'echo out; echo err >&2; exit 5'];
        const result = await stage.runtime.execSync(id, { command, timeoutSeconds: 0 }, NEVER);
        expect(Buffer.from(result.stdout).toString()).toBe('out\n');
        expect(Buffer.from(result.stderr).toString()).toBe('err\n');
        expect(result.exitCode).toBe(5);
      },
    },
    {
      title: 'a command inside sees what the container sees',
      body: async (stage) => {
        const env = [{ name: 'WORD', value: 'seen' }];
        const id = await stage.start({ env, workingDir: '/usr' });
        expect(await stage.execute(id, ['sh', '-c', 'echo $WORD; pwd'])).toBe('seen\n/usr\n');
      },
    },
    {
      title: 'a command inside that takes too long is ended',
      body: async (stage) => {
        const id = await stage.start();
        await expect(stage.execute(id, ['sleep', '1000'], 0.2)).rejects.toMatchObject({
          code: 'EXEC_TIMED_OUT',
        });
        expect((await stage.container(id)).state).toBe('running');
      },
    },
    {
      title: 'a command for which nobody waits any more is ended',
      body: async (stage) => {
        const id = await stage.start();
        const abort = new AbortController();
        const request = { command: ['sleep', '1000'], timeoutSeconds: 0 };
        const running = stage.runtime.execSync(id, request, abort.signal);
        abort.abort(new Error('gone'));
        await expect(running).rejects.toThrow('gone');
      },
    },
    {
      title: 'a command that is not there ends with 127 or says so',
      body: async (stage) => {
        const id = await stage.start();
        const request = { command: ['no-such-command'], timeoutSeconds: 0 };
        const outcome = await stage.runtime
          .execSync(id, request, NEVER)
          .then(({ exitCode }) => exitCode, String);
        expect(String(outcome)).toMatch(/126|127|128|no-such-command/);
      },
    },
    {
      title: 'no command runs in a container that is not there or has ended',
      body: async (stage) => {
        const id = await stage.start({ command: stage.commands.exit(0) });
        await stage.exited(id);
        await expect(stage.execute(id, ['true'])).rejects.toThrow(/./);
        await expect(stage.execute('nobody', ['true'])).rejects.toMatchObject({
          code: 'RUNTIME_NOT_FOUND',
        });
      },
    },
    {
      title: 'a command with streams hears and speaks until it ends',
      body: async (stage) => {
        const id = await stage.start();
        const streams = await stage.runtime.exec?.(id, stage.commands.echo, ALL);
        streams?.stdin?.end('hello\nthere');
        expect(streams?.stdout && (await text(streams.stdout))).toBe('hello\nthere');
        expect(await streams?.ended).toBe(0);
      },
    },
    {
      title: 'whoever attaches hears what is said from then on, and speaks to the container',
      body: async (stage) => {
        const id = await stage.start({
          command: stage.commands.echo,
          stdin: true,
          stdinOnce: true,
        });
        const streams = await stage.runtime.attach?.(id, ALL);
        streams?.stdin?.end('hello\n');
        expect(streams?.stdout && (await text(streams.stdout))).toBe('hello\n');
        expect(await streams?.ended).toBe(0);
        expect((await stage.exited(id)).exitCode).toBe(0);
        expect(await stage.log()).toContain('hello');
      },
    },
    {
      title: 'whoever leaves an attachment leaves the container running',
      body: async (stage) => {
        const id = await stage.start({ command: stage.commands.countSlowly(1000) });
        const abort = new AbortController();
        const streams = await stage.runtime.attach?.(id, { ...ALL, signal: abort.signal });
        let heard = '';
        streams?.stdout?.on('data', (chunk) => (heard += String(chunk)));
        await until(() => heard.includes('line'));
        abort.abort();
        await streams?.ended.catch(() => undefined);
        expect((await stage.container(id)).state).toBe('running');
      },
    },
  ];
}
