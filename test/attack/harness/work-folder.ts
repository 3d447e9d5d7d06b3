/**
 * The folder of one run: podkeep's data, its log, its configuration. It is not below /tmp, which every
 * container has for itself, so that a container that sees the machine sees this folder, too.
 *
 * A suite that is killed cannot clean up; its folder carries its process ID, and the next run removes it.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { mountPointsBelow, processesOf } from '../../e2e/support/leftovers.ts';

const PARENT = '/var/tmp';
const PREFIX = 'podkeep-attack';

export function makeFolder(name: string): string {
  for (const old of readdirSync(PARENT)) {
    const owner = new RegExp(`^${PREFIX}-(\\d+)-`).exec(old)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) removeFolder(path.join(PARENT, old));
  }
  return mkdtempSync(path.join(PARENT, `${PREFIX}-${process.pid}-${name}-`));
}

/** With what still runs in it and is mounted below it. PODKEEP_E2E_KEEP=1 leaves the files. */
export function removeFolder(folder: string): void {
  const data = path.join(folder, 'data');
  for (const { pid } of processesOf(data)) killQuietly(pid);
  for (const point of mountPointsBelow(folder)) spawnSync('umount', ['--lazy', point]);
  if (process.env['PODKEEP_E2E_KEEP']) return console.log(`kept: ${folder}`);
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    console.log(`${folder} stays: ${String(error)}`);
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
