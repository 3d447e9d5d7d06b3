/** Containers and commands with a terminal. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestHarness, until } from '../suites/pod-runtime/runtime-harness.ts';
import { openForTest } from './process-runtime.ts';

const NEVER = new AbortController().signal;
const REQUEST = { stdin: true, stdout: true, stderr: false, tty: true, signal: NEVER };
let harness: TestHarness;

beforeEach(async () => {
  harness = new TestHarness(await openForTest());
});

afterEach(() => harness.close());

test('a container with a terminal has one, and its exit code is its own', async () => {
  const command = ['sh', '-c', 'test -t 0 && test -t 1 && tty | grep -c ^/dev/pts; exit 6'];
  const id = await harness.start({ command, tty: true, stdin: true });
  expect((await harness.exited(id)).exitCode).toBe(6);
  expect(await harness.log()).toMatch(/stdout F 1\r?\n$/);
});

test('attach to a terminal can type, and the window can change', async () => {
  const script = 'stty -echo; echo ready; read word; echo "heard $word"; read x; stty size; exit 0';
  const id = await harness.start({ command: ['sh', '-c', script], tty: true, stdin: true });
  const streams = await harness.runtime.attach?.(id, REQUEST);
  await harness.logged('ready');
  streams?.stdin?.write('hello\n');
  await harness.logged('heard hello');
  streams?.resize(132, 43);
  await until(
    async () =>
      (await harness.execute(id, ['stty', '-F', await terminal(id), 'size'])) === '43 132\n',
  );
  streams?.stdin?.write('\n');
  await harness.exited(id);
  expect(await harness.log()).toMatch(/43 132/);
});

test('a container with a terminal is stopped like any other', async () => {
  const command = ['sh', '-c', 'trap "exit 7" TERM; echo ready; while :; do sleep 0.05; done'];
  const id = await harness.start({ command, tty: true });
  await harness.logged('ready');
  await harness.stop(id, 20);
  expect((await harness.container(id)).exitCode).toBe(7);
});

test('a command can have its own terminal', async () => {
  const id = await harness.start();
  const command = [
    'sh',
    '-c',
    'stty -echo; test -t 0 && echo "terminal"; read word; echo "heard $word"; exit 3',
  ];
  const streams = await harness.runtime.exec?.(id, command, REQUEST);
  let heard = '';
  streams?.stdout?.on('data', (chunk) => (heard += String(chunk)));
  await until(() => heard.includes('terminal'));
  streams?.stdin?.write('hello\n');
  expect(await streams?.ended).toBe(3);
  expect(heard).toContain('heard hello');
});

test('a window size that is set before its terminal exists is applied nonetheless', async () => {
  const id = await harness.start();
  const script = 'until stty size | grep -q "^50 99$"; do sleep 0.05; done; echo "as wished"';
  const streams = await harness.runtime.exec?.(id, ['sh', '-c', script], REQUEST);
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
  return (await harness.execute(id, ['sh', '-c', script])).trim();
}
