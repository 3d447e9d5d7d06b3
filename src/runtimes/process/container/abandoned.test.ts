import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../platform/system-clock.ts';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { endAbandoned } from './abandoned.ts';
import { readProcess } from '../machine/proc-table.ts';

const MACHINE = { bootId: 'this', isLinux: true };

/** A process that has left a claim in a folder, as init does. */
function startClaimed(bootId: string) {
  const folder = makeTempFolder();
  const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const start = readProcess(child.pid ?? 0)?.start;
  writeFileSync(path.join(folder, 'claim'), `${child.pid} ${start} ${bootId} ${child.pid}\n`);
  return { folder, child };
}

test('processes without a record are ended', async () => {
  const { folder, child } = startClaimed('this');
  const exit = once(child, 'exit');
  await endAbandoned(folder, MACHINE, systemClock);
  expect(await exit).toEqual([null, 'SIGKILL']);
});

test('a claim from before the last boot is void', async () => {
  const { folder, child } = startClaimed('another');
  await endAbandoned(folder, MACHINE, systemClock);
  expect(child.exitCode ?? child.signalCode).toBeNull();
});

test('an init that comes too late finds its claim taken', async () => {
  const folder = makeTempFolder();
  await endAbandoned(folder, MACHINE, systemClock);
  expect(existsSync(path.join(folder, 'claim'))).toBe(true);
  expect(readFileSync(path.join(folder, 'claim'), 'utf8')).toBe('nobody\n');
});
