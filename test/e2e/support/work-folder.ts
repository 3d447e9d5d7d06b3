/**
 * A folder for one harness: its logs, keys and data. It is removed with the harness.
 *
 * A process that is killed cannot clean up, so its folders carry its PID, and the next process that
 * creates a folder removes those of processes that have ended.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PREFIX = 'podkeep-e2e';

export interface Folders {
  /** What their names begin with. */
  readonly prefix: string;
  /** What has to be unmounted before an abandoned one can be removed. */
  readonly clear: (folder: string) => void;
}

const PLAIN: Folders = { prefix: PREFIX, clear: () => undefined };

export function makeWorkFolder(name: string, folders: Folders = PLAIN): string {
  removeForsaken(folders);
  return mkdtempSync(path.join(tmpdir(), `${folders.prefix}-${process.pid}-${name}-`));
}

/** PODKEEP_E2E_KEEP=1 keeps it until the next run, to read the logs. */
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

/** What a killed podkeep has mounted stays mounted, and must not fail other tests. */
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
    // It is alive, and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
