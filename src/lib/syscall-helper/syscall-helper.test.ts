import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, type TestContext } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { until } from '../../../test/suites/pod-runtime/runtime-harness.ts';
import { readProcesses } from '../../runtimes/process/machine/proc-table.ts';
import type { ContainerOrder } from './orders.ts';
import { SyscallHelper } from './syscall-helper.ts';

async function findHelper(context: TestContext): Promise<SyscallHelper> {
  const found = await SyscallHelper.find();
  if (found.helper) return found.helper;
  console.log(`skipped: this machine has no syscall helper: ${found.obstacle}`);
  return context.skip('no syscall helper');
}

function orderIn(folder: string, changes: Partial<ContainerOrder> = {}): ContainerOrder {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'state'), `${' '.repeat(100)}\n`);
  const nothing = { through: [], setup: [], enter: [], rest: [], namespaces: 0 };
  return {
    ...nothing,
    folder,
    title: 'podkeep-monitor',
    bootId: 'boot',
    log: { file: path.join(folder, '0.log'), maxBytes: 100_000, maxFiles: 3 },
    setupSeconds: 20,
    stdin: false,
    tty: false,
    env: [['PATH', '/usr/bin:/bin']],
    command: ['true'],
    missing: 'no such command',
    ...changes,
  };
}

/** Returns the lines that init wrote, when it has ended. */
async function run(helper: SyscallHelper, order: ContainerOrder): Promise<readonly string[]> {
  await new Promise<void>((resolve, reject) => helper.run(order, resolve, reject));
  const text = readFileSync(path.join(order.folder, 'state'), 'utf8');
  return text.split('\n').filter((line) => line.trim() !== '');
}

const INIT = expect.stringMatching(/^init \d+ \d+$/);
const WHO = expect.stringMatching(/^main \d+ \d+$/);

test('performs calls in order, and stops at the first that fails', async (context) => {
  const helper = await findHelper(context);
  const folder = makeTempFolder();
  const file = (name: string): string => path.join(folder, name);
  await helper.perform([
    ['folder', file('a')],
    ['?rmdir', file('missing')],
    ['file', file('a/b')],
    ['link', 'b', file('a/c')],
  ]);
  expect(existsSync(file('a/c'))).toBe(true);
  const refused = helper.perform([
    ['unlink', file('missing')],
    ['unlink', file('a/c')],
  ]);
  await expect(refused).rejects.toThrow(`unlink ${file('missing')}: No such file or directory`);
  expect(existsSync(file('a/c'))).toBe(true);
  await expect(helper.perform([['rmdir', file('a')]])).rejects.toThrow('Directory not empty');
});

test('each of many concurrent orders gets its own answer', async (context) => {
  const helper = await findHelper(context);
  const folder = makeTempFolder();
  const answers = Array.from({ length: 40 }, (_, n) => {
    const calls = [[n % 3 === 0 ? 'rmdir' : 'folder', path.join(folder, `f${n}`)]] as const;
    return helper.perform(calls).then(
      () => 'made',
      () => 'refused',
    );
  });
  const expected = answers.map((_, n) => (n % 3 === 0 ? 'refused' : 'made'));
  expect(await Promise.all(answers)).toEqual(expected);
});

test('runs a command with its variables and its output, and records how it ended', async (context) => {
  const helper = await findHelper(context);
  const folder = makeTempFolder();
  const script = 'echo "$WORD"; echo no >&2; exit 3';
  const env = [
    ['PATH', '/usr/bin:/bin'],
    ['WORD', "it's 'a' $word"],
  ] as const;
  const lines = await run(helper, orderIn(folder, { command: ['sh', '-c', script], env }));
  expect(lines).toEqual([INIT, WHO, 'running', 'exit 3']);
  const log = readFileSync(path.join(folder, '0.log'), 'utf8').split('\n').slice(0, -1);
  expect(log.map((line) => line.slice(31)).toSorted()).toEqual([
    'stderr F no',
    "stdout F it's 'a' $word",
  ]);
  expect(log[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z std/);
});

test('a command that was killed has the code of the signal', async (context) => {
  const helper = await findHelper(context);
  const command = ['sh', '-c', 'kill -TERM $$'];
  expect(await run(helper, orderIn(makeTempFolder(), { command }))).toContain('exit 143');
});

test('says why a command could not run', async (context) => {
  const helper = await findHelper(context);
  const missing = orderIn(makeTempFolder(), { command: ['no-such-program'] });
  expect(await run(helper, missing)).toEqual([INIT, WHO, 'failed no such command', 'exit 127']);
  const enter = [['go', '/no/such/folder']] as const;
  expect(await run(helper, orderIn(makeTempFolder(), { enter }))).toEqual([
    INIT,
    WHO,
    'failed cannot go to the working directory /no/such/folder: No such file or directory',
    'exit 127',
  ]);
  const setup = [['mount', 'none', '/no/such/folder', 'tmpfs', 0, '']] as const;
  expect(await run(helper, orderIn(makeTempFolder(), { setup }))).toEqual([
    INIT,
    expect.stringMatching(/^failed mount: mount \/no\/such\/folder: /),
    'exit 125',
  ]);
});

test('of two monitors for one container, the second ends', async (context) => {
  const helper = await findHelper(context);
  const folder = makeTempFolder();
  const order = orderIn(folder);
  expect(await run(helper, order)).toEqual([INIT, WHO, 'running', 'exit 0']);
  writeFileSync(path.join(folder, 'state'), '');
  expect(await run(helper, order)).toEqual([]);
});

test('a helper that was killed is replaced by the next order, and its containers keep running', async (context) => {
  const helper = await findHelper(context);
  const folder = makeTempFolder();
  const command = ['sh', '-c', 'until [ -e "$GO" ]; do sleep 0.01; done; exit 4'];
  const go = path.join(folder, 'go');
  const env = [
    ['PATH', '/usr/bin:/bin'],
    ['GO', go],
  ] as const;
  const order = orderIn(folder, { command, env });
  const notified = new Promise<void>((resolve, reject) => helper.run(order, resolve, reject));
  const state = (): string => readFileSync(path.join(folder, 'state'), 'utf8');
  await until(() => state().includes('running'));
  for (const pid of helpersOf(process.pid)) process.kill(pid, 'SIGKILL');
  // The end cannot be reported any more; `onEnd` is called immediately, so that the caller checks.
  await notified;
  await helper.perform([['file', go]]);
  await until(() => state().includes('exit'));
  expect(state()).toContain('exit 4');
});

/** The helpers that this process has started. */
function helpersOf(parent: number): readonly number[] {
  return readProcesses()
    .filter((entry) => entry.parent === parent)
    .map(({ pid }) => pid)
    .filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'podkeep-helper');
}
