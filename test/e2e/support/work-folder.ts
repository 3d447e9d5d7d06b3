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

export interface Folders {
  /** What their names begin with. */
  readonly prefix: string;
  /** What has to go before a forsaken one can be removed. */
  readonly clear: (folder: string) => void;
}

const PLAIN: Folders = { prefix: PREFIX, clear: () => undefined };

export function makeWorkFolder(name: string, folders: Folders = PLAIN): string {
  removeForsaken(folders);
  return mkdtempSync(path.join(tmpdir(), `${folders.prefix}-${process.pid}-${name}-`));
}

/** PODKEEP_E2E_KEEP=1 leaves it where it is until the next run, for whoever wants to read the logs. */
export function removeWorkFolder(folder: string): void {
  if (process.env['PODKEEP_E2E_KEEP']) console.log(`kept: ${folder}`);
  else rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

function removeForsaken({ prefix, clear }: Folders): void {
  for (const name of readdirSync(tmpdir())) {
    const [owned, owner] = name.slice(prefix.length).match(/^-(\d+)-/) ?? [];
    if (owned === undefined || !name.startsWith(prefix) || isAlive(Number(owner))) continue;
    const folder = path.join(tmpdir(), name);
    clear(folder);
    removeIfPossible(folder);
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
