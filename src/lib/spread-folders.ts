/**
 * Hints to the file system that the subfolders of a folder are unrelated (the `T` attribute of ext4).
 *
 *     pods/            by default all folders in a folder are placed close to it,
 *     ├── UID-1/       which is good if they are read together;
 *     └── UID-2/       with the hint, each of these gets a separate place on the disk
 *
 * ext4 without a journal does not reuse a deleted inode for some minutes, and scans those nearby for
 * each new one. Where hundreds of pods come and go in one place, a new file soon takes ten times as long
 * as at first. In separate places they do not meet the inodes that others have deleted.
 *
 * It is only a hint: where it cannot be given, everything works as before.
 */
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';
import { CommandShell } from './command-shell.ts';

export interface SpreadOptions {
  /** The folder in which the kernel lists its file systems. */
  readonly sysFolder?: string;
  /** Instead of starting programs, in tests. */
  readonly run?: (args: readonly string[]) => Promise<void>;
}

const NO_JOURNAL = '<none>';

/** The folders must exist. Never rejects. */
export async function spreadFolders(
  folders: readonly string[],
  { sysFolder = '/sys', run = runOnce }: SpreadOptions = {},
): Promise<void> {
  const gaining = folders.filter((folder) => hasNoJournal(folder, sysFolder));
  if (gaining.length === 0) return;
  // Without the program, or the right to run it, they stay together.
  await run(['chattr', '+T', '--', ...gaining]).catch(() => undefined);
}

function hasNoJournal(folder: string, sysFolder: string): boolean {
  try {
    const device = deviceName(statSync(folder).dev);
    const name = path.basename(readlinkSync(path.join(sysFolder, 'dev/block', device)));
    const task = readFileSync(path.join(sysFolder, 'fs/ext4', name, 'journal_task'), 'utf8');
    return task.trim() === NO_JOURNAL;
  } catch {
    // Another file system, which does not need it.
    return false;
  }
}

/** As the kernel spells it, such as 8:1. */
function deviceName(device: number): string {
  const major = (device >>> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
  return `${major}:${minor}`;
}

async function runOnce(args: readonly string[]): Promise<void> {
  const shell = new CommandShell();
  await shell.run(args).finally(() => shell.close());
}
