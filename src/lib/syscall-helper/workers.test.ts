import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test, type TestContext } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { until } from '../../../test/suites/pod-runtime/runtime-harness.ts';
import { readProcesses } from '../../runtimes/process/machine/proc-table.ts';
import { SyscallHelper } from './syscall-helper.ts';

const TRIES_MAX = 5;

async function findHelper(context: TestContext): Promise<SyscallHelper> {
  const found = await SyscallHelper.find();
  if (found.helper && process.platform === 'linux') return found.helper;
  console.log('skipped: this machine has no syscall helper, or no /proc');
  return context.skip('no syscall helper');
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

/** Of this very helper: tests that share this process may have started others. */
function workersOf(helper: SyscallHelper): readonly number[] {
  return readProcesses()
    .filter(({ parent }) => parent === helper.pid)
    .map(({ pid }) => pid)
    .filter((pid) => nameOf(pid) === 'podkeep-worker');
}

test('few processes perform many short orders that come one after the other', async (context) => {
  const helper = await findHelper(context);
  const folder = makeTempFolder();
  const seen = new Set<number>();
  for (let n = 0; n < 30; n++) {
    await helper.perform([['folder', path.join(folder, String(n))]]);
    for (const pid of workersOf(helper)) seen.add(pid);
  }
  expect(seen.size).toBeGreaterThan(0);
  expect(seen.size).toBeLessThan(15);
});

test('of many orders at once, few processes stay', async (context) => {
  const helper = await findHelper(context);
  const folder = makeTempFolder();
  const names = Array.from({ length: 30 }, (_, n) => path.join(folder, String(n)));
  await Promise.all(names.map((name) => helper.perform([['folder', name]])));
  expect(names.filter((name) => !existsSync(name))).toEqual([]);
  await until(() => workersOf(helper).length <= 4);
});

test('an order leaves nothing open and no working directory for the next', async (context) => {
  const helper = await findHelper(context);
  const folder = makeTempFolder();
  await helper.perform([['keep', 'mine', folder]]);
  await expect(helper.perform([['put', 'mine', '']])).rejects.toThrow('nothing is open as mine');
  await helper.perform([['cd', folder]]);
  await expect(helper.perform([['rmdir', 'podkeep-none']])).rejects.toThrow('No such file');
  for (const pid of workersOf(helper)) expect(readlinkSync(`/proc/${pid}/cwd`)).toBe('/');
});

test('a worker that hangs fails its own order, and no other', async (context) => {
  const helper = await findHelper(context);
  const reasons = await untilOneFails(async () => {
    const folder = makeTempFolder();
    const stopped = await stopWorkers(helper, folder);
    const late = Promise.allSettled(
      stopped.map((pid) => helper.perform([['folder', path.join(folder, `${pid}`)]], 1)),
    );
    await helper.perform([['folder', path.join(folder, 'other')]]);
    expect(existsSync(path.join(folder, 'other'))).toBe(true);
    const results = await late;
    // A worker that got no order would stay until its own time is over.
    for (const pid of stopped) signalIfThere(pid, 'SIGKILL');
    await until(() => workersOf(helper).every((pid) => !stopped.includes(pid)));
    return results;
  });
  expect(reasons.filter((each) => !each.includes('it took longer than 1 s'))).toEqual([]);
});

test('a worker that is killed fails its own order', async (context) => {
  const helper = await findHelper(context);
  const reasons = await untilOneFails(async () => {
    const folder = makeTempFolder();
    const stopped = await stopWorkers(helper, folder);
    const refused = Promise.allSettled(
      stopped.map((pid) => helper.perform([['folder', path.join(folder, `${pid}`)]])),
    );
    await helper.perform([['folder', path.join(folder, 'other')]]);
    for (const pid of stopped) signalIfThere(pid, 'SIGKILL');
    return refused;
  });
  expect(reasons.filter((each) => !each.includes('was killed'))).toEqual([]);
});

async function stopWorkers(helper: SyscallHelper, folder: string): Promise<readonly number[]> {
  await helper.perform([['folder', path.join(folder, 'before')]]);
  await until(() => workersOf(helper).length > 0);
  const stopped = workersOf(helper);
  for (const pid of stopped) signalIfThere(pid, 'SIGSTOP');
  return stopped;
}

/** A worker may end by itself at any time. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/**
 * Why orders failed. A worker may have been about to end when it was stopped: then a new one performed its
 * order, and if all of them were, nothing was tested yet.
 */
async function untilOneFails(
  attempt: () => Promise<readonly PromiseSettledResult<void>[]>,
): Promise<readonly string[]> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const results = await attempt();
    const failed = results.filter((each) => each.status === 'rejected');
    if (failed.length > 0) return failed.map(({ reason }) => String(reason));
  }
  return ['no order failed'];
}
