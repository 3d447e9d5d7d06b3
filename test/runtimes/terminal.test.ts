/** Containers and commands with a terminal. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Stage, until } from '../suites/pod-runtime/stage.ts';
import { openForTest } from './process-runtime.ts';

const NEVER = new AbortController().signal;
const REQUEST = { stdin: true, stdout: true, stderr: false, tty: true, signal: NEVER };
let stage: Stage;

beforeEach(async () => {
  stage = new Stage(await openForTest());
});

afterEach(() => stage.close());

test('a container with a terminal has one, and its exit code is its own', async () => {
  const command = ['sh', '-c', 'test -t 0 && test -t 1 && tty | grep -c ^/dev/pts; exit 6'];
  const id = await stage.start({ command, tty: true, stdin: true });
  expect((await stage.exited(id)).exitCode).toBe(6);
  expect(await stage.log()).toMatch(/stdout F 1\r?\n$/);
});

test('whoever attaches to a terminal types, and the window can change', async () => {
  const script = 'stty -echo; echo ready; read word; echo "heard $word"; read x; stty size; exit 0';
  const id = await stage.start({ command: ['sh', '-c', script], tty: true, stdin: true });
  const streams = await stage.runtime.attach?.(id, REQUEST);
  await stage.logged('ready');
  streams?.stdin?.write('hello\n');
  await stage.logged('heard hello');
  streams?.resize(132, 43);
  await until(
    async () =>
      (await stage.execute(id, ['stty', '-F', await terminal(id), 'size'])) === '43 132\n',
  );
  streams?.stdin?.write('\n');
  await stage.exited(id);
  expect(await stage.log()).toMatch(/43 132/);
});

test('a container with a terminal is stopped like any other', async () => {
  const command = ['sh', '-c', 'trap "exit 7" TERM; echo ready; while :; do sleep 0.05; done'];
  const id = await stage.start({ command, tty: true });
  await stage.logged('ready');
  await stage.stop(id, 20);
  expect((await stage.container(id)).exitCode).toBe(7);
});

test('a command can have a terminal of its own', async () => {
  const id = await stage.start();
  const command = [
    'sh',
    '-c',
    'stty -echo; test -t 0 && echo "terminal"; read word; echo "heard $word"; exit 3',
  ];
  const streams = await stage.runtime.exec?.(id, command, REQUEST);
  let heard = '';
  streams?.stdout?.on('data', (chunk) => (heard += String(chunk)));
  await until(() => heard.includes('terminal'));
  streams?.stdin?.write('hello\n');
  expect(await streams?.ended).toBe(3);
  expect(heard).toContain('heard hello');
});

test('a window that is told of before its terminal is made has its size nonetheless', async () => {
  const id = await stage.start();
  const script = 'until stty size | grep -q "^50 99$"; do sleep 0.05; done; echo "as wished"';
  const streams = await stage.runtime.exec?.(id, ['sh', '-c', script], REQUEST);
  streams?.resize(80, 25);
  streams?.resize(99, 50);
  let heard = '';
  streams?.stdout?.on('data', (chunk) => (heard += String(chunk)));
  expect(await streams?.ended).toBe(0);
  expect(heard).toContain('as wished');
});

async function terminal(id: string): Promise<string> {
  const script =
    'for p in /proc/[0-9]*; do readlink $p/fd/0; done 2>/dev/null | grep -m1 ^/dev/pts/[0-9]';
  return (await stage.execute(id, ['sh', '-c', script])).trim();
}
