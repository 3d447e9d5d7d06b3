/**
 * A folder for one rig: its logs, keys and data. It goes when the rig goes.
 *
 * A process that is killed cannot clean up after itself, so its folders carry its number, and
 * whoever makes a folder next removes those of processes that are no more.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PREFIX = 'podkeep-e2e';
const OWNED = new RegExp(`^${PREFIX}-(\\d+)-`);

export function makeWorkFolder(name: string): string {
  removeForsaken();
  return mkdtempSync(path.join(tmpdir(), `${PREFIX}-${process.pid}-${name}-`));
}

/** PODKEEP_E2E_KEEP=1 leaves it where it is until the next run, for whoever wants to read the logs. */
export function removeWorkFolder(folder: string): void {
  if (process.env['PODKEEP_E2E_KEEP']) console.log(`kept: ${folder}`);
  else rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

function removeForsaken(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(OWNED.exec(name)?.[1] ?? 0);
    if (pid === 0 || isAlive(pid)) continue;
    removeIfPossible(path.join(tmpdir(), name));
  }
}

/** What a killed podkeep has mounted stays mounted, and is no reason for others to fail. */
function removeIfPossible(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    console.log(`${folder} stays: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives, and is somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
